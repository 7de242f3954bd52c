"""Positions in, arrays out: pure NumPy functions.

An argument means the same in every function. `validate.RULES` checks these:

    positions               an int n for 0 … n − 1, or numbers up to ±2**53,
                            shape (seq_len,) or (batch, seq_len)
    offset                  key − query, in positions; negative for earlier keys
    d_model, dim, head_dim  number of dims of a token, a table, a head;
                            even if dims come in pairs
    rotary_dim              how many dims of a head rotate, even, from the first on;
                            None means all
    base                    θ_i = base^(−2i/dim), between 1e-100 and 1e100; see `inv_freq`
    inv_freq                θ itself, shape (dim/2,), in radians per position,
                            if it doesn't come from a base
    attention_factor        multiplies the rotated dims, positive; see `rope_scaling`
    pairing                 which dims rotate together: "interleaved" (0, 1), (2, 3), …
                            or "half" (0, d/2), …
    layout                  "interleaved" (sin, cos, sin, cos, …)
                            or "concatenated" (all sines, then all cosines)
    order                   which axis of an image comes first: "yx" the row, "xy" the column
    q, k, v                 queries (..., q_len, d), keys (..., k_len, d), values (..., k_len, d_v)
    q_len, k_len            number of queries and keys; None means the same number of keys.
                            The last query is at the last key, so with a cache of earlier
                            keys k_len is larger than q_len
    dtype                   float64, float32 or float16; computed in float64, rounded once

Data can contain NaN and infinity, which behave as in NumPy. Breaking a rule raises a TypeError
(wrong type) or a ValueError (out of range, or shapes that don't fit together). Both name the
argument and its value.
"""
