"""What one may write with the library: every public function with the types it takes and gives, for mypy --strict."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import posenc_lib as pe

Floats = NDArray[np.floating[Any]]
Exact = NDArray[np.float64]
Whole = NDArray[np.int64]


def tables(seq_len: int, d_model: int) -> list[Floats]:
    """Tables of positions; positions may be a count, a list or an array."""
    made: list[Floats] = [
        pe.sinusoidal(seq_len, d_model, layout="concatenated"),
        pe.sine(np.arange(seq_len), d_model, base=100.0),
        pe.learned(seq_len, d_model, rng=np.random.default_rng(0)),
        pe.no_position(seq_len, d_model),
        pe.normalized(seq_len, d_model, endpoint=True),
        assert_type(pe.binary([0, 5, 7], 3), Whole).astype(np.float64),
        pe.integer([0.5, 1.0], d_model).astype(np.float64),
        np.asarray(pe.bfloat16([0.1]), np.float64),
        pe.shift_matrix(3, d_model),
    ]
    i, j, distance = assert_type(pe.closest_pair(made[0]), tuple[int, int, float])
    made += [pe.similarity_matrix(made[0]) + distance * (i - j)]
    return [*made, np.asarray(pe.sinusoidal_kernel([0, 1.5], d_model))]


def rotations(q: Floats) -> Floats:
    """RoPE in several ways, and the tables it is made of."""
    *_, seq_len, head_dim = q.shape
    order = assert_type(pe.pairing_permutation(head_dim), Whole)
    turned: Floats = pe.rope(q[..., order], base=500_000.0, pairing="half", start_pos=[3, 5])
    turned = pe.apply_rope(turned, pe.freqs_cis(seq_len, head_dim)) @ pe.rope_matrix(2, head_dim).T
    turned[..., :2] = turned[..., :2] @ pe.rotation_matrix(np.pi)
    slow = pe.wavelengths(head_dim) * pe.inv_freq(head_dim) - pe.angles([1, 2], head_dim)[0]
    wrong = pe.table_error(seq_len, head_dim, precision="bfloat16")
    rows: Floats = pe.convert_pairing(np.eye(head_dim), 1, to="interleaved")
    result: Floats = turned @ rows + slow.sum() + wrong.max()
    return result


def scaled(head_dim: int) -> Floats:
    """What a model's config makes of RoPE."""
    theta, factor = pe.rope_scaling({"rope_type": "linear", "factor": 2.0}, head_dim)
    llama: dict[str, Any] = pe.model_config("llama_3_1")
    shipped: list[str] = pe.census()["ALiBi"]
    assert "bloom" in shipped
    print(llama["title"], pe.rope_from_config(llama).keys())
    cos, sin = pe.cos_sin([[0, 1]], head_dim, inv_freq=theta, attention_factor=factor, dtype=np.float32)
    grouped = assert_type(pe.self_extend_offsets(9, 2, 4), Whole)
    whole: Exact = pe.resonance(theta) * pe.attention_temperature(4)[:, None]
    head = pe.exact_head("rope", look_back=2, seq_len=16, head_dim=head_dim)
    seen: float = head.mass(64, inv_freq=theta) + head.attention(8).sum() + whole.max()
    first: int | None = pe.first_negative(head_dim, inv_freq=theta, most=4096)
    both: Floats = cos * sin + grouped.max() + seen + (first or 0)
    return both


