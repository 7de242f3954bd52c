"""Wrong calls that people make, in which several arguments do not fit: each its error, in words that say what to do."""

import numpy as np
import pytest

import posenc_lib as pe

X, U, HANDS = np.ones((4, 8)), np.ones(8), np.ones((4, 4), complex)
TALL, LONG = (np.broadcast_to(1.0, shape) for shape in ((10**7 + 1, 1), (10**6, 1)))

VALUES = [
    (lambda: pe.integer(10**5000, 4), "positions must be at most 2**53, got a whole number of 16610 bits"),
    (lambda: pe.angles(np.array([-(2**63), 2**62]), 4), "within ±2**53, got -9223372036854775808"),
    (lambda: pe.normalized(1, 2, endpoint=True), "seq_len must be at least 2 with endpoint=True, got 1"),
    (lambda: pe.binary(9, 3), "seq_len 9 does not fit in d_model=3 bits (at most 2**3 = 8)"),
    (lambda: pe.binary([8], 3), "position 8 does not fit in d_model=3 bits (at most 2**3 - 1 = 7)"),
    (lambda: pe.closest_pair([[1, 2]]), "table must have at least 2 rows, got shape (1, 2)"),
    (lambda: pe.freqs_cis(3, 8, inv_freq=[1.0, 0.1]), "inv_freq must have one entry for each of the 4"),
    (lambda: pe.sinusoidal_2d(3, 3, 6), "d_model must be a multiple of 4, for two axes have half of the dims"),
    # rotary embedding
    (lambda: pe.rope(X[:, :7]), "head_dim must be even, got 7"),
    (lambda: pe.rope(X, 3), "positions must have one entry for each of the 4 rows of x, got 3"),
    (lambda: pe.rope(X, [[0, 1, 2, 3]] * 2), "must have an entry for each text, the first axis of x, got 2 for"),
    (lambda: pe.rope(X[None], start_pos=[[1]]), "shape (seq_len,) or (batch, seq_len), got shape (1, 1, 4)"),
    (lambda: pe.rope(X, start_pos=2**53), "positions must lie within ±2**53, got 9007199254740996"),
    (lambda: pe.rope(X, inv_freq=[1, 2]), "inv_freq must have one entry for each of the 4 pairs, got 2"),
    (lambda: pe.rope(X, rotary_dim=10), "rotary_dim must be at most 8, got 10"),
    (lambda: pe.apply_rope(X, np.ones((4, 5), complex)), "0 < r ≤ head_dim, got (4, 8) and (4, 5)"),
    (lambda: pe.apply_rope(X, HANDS[:3]), "got (4, 8) and (3, 4)"),
    (lambda: pe.pairing_permutation(8, rotary_dim=10), "rotary_dim must be at most 8, got 10"),
    (lambda: pe.convert_pairing(X, 3), "weights must have rows that 3 heads can share equally, got 4"),
    (lambda: pe.convert_pairing(X[:2], 2), "head_dim must be at least 2, got 1"),
    (lambda: pe.convert_pairing(X, 1, rotary_dim=6), "rotary_dim must be at most 4, got 6"),
    (lambda: pe.attention_temperature([-1]), "positions must be at least 0, got -1"),
    # pictures and films
    (lambda: pe.resize_table(X, (2, 3), (4, 4)), "table must have a row for each of 2 × 3 patches, got 4"),
    (lambda: pe.resize_table(X, (2, 2), (4, 4), prefix=1), "2 × 2 patches and 1 before them, got 4"),
    (lambda: pe.rope_2d(X, 2, 3), "x must have a row for each of 2 × 3 patches, got 4"),
    (lambda: pe.rope_2d(X[:, :6], 2, 2), "head_dim must be a multiple of 4, for two axes have half of the"),
    (lambda: pe.rope_2d(X, 2, 2, frequencies=X), "frequencies must have shape (2, 4), two for each pair, got"),
    (lambda: pe.rope_2d(X, 2, 2, frequencies=[[np.nan] * 4] * 2), "frequencies must be finite, got nan"),
    (lambda: pe.rope_nd(X, X[:2, :4], sections=[2, 1]), "sections must have 4 pairs together, half of head_d"),
    (lambda: pe.rope_nd(X, X[:3, :4], sections=[2, 2]), "one row for each of 2 sections, got shape (3, 4)"),
    (lambda: pe.rope_nd(X, 4, sections=[2, 2]), "positions must have shape (axes, seq_len) or (axes, batch"),
    (lambda: pe.mrope_positions([5, -1]), "parts[1] must be at least 0, got -1"),
    (lambda: pe.mrope_positions([5, (0, 3)]), "parts[1] must be at least 1, got 0"),
    (lambda: pe.mrope_positions([(1, 2, 3, 4)]), "parts[0] must be a number of words, (rows, columns) or"),
    (lambda: pe.fourier_features(X, X[:, :3]), "frequencies must have a column for each of 8 coordinates, got 3"),
    (lambda: pe.timestep_embedding([5], 2), "downscale_freq_shift must be less than dim // 2, 1, got 1"),
    # attention and what is added in it
    (lambda: pe.softmax([-np.inf, -np.inf]), "scores must leave something to attend to, got a row of"),
    (lambda: pe.attention(X, X[:, :4], X), "q and k must have the same d_k, at least 1, got 8 and 4"),
    (lambda: pe.attention(X, X, X[:2]), "k and v must have the same number of rows, at least 1, got 4 and"),
    (lambda: pe.attention(X, X, X, scores=X[:3, :4]), "scores must broadcast to (..., 4, 4), got shape"),
    (lambda: pe.attention(X, X, X, mask=np.ones((4, 3), bool)), "mask must broadcast to (..., 4, 4), got"),
    (lambda: pe.attention(np.ones((3, 4, 8)), *np.ones((2, 2, 4, 8))), "q must have a multiple of the 2 heads of"),
    (lambda: pe.alibi(2, 3, positions=[0, 1]), "positions must have one entry for each of the 3 keys"),
    (lambda: pe.shaw_scores(X, X, X), "table must have an odd number of rows, one per offset −c … c"),
    (lambda: pe.shaw_scores(X, X, X[:3, :4]), "table must have as many dims as q, 8, got 4"),
    (lambda: pe.transformer_xl_scores(X, X, X[:3], U, U), "r must have 4 rows (the past) or 7 (past and"),
    (lambda: pe.transformer_xl_scores(X, X[:2], X, U, U), "k must have at least as many rows as q (the"),
    (lambda: pe.attention(X, X, X, bias=X[:, :2]), "bias must broadcast to (..., 4, 4), got shape (4, 2)"),
    (
        lambda: pe.t5_bucket([3], num_buckets=8, max_distance=2),
        "max_distance must be greater than the 2 distances that",
    ),
    (lambda: pe.t5_bucket([3], num_buckets=2**40), "num_buckets must be at most 65536, got 1099511627776"),
    (lambda: pe.t5_bias(np.ones((32, 0)), 4), "weights must have at least one head, got shape (32, 0)"),
    (lambda: pe.t5_bias(np.ones((31, 2)), 4), "num_buckets must be even, half for each direction, and at"),
    (lambda: pe.kerple([1.0], [1.0, 2.0], 3), "a and p must have one number for each head, got 1 and 2"),
    (lambda: pe.xpos(X, X[:, :6]), "q and k must have the same d, got 8 and 6"),
    (lambda: pe.cope(X, X, X), "pos_emb must have shape (..., 8, npos), npos at least 1, got (4, 8)"),
    # what is too much only together
    (lambda: pe.similarity_matrix(TALL), "table would make 10000001 × 10000001 numbers, 745,058 GiB; "),
    (lambda: pe.attention(LONG, LONG, LONG), "q, k and v would make 1000000 × 1000000 numbers"),
    (
        lambda: pe.alibi(10**4, 10**4),
        "num_heads and q_len and k_len would make 10000 × 10000 × 10000",
    ),
]
TYPES = [
    (lambda: pe.attention(X, X, X, mask=1), "mask must hold True (may be seen)"),
    (lambda: pe.mrope_positions((24, 24)), "parts must be a list, as [5, (4, 6), 3], got (24, 24)"),
    (lambda: pe.mrope_positions([(2, 3.0)]), "parts[0] must be a whole number (int), got 3.0 (float)"),
    (lambda: pe.mrope_positions([5, "two"]), "parts[1] must be a whole number (int), got 'two' (str)"),
]


def refusal(call) -> str:
    """Return the error of a call and its words."""
    try:
        call()
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return "taken for good"


@pytest.mark.parametrize(("error", "calls"), [("ValueError", VALUES), ("TypeError", TYPES)])
def test_a_bad_call_gets_its_error_and_its_words(error, calls):
    told = {words: refusal(call) for call, words in calls}
    assert {words: x for words, x in told.items() if words not in x or not x.startswith(f"{error}: ")} == {}
