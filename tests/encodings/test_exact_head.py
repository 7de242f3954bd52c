"""The best head by position, on a line and in a plane: against row-by-row losses and proofs."""

import math

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.exact_head import reads_positions
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.rope_2d import Rope2D
from posenc_lib.lessons.lesson_12.best_head import WISHES, exact_head_2d, wished

AXIAL, MIXED = Rope2D(), Rope2D(pairs="random", base=10.0, draw=2)
ROPE = {"head_dim": 8, "base": 100.0}
PARAMETERS = {
    "rope": ROPE,
    "alibi": {},
    "shaw": {"clip": 4},
    "t5": {"num_buckets": 8, "max_distance": 16, "bidirectional": False},
    "sinusoidal": {"d_model": 4, "base": 100.0},
}


def phi(name: str, i: int, j: int, n: int) -> np.ndarray:
    """Return what the score of query i and key j is made of, by formulas of their own."""
    back, table = i - j, pe.sinusoidal(n, 4, base=100.0)
    angles = back * 100.0 ** (-np.arange(4) / 4)
    return {
        "rope": np.append(np.cos(angles), np.sin(angles)),
        "alibi": np.array([-1.0 * back]),
        "shaw": np.eye(9)[4 - min(max(back, 0), 4)],
        "t5": np.eye(8)[pe.t5_bucket(-back, bidirectional=False, num_buckets=8, max_distance=16)],
        "sinusoidal": np.outer(table[i], table[j]).ravel(),
    }[name]


def phi_2d(directions, dy: int, dx: int) -> np.ndarray:
    """Return what the score of a patch so far down and right is made of, pair by pair."""
    angles = [dy * down + dx * right for down, right in np.transpose(directions)]
    return np.array([math.cos(a) for a in angles] + [math.sin(a) for a in angles])


def gradient(w: np.ndarray, rows: np.ndarray, aims) -> np.ndarray:
    """Return the gradient of one query's loss, the mean of those of its aims, without the ridge."""
    p = np.exp(rows @ w - (rows @ w).max())
    return p @ rows / p.sum() - np.mean(rows[aims], axis=0)


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize(("k", "n", "ridge"), [(3, 12, 1e-3), (5, 16, 1e-1)])
def test_nothing_is_better_on_a_line(name, k, n, ridge):
    head = pe.exact_head(name, look_back=k, seq_len=n, ridge=ridge, **PARAMETERS[name])
    given = np.array([[phi(name, i, j, n) for j in range(n)] for i in range(n)])
    w = head.weights.ravel()
    gradients = [gradient(w, given[i, : i + 1], [i - k]) for i in range(k, n)]
    left = ridge * w + np.mean(gradients, axis=0)
    # with a ridge, the best w is no farther away than the gradient is long, divided by the ridge
    assert np.linalg.norm(left) / ridge < 1e-8
    np.testing.assert_allclose(head.score(n)[::-1], given[-1] @ w, atol=1e-12)
    np.testing.assert_allclose(head.attention(n), pe.softmax(given[-1] @ w), atol=1e-12)
    assert head.mass(n) == pytest.approx(pe.softmax(given[-1] @ w)[n - 1 - k], abs=1e-12)


def test_a_readers_own_function_has_the_head_of_the_same_table():
    def mine(positions, d_model, base=10_000.0):
        return pe.sinusoidal(positions, d_model, base=base)

    how = {"look_back": 3, "seq_len": 24, "d_model": 8, "base": 100.0}
    own, ours = (pe.exact_head(encoding, **how) for encoding in (mine, "sinusoidal"))
    np.testing.assert_allclose(own.score(48), ours.score(48))


def test_each_head_of_a_bias_has_its_own_best_head():
    class Two(pe.Bias):
        def biases(self, offsets):
            return np.stack([-np.abs(offsets), -np.sqrt(np.abs(offsets))])

    lines = [pe.exact_head(Two, look_back=3, seq_len=24, head=head).score(24) for head in (0, 1)]
    for score, bent in zip(lines, (1, 0.5), strict=True):
        np.testing.assert_allclose(score / score[1], np.arange(24.0) ** bent)


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("directions", [AXIAL.directions, MIXED.directions], ids=["axial", "mixed"])
def test_nothing_is_better_in_a_plane(directions, wish):
    wish = wished(wish, 4)
    head = exact_head_2d(directions, wish)
    rows = np.array([phi_2d(directions, y - 4, x - 4) for y, x in np.ndindex(9, 9)])
    left = 1e-3 * head.weights + gradient(head.weights, rows, wish.ravel())
    assert np.linalg.norm(left) / 1e-3 < 1e-8
    seen = pe.softmax(rows @ head.weights).reshape(9, 9)
    np.testing.assert_allclose(head.attention, seen, atol=1e-12)
    assert (head.mass, head.chance) == pytest.approx((seen[wish].sum(), wish.sum() / 81), abs=1e-12)
    # the patch in the middle asks
    assert exact_head_2d(directions, np.eye(3, 5, dtype=bool)).query == (1, 2)


def test_anywhere_is_a_ridge_regression():
    head = pe.exact_head("rope", look_back="anywhere", seq_len=20, ridge=0.01, **ROPE)
    given = np.array([phi("rope", i, 0, 80) for i in range(80)])
    rows = np.vstack([given[:20] / math.sqrt(20), math.sqrt(0.01) * np.eye(8)])
    w = np.linalg.lstsq(rows, np.append(np.ones(20) / math.sqrt(20), np.zeros(8)), rcond=None)[0]
    np.testing.assert_allclose(head.weights, w, atol=1e-10)
    np.testing.assert_allclose(head.score(80), given @ w, atol=1e-10)
    slow = pe.inv_freq(8, 100.0) / 4  # as linear scaling runs it on longer texts
    np.testing.assert_allclose(head.score(77, slow)[::4], head.score(20), atol=1e-10)


