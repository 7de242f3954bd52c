"""The best head by position: beside a loss that goes row by row."""

import math

import numpy as np
import pytest

import posenc_lib as pe

ROPE = {"head_dim": 8, "base": 100.0}


def phi(name: str, i: int, j: int, n: int) -> np.ndarray:
    """Return what the score of query i and key j is made of, by formulas of their own."""
    back = i - j
    if name == "rope":
        theta = 100.0 ** (-np.arange(4) / 4)
        return np.concatenate([np.cos(back * theta), np.sin(back * theta)])
    if name == "alibi":
        return np.array([-1.0 * back])
    if name == "shaw":
        return np.eye(2 * 4 + 1)[4 - min(max(back, 0), 4)]
    if name == "t5":
        return np.eye(8)[pe.t5_bucket(-back, bidirectional=False, num_buckets=8, max_distance=16)]
    table = pe.sinusoidal(n, 4, base=100.0)
    return np.outer(table[i], table[j]).ravel()


def gradient(w: np.ndarray, given: np.ndarray, k: int, ridge: float) -> np.ndarray:
    """Return the gradient of the loss, row by row; given has shape (n, n, features)."""
    total, n = ridge * w, len(given)
    for i in range(k, n):
        rows = given[i, : i + 1]
        p = np.exp(rows @ w - (rows @ w).max())
        total = total + (p @ rows / p.sum() - rows[i - k]) / (n - k)
    return total


PARAMETERS = {
    "rope": ROPE,
    "alibi": {},
    "shaw": {"clip": 4},
    "t5": {"num_buckets": 8, "max_distance": 16, "bidirectional": False},
    "sinusoidal": {"d_model": 4, "base": 100.0},
}


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize(("k", "n", "ridge"), [(3, 12, 1e-3), (5, 16, 1e-1)])
def test_nothing_is_better(name, k, n, ridge):
    head = pe.exact_head(name, look_back=k, seq_len=n, ridge=ridge, **PARAMETERS[name])
    given = np.array([[phi(name, i, j, n) for j in range(n)] for i in range(n)])
    w = head.weights.ravel()
    # with a ridge, the best w is no farther away than the gradient is long, divided by the ridge
    assert np.linalg.norm(gradient(w, given, k, ridge)) / ridge < 1e-8
    scores = given[-1] @ w
    np.testing.assert_allclose(head.score(n)[::-1], scores, atol=1e-12)
    seen = np.exp(scores - scores.max())
    np.testing.assert_allclose(head.attention(n), seen / seen.sum(), atol=1e-12)
    assert head.mass(n) == pytest.approx(seen[n - 1 - k] / seen.sum(), abs=1e-12)


def test_anywhere_is_a_ridge_regression():
    head = pe.exact_head("rope", look_back="anywhere", seq_len=20, ridge=0.01, **ROPE)
    given = np.array([phi("rope", i, 0, 20) for i in range(20)])
    rows = np.vstack([given / math.sqrt(20), math.sqrt(0.01) * np.eye(8)])
    w = np.linalg.lstsq(rows, np.concatenate([np.ones(20) / math.sqrt(20), np.zeros(8)]), rcond=None)[0]
    np.testing.assert_allclose(head.weights, w, atol=1e-10)
    np.testing.assert_allclose(head.score(80), [phi("rope", i, 0, 80) @ w for i in range(80)], atol=1e-10)
    slow = pe.inv_freq(8, 100.0) / 4  # as linear scaling runs it on longer texts
    np.testing.assert_allclose(head.score(77, slow)[::4], head.score(20), atol=1e-10)


def test_a_table_that_ends_says_so():
    head = pe.exact_head("learned", look_back=1, seq_len=8, d_model=16, num_positions=8, ridge=1e-9)
    assert head.mass(8) > 0.9
    with pytest.raises(ValueError, match="length must be at most 8, where the table ends, got 9"):
        head.mass(9)


HEAD = pe.exact_head("rope", look_back=3, seq_len=8, **ROPE)
BAD = [
    (lambda: pe.exact_head("rop", look_back=1, seq_len=8), "encoding must be a known name"),
    (lambda: pe.exact_head(3, look_back=1, seq_len=8), "encoding must be a name or an encoding object, got 3"),
    (lambda: pe.exact_head("rope", look_back=8, seq_len=8), "look_back must be at most 7, got 8"),
    (lambda: pe.exact_head("rope", look_back="near", seq_len=8), "look_back must be a number of tokens or"),
    (lambda: pe.exact_head("sine", look_back="anywhere", seq_len=8), "look_back must be a number for a table"),
    (lambda: pe.exact_head("rope", look_back=1, seq_len=8, ridge=0), "ridge must be greater than 0, got 0"),
    (lambda: pe.exact_head("transformer_xl", look_back=1, seq_len=8), "encoding must have scores that a head"),
    (lambda: pe.exact_head("rope", look_back=1, seq_len=8, heads=2), "rope has no parameter 'heads'"),
    (lambda: HEAD.mass(3), "length must be greater than look_back, 3, got 3"),
    (lambda: HEAD.score(9, [1.0]), "inv_freq must have 4 entries, got 1"),
    (lambda: pe.exact_head("t5", look_back=1, seq_len=8).score(9, [1.0]), "inv_freq must be None for an"),
    (lambda: pe.exact_head("rope", look_back="anywhere", seq_len=8).mass(9), "look_back must be a number"),
]


def test_what_cannot_be_is_told():
    for call, words in BAD:
        with pytest.raises((TypeError, ValueError)) as told:
            call()
        assert words in str(told.value)
