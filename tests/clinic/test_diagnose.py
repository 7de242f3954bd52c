"""diagnose: it names the fault of what is wrong, in every form a reader may have it in, and passes what is right."""

import functools

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.clinic.diagnose import OTHERS, UNSEEN
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS, KNOWN
from posenc_lib.encodings.models import Shipped

DIAGONALS, NORM, CACHED = "constant diagonals", "constant norm", "cached equals full"
FALLS, RECTANGLE, BEYOND, CONFIG = "near before far", "a rectangle", "beyond position 256", "the config's base"
NAMED = {  # what is named of each case
    "case_1": (DIAGONALS, "Mixed pairing"),
    "case_2": (DIAGONALS, "wrong axis"),
    "case_3": (CACHED, "position 0"),
    "case_4": (BEYOND, "bfloat16"),
    "case_5": (CACHED, "two tables"),
    "case_6": (FALLS, "sign"),
    "case_7": (RECTANGLE, "wrong side"),
    "case_8": (DIAGONALS, "doubled once more"),
}


DRAWN = np.random.default_rng(0)


def turn(x, angles):
    return pe.apply_rope(x, np.exp(1j * angles))


def mixed(x, positions):
    a = np.repeat(np.outer(positions, pe.inv_freq(x.shape[1])), 2, axis=1)
    half = x.shape[1] // 2
    return x * np.cos(a) + np.hstack([-x[:, half:], x[:, :half]]) * np.sin(a)


def mixed_the_other_way(x, positions):
    a = np.outer(positions, pe.inv_freq(x.shape[1]))
    a, across = np.hstack([a, a]), np.stack([-x[:, 1::2], x[:, 0::2]], axis=2).reshape(x.shape)
    return x * np.cos(a) + across * np.sin(a)


def by_head(x, positions):
    return pe.rope(x.swapaxes(0, 1), np.arange(len(x))).swapaxes(0, 1)


def position_and_head(x, positions):
    return np.stack([pe.rope(one, positions + head) for head, one in enumerate(x)])


def by_batch(positions, d_model):
    return np.tile(pe.sinusoidal([3], d_model), (len(positions), 1))


def twice(positions, d_model):
    table = np.empty((len(positions), d_model))
    for i in range(0, d_model, 2):
        table[:, i] = np.sin(positions / 10_000 ** (2 * i / d_model))
        table[:, i + 1] = np.cos(positions / 10_000 ** (2 * (i + 1) / d_model))
    return table


def over_the_head(x, positions):
    return turn(x, np.outer(positions, 10_000.0 ** (-np.arange(0, 32, 2) / x.shape[1])))