def test_where_no_pair_looks_askew_the_best_head_for_a_diagonal_looks_everywhere():
    for wish in (wished("diagonal"), wished("anti-diagonal")):
        for pairs in ("axial", "alternate"):
            head = exact_head_2d(Rope2D(pairs=pairs).directions, wish)
            np.testing.assert_allclose(head.weights, 0, atol=1e-9)
            assert head.mass == pytest.approx(13 / 169, abs=1e-12)
        assert exact_head_2d(MIXED.directions, wish).mass > 0.7
    off = np.eye(14, k=6, dtype=bool)  # the diagonal of a query six columns off that of the picture
    axial, mixed = (exact_head_2d(one.directions, off, query=(0, 6)) for one in (AXIAL, MIXED))
    assert axial.chance == 8 / 196
    # at most 1/8: p and q are even over 8 columns and 8 rows
    assert axial.mass == pytest.approx(0.121, abs=5e-4)
    assert mixed.mass > 0.9


def line(encoding="rope", look_back=1, seq_len=8, **more):
    return pe.exact_head(encoding, look_back=look_back, seq_len=seq_len, **more)


def plane(**more):
    return exact_head_2d(**{"directions": Rope2D(head_dim=8).directions, "wish": RING} | more)


RING = wished("ring", 3)
ENDS = {"d_model": 16, "num_positions": 8, "ridge": 1e-9}
BAD = [
    (lambda: line("rop"), "encoding 'rop' is unknown"),
    (lambda: line(3), "encoding must be an encoding's name, a function"),
    (lambda: line(look_back=8), "look_back must be at most 7, got 8"),
    (lambda: line("sine", "anywhere"), "look_back must be a number for a table"),
    (lambda: line(ridge=0), "ridge must be positive, got 0"),
    (lambda: line("transformer_xl"), "encoding must have scores a head"),
    (lambda: line(look_back=3).mass(3), "length must be greater than look_back, 3, got 3"),
    (lambda: line("t5").score(9, [1.0]), "inv_freq must be None for an"),
    (lambda: line(look_back="anywhere").mass(9), "mass needs a head that looks back"),
    (lambda: line("alibi", head=9), "head must be at most 7, got 9"),
    (
        lambda: line("learned", **ENDS).mass(9),
        "length must be at most 8, where the table ends, got 9",
    ),
    (
        lambda: plane(wish=RING.astype(int)),
        "wish must hold True and False on 2 axes, at least one True, got an array",
    ),
    (
        lambda: plane(wish=RING[1:]),
        "a wish of shape (6, 7) has no middle patch, so say where the query is",
    ),
]


def test_what_cannot_be_is_told():
    assert line("learned", **ENDS).mass(8) > 0.9  # as long as there are rows
    for call, words in BAD:
        with pytest.raises((TypeError, ValueError)) as told:
            call()
        assert words in str(told.value)


class Still(pe.Rotary):
    """Parts of a rotary encoding that may be left out or be others than its frequencies say."""

    parameters = (
        *pe.Rotary.parameters,
        Parameter("keys", "how much keys turn", 1.0, 0, 2, scale="real"),
        Parameter("queries", "how much queries turn", 1.0, 0, 2, scale="real"),
        Parameter("path", "who is asked", "both", options=("both", "relate", "queries_and_keys")),
    )
    frequencies = property(lambda self: 100.0 ** (-np.arange(0, 16, 2) / 16))

    def relate(self, q, k):
        if self.path == "queries_and_keys":
            return super().relate(q, k)
        at = np.arange(len(q))
        return {"q": self.rotate(q, at * self.queries), "k": self.rotate(k, at * self.keys)}

    def queries_and_keys(self, positions):
        if self.path == "relate":
            return super().queries_and_keys(positions)
        at = np.arange(positions) if np.ndim(positions) == 0 else np.asarray(positions)
        q, k = self.content_at(at)
        return self.rotate(q, at * self.queries), self.rotate(k, at * self.keys)


PATHS = ("both", "relate", "queries_and_keys")
TURNS = [(path, q, k) for path in PATHS for q in (0.0, 0.5, 1.0, 2.0) for k in (0.0, 0.9, 1.0, 1.5)]


@pytest.mark.parametrize(("path", "queries", "keys"), TURNS)
def test_a_head_is_fitted_only_where_scores_are_those_of_the_frequencies(path, queries, keys):
    theta, at = 100.0 ** (-np.arange(0, 16, 2) / 16), np.arange(20)
    scores = 2 * np.cos(theta * (queries * at[:, None, None] - keys * at[None, :, None])).sum(-1)
    right = np.allclose(scores, 2 * np.cos(theta * (at[:, None] - at)[..., None]).sum(-1))
    own = Still(head_dim=16, path=path, queries=queries, keys=keys)
    assert reads_positions(own) == right
    if right:
        assert pe.exact_head(own, look_back=2, seq_len=20).mass(20) > 0.5
        return
    with pytest.raises(
        ValueError, match="encoding must rotate queries and keys by its frequencies"
    ):
        pe.exact_head(own, look_back=2, seq_len=20)