def plane(q: Floats) -> Floats:
    """Queries of a picture's patches, of a film, and what else is made of the same waves."""
    *_, seq_len, head_dim = q.shape
    turned: Floats = pe.rope_2d(q, 1, seq_len, frequencies="alternate", order="xy", pairing="half")
    places = assert_type(pe.mrope_positions([seq_len - 4, (2, 1), (1, 2, 1)]), Whole)
    turned = pe.rope_nd(turned, places, sections=[1, 1, head_dim // 2 - 2], interleaved=True)
    axes = assert_type(pe.axis_of_pair([1, 1, head_dim // 2 - 2], interleaved=True), Whole)
    table = assert_type(pe.sinusoidal_2d(2, 3, head_dim, order="xy", layout="interleaved"), Exact)
    larger = assert_type(pe.resize_table(table, (2, 3), (4, 6)), Exact)
    waves: Exact = pe.fourier_features([[0.5]], [[1.0], [2.0]], include_input=True)
    moments = assert_type(pe.timestep_embedding([0, 999], head_dim, flip_sin_to_cos=True), Exact)
    head = pe.exact_head_2d(np.ones((2, 4)), np.eye(3, dtype=bool), ridge=1e-2)
    result: Floats = turned + larger.sum() + waves.sum() + moments.sum() + axes.max() + head.directions.sum()
    return result


def attend(q: Floats, k: Floats, v: Floats) -> Floats:
    """Attention with each scheme of relative positions."""
    heads, n, d = q.shape
    table, u, ones = np.ones((2 * n - 1, d)), np.zeros(d), np.ones((32, heads))
    bias = pe.alibi(heads, n, causal=True) * pe.alibi_slopes(heads)[:, None, None] + pe.sandwich(heads, n, 128)
    bias += pe.t5_bias(ones, n) + ones[pe.t5_bucket(pe.relative_offsets(n), bidirectional=False)].T
    layers = {"0.weight": np.ones((4, 1)), "0.bias": np.zeros(4), "2.weight": np.ones((heads, 4))}
    bias += assert_type(pe.fire(n, layers | {"2.bias": np.zeros(heads)}, c=0.1, threshold=4), Exact)
    bias += assert_type(pe.kerple([1.0] * heads, np.ones(heads), n, kind="power"), Exact)
    scores = assert_type(pe.shaw_scores(q, k, table), Exact)
    scores += pe.softmax(assert_type(pe.transformer_xl_scores(q, k, table, u, [0.0] * d), Exact))
    scores += pe.softmax(assert_type(pe.cope(q, k, np.ones((d, 8)), divide=False), Exact))
    _, weights = pe.attention(q, k, v, scores=scores, bias=bias, scale=1.0)
    mixed, _ = pe.attention(*assert_type(pe.xpos(q, k), tuple[Exact, Exact]), v, causal=True)
    result: Floats = mixed + assert_type(pe.shaw_values(weights, table), Exact)
    return result


class Slow(pe.Rotary):
    """RoPE whose pairs turn more and more slowly."""

    name = "slow"
    parameters = (*pe.Rotary.parameters, pe.Parameter("least", "the slowest", 0.1, 0.01, 1.0, scale="real"))

    @property
    def frequencies(self) -> Exact:
        return np.linspace(1, self.least, self.head_dim // 2)


KINDS = (pe.Additive, pe.Relative, pe.Bias)


def ramp(positions: Whole, d_model: int, slope: float = 1.0) -> Exact:
    """An encoding as a function."""
    return slope * positions[:, None] * np.ones(d_model)


def pictures(folder: Path) -> str:
    """Panels, figures, the scorecard and the puzzles."""
    pe.present(False)
    panel = pe.explore("rope", views="trajectory", seq_len=(8, 64), head_dim=8)
    panel.set(seq_len=16)
    saved: Path = panel.save(folder / "rope.svg")
    panel.reset()
    pe.explore([ramp, Slow(least=0.2)], start={"seq_len": 8}, slope=(0.5, 2.0)).close()
    box = pe.config_box(pe.model_config("phi_3"))
    both = pe.playground("rope: heatmap | alibi: dot_product")
    words = [*box.told, panel.text, both.line, repr(pe.figure("ladder", seq_len=32)), repr(pe.scorecard([ramp]))]
    found = pe.diagnose(ramp, dims=8)
    words += [found.first or "", *(test.seen for test in found.tests)]
    pe.check("count", 4)
    pe.hint("count")
    pe.solution("count")
    trained = pe.train("alibi", "look_back", seed=1, steps=2)
    words += [trained.text, repr(pe.trained_table("induction", seeds=range(5)))]
    for each in (trained, panel, both, box):
        each.close()
    return f"{saved.name} {pe.__version__} {' '.join(words)}"


def main(folder: Path) -> None:
    """Call it all."""
    q = np.random.default_rng(1).normal(size=(2, 6, 8))
    print(sum(float(table.sum()) for table in tables(6, 8)), pictures(folder))
    print(rotations(q).shape, scaled(8).shape, attend(q, q, q).shape, plane(q).shape)
