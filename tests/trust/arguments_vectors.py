"""The functions that are given vectors or numbers: what they take, and what their docstrings promise."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from tests.trust.arguments import EXACT, Choice, Flag, Positions, Real, Whole
from tests.trust.arguments_arrays import Array, Hands, Rows
from tests.trust.arguments_table import (
    BASE,
    COUNT,
    EVEN,
    FLOAT,
    INT,
    KEYS,
    TURNED,
    Function,
    at_least,
    keys,
    some,
    within,
)

ONES, KEY = np.ones((3, 4)), np.ones((4, 4))
TABLE = Array(axes="s d")
Q, K = Array(axes="... q d", limit=1e70), Array(axes="... k d", limit=1e70)
BIAS = Array(axes="... q k", limit=1e140, mask=True, optional=True, broadcasts=True)
ABOVE_Q = {"d": some(1), "k": at_least("q")}
PAIRING = Choice(options=("interleaved", "half"))
HEADS = Whole(high=4, grows=False)
FAR = Whole(high=64, least=lambda a: _own(a) + 1, grows=False)
AXIS = Whole(low=None, least=lambda a: -a.scores.ndim, most=lambda a: a.scores.ndim - 1, grows=False)


def turnable(axes: str, **more) -> Array:
    """Return an array that may be turned: its numbers may grow by √2."""
    return Array(axes=axes, ratio=0.25, **more)


def float_of(x) -> np.dtype:
    """Return the dtype that a turned x has."""
    dtype = x.dtype.newbyteorder("=")
    return dtype if dtype in (np.float16, np.float32) else np.dtype(float)


def odd(a, n) -> st.SearchStrategy:
    """Return an odd number of rows."""
    return st.integers(0, 3).map(lambda c: 2 * c + 1)


def _own(a) -> int:
    """Return how many distances have a bucket of their own."""
    buckets = a.num_buckets if hasattr(a, "num_buckets") else len(a.weights)
    return (buckets // 2 if a.bidirectional else buckets) // 2


def _even_unless_turned(a, n):
    """Return numbers of dims of a head: even ones, or any that has room for those that turn."""
    return some(2, 8, 2)(a, n) if a.rotary_dim is None else st.integers(a.rotary_dim, 9)


def _rows_of_heads(a, n):
    return _even_unless_turned(a, n).map(lambda dims: a.num_heads * dims)


def _leads(*arrays) -> tuple:
    return np.broadcast_shapes(*(np.shape(x)[:-2] for x in arrays if x is not None))


def _buckets(a, n):
    return some(4, 12, 2)(a, n) if a.bidirectional else some(2, 9)(a, n)


def _past_or_both(a, n):
    return st.sampled_from([n.k, n.k + max(n.q - 1, 0)])


RECORDS = {
    "apply_rope": Function(
        {"x": turnable("... s h", unchecked=True), "hands": Hands(axes="s r", unchecked=True), "pairing": PAIRING},
        lambda a, n: [(a.x.shape, float_of(a.x))],
        {"x": ONES, "hands": ONES[:, :2] * 1j, "pairing": "half"},
        sizes={"s": some(0, 40), "h": some(2, 9), "r": lambda a, n: st.integers(1, n.h // 2)},
        clashes=(({"hands": ONES * 1j}, "hands"), ({"hands": ONES[:, :0] * 1j}, "hands")),
    ),
    "attention": Function(
        {
            **{"causal": Flag(), "q": Q, "k": K, "v": Array(axes="... k e"), "scores": BIAS, "bias": BIAS},
            "scale": Real(values=st.floats(1e-3, 10) | st.integers(1, 3), optional=True),
        },
        lambda a, n: [
            ((*n.lead, n.q, n.e), FLOAT),
            ((*_leads(a.q, a.k, a.scores, a.bias), n.q, n.k), FLOAT),
        ],
        {"q": ONES, "k": KEY, "v": KEY, "scores": ONES, "scale": None, "bias": ONES, "causal": False},
        sizes={"d": some(1), "k": lambda a, n: at_least("q", 1)(a, n) if a.causal else some(1)(a, n)},
        promise=lambda r, a, n: within(0, 1)(r[1], a, n),
        clashes=(({"q": np.ones((5, 4)), "causal": True}, "q"),),
    ),
    "bfloat16": Function(
        {"x": Array(axes=None, limit=3e38)}, lambda a, n: [(np.shape(a.x), np.dtype(np.float32))], {"x": ONES}
    ),
    "closest_pair": Function(
        {"table": TABLE},
        lambda a, n: [((), INT), ((), INT), ((), FLOAT)],
        {"table": ONES},
        sizes={"s": some(2)},
        promise=lambda r, a, n: 0 <= r[0] < r[1] < len(a.table) and r[2] >= 0,
        clashes=(({"table": ONES[:1]}, "table"), ({"table": ONES[:0]}, "table")),
    ),
    "convert_pairing": Function(
        {"num_heads": HEADS, "rotary_dim": TURNED, "attention_weights": Rows(axes="m d"), "to": PAIRING},
        lambda a, n: [(a.weights.shape, a.weights.dtype)],
        {"num_heads": 1, "rotary_dim": None, "attention_weights": KEY, "to": "half"},
        sizes={"m": _rows_of_heads},
        clashes=(({"num_heads": 3}, "attention_weights"), ({"num_heads": 4}, "head_dim"), ({"rotary_dim": 6}, "rotary_dim")),
    ),
    "dot_product_curve": Function(
        {"table": TABLE, "query": Whole(low=0, most=lambda a: len(a.table) - 1, grows=False)},
        lambda a, n: [((n.s,), FLOAT)],
        {"table": ONES, "query": 1},
        sizes={"s": some(1)},
        clashes=(({"table": ONES[:0], "query": 0}, "table"),),
    ),
    "rope": Function(
        {
            **{"rotary_dim": TURNED, "x": turnable("... s h"), "base": BASE, "pairing": PAIRING},
            "positions": Positions(rows="s", optional=True),
        },
        lambda a, n: [(a.x.shape, float_of(a.x))],
        {"x": ONES, "positions": None, "base": 10.0, "pairing": "half", "rotary_dim": None},
        sizes={"s": some(0, 40), "h": _even_unless_turned},
        clashes=(({"positions": 4}, "positions"), ({"x": ONES[:, :3]}, "head_dim"), ({"rotary_dim": 6}, "rotary_dim")),
    ),
    "shaw_scores": Function(
        {"q": Array(axes="... q d"), "k": Array(axes="... k d"), "table": Array(axes="c d")},
        lambda a, n: [((*n.lead, n.q, n.k), FLOAT)],
        {"q": ONES, "k": KEY, "table": ONES},
        sizes=ABOVE_Q | {"c": odd},
        clashes=(({"table": KEY}, "table"), ({"table": KEY[:0]}, "table"), ({"q": np.ones((5, 4))}, "k")),
    ),
    "shaw_values": Function(
        {"attention_weights": Array(axes="... q k"), "table": Array(axes="c d")},
        lambda a, n: [((*n.lead, n.q, n.d), FLOAT)],
        {"attention_weights": ONES, "table": ONES},
        sizes={"k": at_least("q"), "c": odd},
        clashes=(({"table": KEY}, "table"), ({"attention_weights": ONES.T}, "attention_weights")),
    ),
    "similarity_matrix": Function({"table": TABLE}, lambda a, n: [((n.s, n.s), FLOAT)], {"table": ONES}),
    "sinusoidal_kernel": Function(
        {"offsets": Array(axes=None, limit=EXACT), "d_model": EVEN, "base": BASE},
        lambda a, n: [(np.shape(a.offsets), FLOAT)],
        {"offsets": ONES, "d_model": 4, "base": 10.0},
        promise=lambda r, a, n: within(-1, 1)(r / (a.d_model / 2), a, n),
    ),
    "softmax": Function(
        {"scores": Array(axes="... s", mask=True), "axis": AXIS},
        lambda a, n: [(np.shape(a.scores), FLOAT)],
        {"scores": ONES, "axis": -1},
        promise=within(0, 1),
        clashes=(({"scores": np.full((2, 3), -np.inf)}, "scores"),),
    ),
    "t5_bias": Function(
        {"bidirectional": Flag(), "attention_weights": Array(axes="b h"), "q_len": COUNT, "k_len": KEYS, "max_distance": FAR},
        lambda a, n: [((n.h, a.q_len, keys(a)), FLOAT)],
        {"bidirectional": True, "attention_weights": KEY, "q_len": 3, "k_len": None, "max_distance": 8},
        sizes={"b": _buckets, "h": some(1, 4)},
        clashes=(({"attention_weights": np.ones((5, 2))}, "attention_weights"), ({"attention_weights": KEY[:, :0]}, "attention_weights")),
    ),
    "t5_bucket": Function(
        {
            **{"bidirectional": Flag(), "num_buckets": replace(HEADS, low=4, high=64, even=True)},
            **{"max_distance": FAR, "offset": Array(axes=None, whole=True, limit=EXACT)},
        },
        lambda a, n: [(np.shape(a.offset), INT)],
        {"offset": ONES.astype(int), "bidirectional": True, "num_buckets": 8, "max_distance": 8},
        promise=lambda r, a, n: within(0, a.num_buckets - 1)(r, a, n),
    ),
    "transformer_xl_scores": Function(
        {
            **{"q": Array(axes="... q d"), "k": Array(axes="... k d"), "r": Array(axes="... r d")},
            **{"u": Array(axes="... d"), "v": Array(axes="... d")},
        },
        lambda a, n: [((*n.lead, n.q, n.k), FLOAT)],
        {"q": ONES, "k": KEY, "r": KEY, "u": ONES[0], "v": ONES[0]},
        sizes=ABOVE_Q | {"r": _past_or_both},
        gaps="−inf",
        clashes=(({"r": np.ones((5, 4))}, "r"), ({"q": np.ones((5, 4))}, "k")),
    ),
}
