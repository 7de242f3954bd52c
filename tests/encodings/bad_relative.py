"""Bad input for relative encodings and biases; see test_errors.py."""

import numpy as np

import posenc_lib as pe

X = np.ones((4, 8))
R, U = np.ones((4, 8)), np.ones(8)
NAN = float("nan")
HUGE = 10**13

CASES = [
    (lambda: pe.relative_offsets(-1), ValueError, "q_len must be at least 0, got -1"),
    (lambda: pe.relative_offsets(2.0), TypeError, "q_len must be a whole number (int), got 2.0 (float)"),
    (lambda: pe.relative_offsets(3, True), TypeError, "k_len must be a whole number (int), got True (bool)"),
    (lambda: pe.relative_offsets(3, 2), ValueError, "k_len must be at least q_len=3"),
    (lambda: pe.relative_offsets(10**8), ValueError, "q_len must give a result of at most"),
    (lambda: pe.shaw_scores(X, X[:, :4], R[:3]), ValueError, "q and k must have the same d, at least 1, got 8 and 4"),
    (
        lambda: pe.shaw_scores(X, X, R),
        ValueError,
        "table must have an odd number of rows, one per offset",
    ),
    (lambda: pe.shaw_scores(X, X, R[:3, :4]), ValueError, "table must have as many dims as q, 8, got 4"),
    (lambda: pe.shaw_scores(X, X, R[0]), ValueError, "table must have 2 axes, got shape (8,)"),
    (lambda: pe.shaw_scores(X, X[:2], R[:3]), ValueError, "k_len must be at least q_len=4"),
    (lambda: pe.shaw_scores(X * NAN, X, R[:3]), ValueError, "q must be finite, got nan"),
    (lambda: pe.shaw_scores("ab", X, R[:3]), TypeError, "q must hold real numbers, got 'ab'"),
    (lambda: pe.shaw_scores(np.ones((2, 4, 8)), np.ones((3, 4, 8)), R[:3]), ValueError, "q and k must agree in their"),
    (lambda: pe.shaw_values(X[0], R[:3]), ValueError, "weights must have at least 2 axes, got shape (8,)"),
    (
        lambda: pe.shaw_values(X, R[:2]),
        ValueError,
        "odd number of rows, one per offset −c … c, got 2",
    ),
    (lambda: pe.shaw_values(X.T, R[:3]), ValueError, "k_len must be at least q_len=8"),
    (lambda: pe.shaw_values(X, R[:3] * NAN), ValueError, "table must be finite, got nan"),
    (lambda: pe.transformer_xl_scores(X, X, R[:3], U, U), ValueError, "r must have 4 rows (the past) or 7"),
    (lambda: pe.transformer_xl_scores(X, X, R[:, :4], U, U), ValueError, "r must have as many dims as q, 8, got 4"),
    (lambda: pe.transformer_xl_scores(X, X, R, U[:3], U), ValueError, "u must have as many dims as q, 8, got 3"),
    (lambda: pe.transformer_xl_scores(X, X, R, U, [[1.0]]), ValueError, "v must have as many dims as q, 8, got 1"),
    (lambda: pe.transformer_xl_scores(X, X, R, 1.0, U), ValueError, "u must have at least 1 axis, got shape ()"),
    (lambda: pe.transformer_xl_scores(X, X[:2], R, U, U), ValueError, "k_len must be at least q_len=4"),
    (
        lambda: pe.transformer_xl_scores(np.ones((3, 4, 8)), X, R, np.ones((2, 8)), U),
        ValueError,
        "q, k, r, u and v must agree in their leading axes",
    ),
    (lambda: pe.t5_bucket(1.5), TypeError, "offset must hold whole numbers, got dtype float64"),
    (lambda: pe.t5_bucket("1"), TypeError, "offset must hold real numbers, got '1'"),
    (lambda: pe.t5_bucket(1, num_buckets=31), ValueError, "num_buckets must be even, half for each direction, got 31"),
    (lambda: pe.t5_bucket(1, num_buckets=2), ValueError, "num_buckets must be at least 4, got 2"),
    (
        lambda: pe.t5_bucket(1, num_buckets=1, bidirectional=False),
        ValueError,
        "num_buckets must be at least 2, got 1",
    ),
    (lambda: pe.t5_bucket(1, num_buckets=0), ValueError, "num_buckets must be at least 4, got 0"),
    (lambda: pe.t5_bucket(1, bidirectional=1), TypeError, "bidirectional must be True or False, got 1 (int)"),
    (
        lambda: pe.t5_bucket(1, max_distance=8),
        ValueError,
        "max_distance must be greater than the 8 distances that have a bucket of their own, got 8",
    ),
    (lambda: pe.t5_bucket(1, max_distance=128.0), TypeError, "max_distance must be a whole number (int), got 128.0"),
    (lambda: pe.t5_bucket(2**60), ValueError, "offset must lie within ±2**53, got 1152921504606846976"),
    (lambda: pe.t5_bias(np.ones(32), 4), ValueError, "weights must have 2 axes, got shape (32,)"),
    (lambda: pe.t5_bias(np.ones((32, 0)), 4), ValueError, "weights must have at least one head, got shape (32, 0)"),
    (lambda: pe.t5_bias(np.ones((31, 2)), 4), ValueError, "num_buckets must be even, half for each direction, got 31"),
    (lambda: pe.t5_bias(np.ones((32, 2)), 4, 3), ValueError, "k_len must be at least q_len=4"),
    (lambda: pe.t5_bias(np.ones((32, 2)), 4, max_distance=3), ValueError, "max_distance must be greater than the 8"),
    (lambda: pe.t5_bias(np.ones((32, 10**4)), 10**4), ValueError, "q_len must give a result of at most"),
    (lambda: pe.alibi_slopes(0), ValueError, "num_heads must be at least 1, got 0"),
    (lambda: pe.alibi_slopes(8.0), TypeError, "num_heads must be a whole number (int), got 8.0 (float)"),
    (lambda: pe.alibi_slopes(HUGE), ValueError, "num_heads must give a result of at most"),
    (lambda: pe.alibi(0, 4), ValueError, "num_heads must be at least 1, got 0"),
    (lambda: pe.alibi(True, 4), TypeError, "num_heads must be a whole number (int), got True (bool)"),
    (lambda: pe.alibi(8, -1), ValueError, "q_len must be at least 0, got -1"),
    (lambda: pe.alibi(8, 4, 2), ValueError, "k_len must be at least q_len=4"),
    (lambda: pe.alibi(8, 4, causal="yes"), TypeError, "causal must be True or False, got 'yes' (str)"),
    (lambda: pe.alibi(10**4, 10**4), ValueError, "num_heads must give a result of at most"),
    (lambda: pe.attention(X, X, X, scale=0), ValueError, "scale must be greater than 0, got 0"),
    (
        lambda: pe.attention(X, X, X, scores=np.ones((3, 4))),
        ValueError,
        "scores must broadcast to (..., 4, 4), got",
    ),
    (lambda: pe.attention(X, X, X, scores=X[:, :4] * NAN), ValueError, "scores must be finite or -inf, got nan"),
]
