"""Positions in, arrays out: pure functions of NumPy.

Arguments of one name mean the same in every function, and `validate.RULES` has their rules:

    positions               an int n for 0 … n − 1, or numbers within ±2**53,
                            shape (seq_len,) or (batch, seq_len)
    offset                  key − query, in positions; below 0 for earlier keys
    d_model, dim, head_dim  the number of dims of a token, of a table, of a head;
                            even where dims come in pairs
    rotary_dim              how many leading dims of a head turn, even; the rest stay,
                            None means all
    base                    θ_i = base^(−2i/dim), between 1e-100 and 1e100; see `inv_freq`
    inv_freq                θ itself, shape (dim/2,), in radians per position,
                            where it is not that of a base
    attention_factor        what the turned dims are multiplied by, above 0; see `rope_scaling`
    pairing                 which dims turn together: "interleaved" (0, 1), (2, 3), …
                            or "half" (0, d/2), …
    layout                  "interleaved" (sin, cos, sin, cos, …)
                            or "concatenated" (all sines, then all cosines)
    order                   which axis of a picture comes first: "yx" the row, "xy" the column
    q, k, v                 queries (..., q_len, d), keys (..., k_len, d), values (..., k_len, d_v)
    q_len, k_len            how many queries and keys; None means as many keys as queries; the last
                            query is at the last key, so with a cache of earlier keys k_len
                            exceeds q_len
    dtype                   float64, float32 or float16; all is computed in float64
                            and rounded once

Data may hold NaN and infinity, which pass through as in NumPy. Whatever breaks a rule raises a
TypeError (of the wrong kind) or a ValueError (out of range, or shapes that do not fit together),
which names the argument and its value.
"""