def transposed(height, width, d_model):
    x, y = np.meshgrid(np.arange(width), np.arange(height), indexing="ij")
    halves = [pe.sinusoidal(at.ravel(), d_model // 2, layout="concatenated") for at in (y, x)]
    return np.hstack(halves)


def rising(n, m):
    offsets = pe.relative_offsets(n, m)
    return np.where(offsets > 0, -np.inf, -0.5 * offsets)


def turned_picture(x, height, width):
    y_first = x.reshape(height, width, -1).swapaxes(0, 1).reshape(x.shape)
    return pe.rope_2d(y_first, width, height)


def sines(positions, d_model):
    return np.sin(np.outer(positions, np.repeat(pe.inv_freq(d_model), 2)))


def sign_lost(positions, d_model):
    angles = np.outer(positions, 1 / pe.inv_freq(d_model))
    return np.hstack([np.sin(angles), np.cos(angles)])


def in_halves(x, angles, dtype=np.asarray):
    cos, sin = (dtype(np.hstack([each, each])) for each in (np.cos(angles), np.sin(angles)))
    return x * cos + np.hstack([-x[:, 32:], x[:, :32]]) * sin


def bfloat16_cosines(x, positions):
    return in_halves(x, np.outer(positions, pe.inv_freq(64)), pe.bfloat16)


def bfloat16_angles(x, positions):
    return pe.bfloat16(in_halves(x, pe.bfloat16(np.outer(positions, pe.inv_freq(64)))))


def sines_for_cosines(x, positions):
    return in_halves(x, np.pi / 2 - np.outer(positions, pe.inv_freq(64)))


def a_column_each(positions, d_model):
    columns = np.arange(d_model)
    angles = np.outer(positions, 10_000.0 ** (-columns / d_model))
    return np.where(columns % 2, np.cos(angles), np.sin(angles))


def doubled_in_both(positions, d_model):
    angles = np.outer(positions, 10_000.0 ** (-2 * np.arange(0, d_model, 2) / d_model))
    return np.hstack([np.sin(angles), np.cos(angles)])


def reshaped(positions, d_model):
    angles = np.outer(positions, pe.inv_freq(d_model))
    return np.stack([np.sin(angles), np.cos(angles)]).reshape(len(positions), d_model)


def dropped(x):
    return x * (DRAWN.random(x.shape) > 0.1)


def no_number(x, positions):
    return np.where(positions[:, None] > 3000, np.nan, pe.rope(x, positions))


def row_twice(height, width, d_model):
    y, _ = np.divmod(np.arange(height * width), width)
    return np.hstack([pe.sinusoidal(y, d_model // 2)] * 2)


def eight_heads(x, positions):
    heads = x.reshape(len(x), 8, 8).swapaxes(0, 1)
    return pe.rope(heads, positions).swapaxes(0, 1).reshape(x.shape)


def learned_plane(height, width, d_model):
    y, x = np.divmod(np.arange(height * width), width)
    return np.random.default_rng(0).normal(size=(14 * 14, d_model))[14 * y + x]


def window(bias, reach):
    """Let a query see so many keys, itself among them."""
    offsets = pe.relative_offsets(*bias.shape[-2:])
    return np.where((offsets > 0) | (offsets <= -reach), -np.inf, bias)


def rounded_cosines(x, positions):
    angles = np.float32(np.outer(positions, pe.inv_freq(64)))
    return pe.apply_rope(x, np.float16(np.cos(angles)) + 1j * np.float16(np.sin(angles)))


def switched(x, positions):
    theta = np.where(positions[:, None] < 4096, pe.inv_freq(64), pe.inv_freq(64, 40_000))
    return turn(x, positions[:, None] * theta)


def dynamic(q, k, positions):
    base = 10_000 * max(2 * (positions.max() + 1) / 4096 - 1, 1) ** (64 / 62)
    return pe.rope(q, positions, base=base), pe.rope(k, positions)


WRONG = [  # functions as readers have them: what fails first, and a word of what that points to
    (mixed, {}, DIAGONALS, "Mixed pairing: cos and sin are laid out for neighbours"),
    (mixed_the_other_way, {}, DIAGONALS, "Mixed pairing: cos and sin are laid out for halves"),
    (by_head, {"heads": 4}, DIAGONALS, "wrong axis"),
    (position_and_head, {"heads": 4}, CACHED, "number of the head"),
    (by_batch, {}, DIAGONALS, "batch"),
    (twice, {}, DIAGONALS, "doubled once more"),
    (a_column_each, {}, DIAGONALS, "2·(i // 2)/d for column i"),
    (reshaped, {}, DIAGONALS, "a reshape has mixed positions with dims"),
    (lambda positions, d_model: dropped(pe.sinusoidal(positions, d_model)), {}, DIAGONALS, "dropout"),
    (lambda x, positions: dropped(pe.rope(x, positions)), {}, DIAGONALS, "dropout"),
    (lambda q_len, k_len: dropped(pe.alibi(8, q_len, k_len)), {}, DIAGONALS, "dropout"),
    (lambda height, width, d_model: dropped(pe.sinusoidal_2d(height, width, d_model)), {}, RECTANGLE, "dropout"),
    (bfloat16_angles, {}, DIAGONALS, "rounded"),
    (no_number, {}, BEYOND, "overflows"),
    (lambda x, positions: pe.rope(x, 9 * positions / max(positions.max(), 1)), {}, CACHED, "no longer fit"),
    (
        lambda q, k: (pe.rope(q, start_pos=len(k) - len(q) + (len(q) == 1)), pe.rope(k)),
        {},
        CACHED,
        "another place than its own, position 48 for 47",
    ),
    (row_twice, {}, RECTANGLE, "An axis is missing"),
    (lambda x, positions: pe.rope(x.T).T, {}, DIAGONALS, "pairs are made of tokens, not of dims"),
    (lambda x, positions: x, {}, DIAGONALS, "never applied"),
    (lambda q, k, positions: (pe.rope(q, positions), k), {}, DIAGONALS, "Only one of the two"),
    (lambda q, k, positions: (pe.rope(q, positions), pe.rope(k, -positions)), {}, DIAGONALS, "the other way"),
    (
        lambda q, k, positions: (pe.rope(q, positions), pe.rope(k, positions, base=500.0)),
        {},
        DIAGONALS,
        "two tables",
    ),
    (lambda x, positions: turn(x, np.outer(positions**2, pe.inv_freq(64))), {}, DIAGONALS, "evenly"),
    (lambda q, k: (pe.rope(q), pe.rope(k)), {}, CACHED, "position 0"),
    (lambda x, positions: pe.rope(x, np.arange(len(positions))), {}, CACHED, "token that comes alone"),
    (lambda x, positions: pe.rope(x, np.minimum(positions, 2047)), {}, BEYOND, "from 2047 on"),
    (lambda x, positions: pe.rope(x, pe.bfloat16(positions)), {}, BEYOND, "bfloat16"),
    (
        lambda x, positions: pe.rope(x, np.float16(positions) // 2 * 2 + positions % 2 * (positions < 512)),
        {},
        BEYOND,
        "few",
    ),
    (lambda x, positions: pe.rope(x, positions[::-1]), {}, CACHED, "positions are reversed"),
    (lambda positions, d_model: pe.sinusoidal(positions[::-1], d_model), {}, CACHED, "positions are reversed"),
    (lambda positions, d_model: pe.sinusoidal(len(positions), d_model), {}, CACHED, "has the row of another place"),
    (lambda x, positions: pe.rope(x, positions.astype(np.float16)), {}, BEYOND, "float16, which has 11"),
    (lambda x, positions: turn(x, pe.angles(2048, 64)[pe.bfloat16(positions).astype(int)]), {}, BEYOND, "bfloat16"),
    (lambda x, positions: pe.rope(x, positions % 512), {}, BEYOND, "begin again after 512"),
    (lambda x, positions: pe.rope(x, positions % 2048), {}, BEYOND, "begin again after 2048"),
    (lambda positions, d_model: pe.sinusoidal(positions % 300, d_model), {}, BEYOND, "begin again after 300"),
    (switched, {}, BEYOND, "two tables"),
    (dynamic, {}, BEYOND, "two tables"),
    (lambda positions, d_model: pe.sinusoidal(pe.bfloat16(positions), d_model), {}, BEYOND, "bfloat16"),
    (lambda q_len, k_len: -pe.alibi(8, q_len, k_len), {}, FALLS, "sign"),
    (rising, {"kind": "bias"}, FALLS, "sign"),
    (lambda q_len, k_len: pe.alibi(8, q_len, q_len), {}, CACHED, "the bias is gone"),
    (lambda q_len, k_len: pe.alibi(8, k_len)[:, :q_len], {}, CACHED, "counted from position 0"),
    (lambda q_len, k_len: np.zeros((8, q_len, k_len)), {}, DIAGONALS, "never reaches"),
    (transposed, {}, RECTANGLE, "wrong side"),
    (
        lambda x, height, width: pe.rope_2d(
            x.reshape(height, width, -1).swapaxes(0, 1).reshape(x.shape), width, height
        ),
        {},
        RECTANGLE,
        "wrong side",
    ),
    (lambda height, width, d_model: pe.sinusoidal(height * width, d_model), {}, RECTANGLE, "numbered like words"),
    (lambda height, width, d_model: pe.sinusoidal_2d(9, 9, d_model)[: height * width], {}, RECTANGLE, "another size"),
    (over_the_head, {"rope_theta": 10_000}, CONFIG, "over all 64 dims, where only 32 turn"),
    (pe.sinusoidal, {"rope_theta": 500}, CONFIG, "base 10,000: the config's was never read"),
    (pe.rope, {"rope_theta": 500_000, "kind": "rotary"}, CONFIG, "base 10,000: the config's was never read"),
    (
        lambda x, positions: pe.rope(x, positions, inv_freq=pe.bfloat16(pe.inv_freq(64)).astype(float)),
        {"rope_theta": 10_000},
        CONFIG,
        "θ is rounded",
    ),
    (
        lambda x, positions: pe.rope(x, positions, inv_freq=pe.inv_freq(64) / 4),
        {"rope_theta": 10_000},
        CONFIG,
        "scaled",
    ),
]
RIGHT = [
    (lambda x, positions: pe.rope(x, positions), {"rope_theta": 10_000}),
    (lambda x, positions: pe.rope(x, positions, pairing="half", rotary_dim=16), {"rope_theta": 10_000}),
    (lambda x, positions: pe.rope(x, positions, attention_factor=1.2), {}),
    (lambda x, positions: pe.rope(np.float32(x), positions), {}),
    (lambda x, positions: pe.bfloat16(pe.rope(x, positions)), {}),
    (lambda positions, d_model: pe.bfloat16(pe.sinusoidal(positions, d_model)), {}),
    (bfloat16_cosines, {"rope_theta": 10_000}),
    (lambda x, positions: np.float16(pe.rope(np.float16(x), positions)), {"dims": 32}),
    (lambda height, width, d_model: pe.bfloat16(pe.sinusoidal_2d(height, width, d_model)), {}),
    (lambda q_len, k_len: window(pe.alibi(8, q_len, k_len), 8), {}),
    (lambda q_len, k_len: window(pe.t5_bias(np.ones((32, 1)), q_len, k_len) * pe.alibi(1, q_len, k_len), 16), {}),
    (learned_plane, {}),
    (lambda height, width, d_model: np.zeros((height * width, d_model)), {}),
    (lambda x, positions: pe.rope(x, -positions), {}),
    (lambda vector, at: pe.rope(vector, at), {"kind": "rotary"}),
    (lambda q, k, positions: (pe.rope(q, positions), pe.rope(k, positions)), {"dims": 128}),
    (lambda q, k: (pe.rope(q, start_pos=len(k) - len(q)), pe.rope(k)), {}),
    (lambda x, positions: pe.rope(x, positions), {"heads": 3}),
    (lambda positions, d_model: pe.sinusoidal(positions, d_model, layout="concatenated"), {}),
    (lambda seq_len, d_model: pe.sinusoidal(seq_len, d_model), {}),
    (lambda positions, d_model: np.random.default_rng(0).normal(size=(10_000, d_model))[positions], {}),
    (functools.partial(pe.alibi, 8), {}),
    (lambda q_len, k_len: pe.alibi(12, q_len, k_len, causal=True), {}),
    (lambda q_len, k_len: pe.alibi_slopes(8)[:, None, None] * np.arange(k_len), {}),  # broadcasts over queries
    (lambda q_len, k_len: pe.t5_bias(np.random.default_rng(0).normal(size=(32, 8)), q_len, k_len), {}),
    (lambda height, width, d_model: pe.sinusoidal_2d(height, width, d_model, order="xy"), {}),
    (lambda x, height, width: pe.rope_2d(x, height, width, frequencies="alternate"), {}),
]


@pytest.mark.parametrize("name", NAMED)
def test_the_fault_of_every_case_is_named(name):
    found = pe.diagnose(name)
    assert (found.first, NAMED[name][1] in found.points_to) == (NAMED[name][0], True)
    assert found.points_to.split(".")[0] in " ".join(repr(found).split())


@pytest.mark.parametrize("name", [*ENCODINGS, *Shipped(), "sinusoidal_2d", "rope_2d"])
def test_every_right_encoding_passes(name):
    found = pe.diagnose(name)
    assert found.first is None, found
    assert found.points_to == ""
    assert "No test fails." in repr(found)


def test_what_meets_no_queries_is_refused_in_words():
    assert {"sinusoidal_2d", "rope_2d"} | {n for n, one in ELSEWHERE.items() if not one.in_attention} == set(ELSEWHERE)
    for name in ("mrope", "fourier"):
        with pytest.raises(ValueError, match=f"mine must say what happens to queries and keys, which {name} does not"):
            pe.diagnose(name)


@pytest.mark.parametrize(("function", "how", "first", "word"), WRONG)
def test_a_readers_own_fault_is_named(function, how, first, word):
    found = pe.diagnose(function, **how)
    assert (found.first, word in found.points_to) == (first, True), found


@pytest.mark.parametrize(("function", "how"), RIGHT)
def test_a_readers_own_right_encoding_passes(function, how):
    assert pe.diagnose(function, **how).first is None, pe.diagnose(function, **how)


@pytest.mark.parametrize("values", [{"layout": "concatenated"}, {"d_model": 2}, {"base": 10.0}, {"d_model": 512}])
def test_sinusoidal_passes_at_other_values(values):
    assert pe.diagnose(ENCODINGS["sinusoidal"].at(**values)).first is None


@pytest.mark.parametrize("kind", ["default", "linear", "ntk", "dynamic", "yarn", "llama3"])
def test_rope_passes_with_every_scaling_and_says_when_it_is_no_bases(kind):
    found = pe.diagnose(KNOWN["rope"].at(rope_type=kind, factor=8, trained=2048))
    assert found.first is None
    assert ("frequencies of base" in found.measured) == (kind in ("default", "ntk", "dynamic"))


def test_what_no_picture_shows_is_said_each_time_and_measured_where_it_can_be():
    found = pe.diagnose(over_the_head)  # reserve 24
    assert found.first is None
    assert "32 of 64 dims turn" in found.measured
    assert "base 100, or of base 10,000 with the exponent over all 64" in found.measured
    other = pe.diagnose(lambda x, positions: pe.rope(x, positions, pairing="half"))  # the checkpoint's? nobody knows
    assert (other.first, "pairing half" in other.measured) == (None, True)
    for each, said in ((found, True), (other, True), (pe.diagnose("alibi"), False), (pe.diagnose("case_1"), False)):
        assert each.unseen == (OTHERS if each.title == "ALiBi, bias" else UNSEEN)
        assert ("No picture shows a wrong base" in repr(each)) == said
    assert OTHERS in repr(pe.diagnose("t5"))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (pe.sinusoidal, "Measured: frequencies of base 10,000."),
        (lambda positions, d_model: pe.sinusoidal(positions, d_model, layout="concatenated"), "of base 10,000."),
        (sign_lost, "as where the exponent has lost its sign."),
        (lambda x, positions: pe.rope(x, 2 * np.pi * positions), "or turn by more than half a turn a step."),
        (doubled_in_both, "of base 100,000,000, or of base 10,000 with the exponent doubled."),
        (bfloat16_cosines, "frequencies of base 10,000 within rounding"),
        (sines_for_cosines, "64 of 64 dims turn, pairing half; frequencies of base 10,000."),
        (
            lambda x, positions: pe.rope(x, positions)[:, np.r_[0:64:2, 1:64:2]],
            "pairing interleaved; frequencies of base 10,",
        ),
        (eight_heads, "frequencies of base 10,000, 8 times over: 8 heads side by side."),
        (lambda x, positions: pe.rope(x, np.radians(positions)), "0.01745 times those of base 10,000 (π/180: degrees"),
        (lambda x, positions: pe.rope(x, positions / 4), "are 0.25 times those of base 10,000."),
        (
            lambda positions, d_model: np.hstack(
                [f(np.outer(positions, 10_000.0 ** -np.linspace(0, 1, d_model // 2))) for f in (np.sin, np.cos)]
            ),
            "or of base 10,000 with the exponent over d/2 − 1 pairs, as in tensor2tensor.",
        ),
        (lambda q, k, positions: (pe.rope(q, positions + 1), pe.rope(k, positions)), "frequencies of base 10,000."),
        (lambda q_len, k_len: pe.alibi(8, q_len, k_len), "straight lines, of slope 0.5 to 0.00391 in 8 heads."),
        (lambda q_len, k_len: pe.alibi(8, q_len, k_len)[0], "straight lines, of slope 0.5."),
        (lambda x, positions: pe.rope(x, positions, base=30_528.0), "frequencies of base 30,530."),
        (rounded_cosines, "frequencies of base 10,000 within rounding."),
        (
            lambda x, positions: pe.rope(x, positions, inv_freq=pe.bfloat16(pe.inv_freq(64)).astype(float)),
            "θ looks rounded, by up to 0.4%.",
        ),
        (lambda q, k, positions: (pe.rope(q, positions), pe.rope(k, positions + 1)), "A key is turned 1 place further"),
        (lambda q, k, positions: (pe.rope(q, positions + 2), pe.rope(k, positions)), "A query is turned 2 places"),
    ],
)
def test_frequencies_are_told_as_they_are_and_rounding_as_rounding(function, said):
    found = pe.diagnose(function)
    assert (found.first, said in found.measured) == (None, True), found
    assert found.title.startswith(f"{function.__name__}, ")


def test_an_encoder_whose_later_keys_share_a_bucket_is_told_and_not_condemned():
    """Reserve 29: the same numbers are right in a decoder."""
    for both, told in ((False, True), (True, False)):
        found = pe.diagnose(ENCODINGS["t5"].at(bidirectional=both))
        assert (found.first, "bidirectional=False" in found[DIAGONALS].seen) == (None, told)


def test_what_was_never_promised_is_no_fault():
    integer = pe.diagnose("integer")
    assert [test.verdict for test in integer.tests] == ["–", "–", "holds", "–", "holds"]
    assert "no fault" in integer[DIAGONALS].seen
    assert "it adds nothing" in pe.diagnose("no_position")[DIAGONALS].seen
    assert (
        "depends on the length"
        in pe.diagnose(
            lambda positions, d_model: (
                np.ones((len(positions), 1)) * positions[:, None] / len(positions) * np.ones(d_model)
            )
        )[CACHED].seen
    )
    for rows in (64, 300, 512):
        seen = pe.diagnose(np.random.default_rng(0).normal(size=(rows, 8)))[BEYOND].seen
        assert f"it ends at {rows} (IndexError" in seen
    assert "no fault in sines without their cosines" in pe.diagnose(sines)[DIAGONALS].seen
    off = pe.diagnose(lambda q_len, k_len: -np.abs(pe.relative_offsets(q_len, k_len) + 1)[None])
    assert "each head gives most to the key 1 back" in off[FALLS].seen
    grown = pe.diagnose(lambda positions, d_model: np.tile(np.linspace(0, 1, len(positions)), (d_model, 1)).T)
    assert "depends on" in grown[CACHED].seen
    bias = pe.diagnose(lambda q_len, k_len: np.random.default_rng(0).normal(size=(1, 512, 512))[:, -q_len:, -k_len:])
    assert (bias.first, "FIRE or CoPE" in bias[DIAGONALS].seen) == (None, True)


def test_a_table_that_ends_is_not_called_wrong_but_its_end_is_told():
    found = pe.diagnose(lambda x, positions: pe.apply_rope(x, pe.freqs_cis(2048, 64)[positions]))
    assert (found.first, found[BEYOND].verdict) == (None, "–")
    assert "IndexError" in found[BEYOND].seen


@pytest.mark.parametrize(
    ("mine", "how", "error", "words"),
    [
        ("ropes", {}, ValueError, "what must be a known name"),
        (
            "rope",
            {"kind": "turned"},
            ValueError,
            "kind must be one of 'additive', 'rotary', 'bias', 'plane', got 'turned'",
        ),
        ("rope", {"dims": 3}, ValueError, "dims must be even, got 3"),
        ("rope", {"rope_theta": 1}, ValueError, "rope_theta must be greater than 1, got 1"),
        (lambda x, positions: x, {"heads": 0}, ValueError, "heads must be at least 1, got 0"),
        (lambda x, positions: x[..., :1], {}, ValueError, r"mine must take x of shape \(n, 64\).*returned shape"),
        (
            lambda x, positions: x[:, :32],
            {},
            ValueError,
            r"mine must return x turned, of shape \(2, 48, 64\), got \(2, 32",
        ),
        (lambda x, y, z, w: x, {}, ValueError, r"mine must be f\(positions, d_model\), .*, got f\(x, y, z, w\)"),
        (lambda x, positions: 1 / 0, {}, ValueError, "mine must take x of shape .*ZeroDivisionError"),
        (lambda x, positions: x * np.nan, {}, ValueError, "what <lambda> returns must be finite, got nan"),
        (lambda q_len, k_len: np.ones((3, 3)), {}, ValueError, r"mine must return an array of shape \(heads, 48, 48\)"),
        (lambda vector, at: pe.rope(vector, at), {}, ValueError, "say kind='rotary', 'bias' or 'plane'"),
        (3, {}, TypeError, "what must be an encoding's name, a function"),
        (lambda q, k, positions: (pe.rope(q, positions),) * 2, {}, ValueError, "each from its own argument"),
        (lambda x, positions: 0 * x, {}, ValueError, "each from its own argument"),
        (dict, {}, TypeError, r"mine must be an object or a function, got the class dict: give dict\(…\)"),
        (lambda table: table, {}, TypeError, r"diagnose takes f\(positions, d_model\), f\(x, positions\)"),
        (lambda x, positions: x.float(), {}, ValueError, r"PyTorch needs torch.as_tensor\(x\)"),
        (
            lambda height, width, d_model: np.zeros((height * width + 1, d_model)),
            {},
            ValueError,
            "a row for each of 3 × 4 patches, none for a class token, got 13 rows",
        ),
    ],
)
def test_wrong_calls_are_met_in_words(mine, how, error, words):
    with pytest.raises(error, match=words):
        pe.diagnose(mine, **how)


def test_a_test_that_it_does_not_have_is_refused_in_words():
    with pytest.raises(ValueError, match=r"test must be one of 'constant diagonals'.*got 'norms'"):
        pe.diagnose("rope")["norms"]
