"""The functions that are told where words stand: what they take, and what their docstrings promise."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from posenc_lib.encodings.precision import PRECISIONS
from tests.trust.arguments import Choice, Dtype, Flag, Generator, Positions, Real, Whole
from tests.trust.arguments_table import (
    BASE,
    COUNT,
    DIMS,
    EVEN,
    FLOAT,
    INT,
    KEYS,
    PLACE,
    POS,
    TURNED,
    Function,
    bits,
    keys,
    rows,
    within,
)

SQUARE = Whole(low=2, even=True, large=1000)
LAYOUT = Choice(options=("interleaved", "concatenated"))


def _modulus(r, a, n):
    return np.allclose(np.abs(r), 1, rtol=0, atol=1e-14)


LARGEST = {"float16": 65504, "bfloat16": 3e38, "float32": 3.4e38}


def _wrong_or_unknown(r, a, n):
    """Errors are at most 2, and unknown only where a position, a frequency or an angle is beyond the largest number."""
    t = np.arange(rows(a)) if np.ndim(a.positions) == 0 else np.asarray(a.positions, float)
    fastest = max(1, float(a.base) ** (2 / a.head_dim - 1))
    reach = np.maximum(np.abs(t), 1) * fastest / LARGEST.get(a.precision, np.inf)
    unknown = np.isnan(r)
    return np.all(reach[unknown] > 0.99) and np.all(reach[~unknown] < 1.2) and np.all(r[~unknown] <= 2 + 1e-14)


def _table(*, dtype=lambda a: FLOAT, **more) -> Function:
    """Return the record of a table of positions."""
    arguments = {"positions": POS, "d_model": DIMS} | more.pop("arguments", {})
    example = {"positions": 5, "d_model": 4} | more.pop("example", {})
    return Function(arguments, lambda a, n: [((rows(a), a.d_model), dtype(a))], example, **more)


def _pairs(dtype, **more) -> Function:
    """Return the record of a table with a column for each pair of dims."""
    arguments, example = {"positions": POS, "dim": EVEN, "base": BASE}, {"positions": 5, "dim": 4, "base": 10.0}
    return Function(arguments, lambda a, n: [((rows(a), a.dim // 2), np.dtype(dtype))], example, **more)


def _by_pair(start: float, **more) -> Function:
    """Return the record of one number for each pair of dims."""
    shape = lambda a, n: [((a.dim // 2,), FLOAT)]  # noqa: E731
    promise = lambda r, a, n: r[0] == start  # noqa: E731
    return Function({"dim": EVEN, "base": BASE}, shape, {"dim": 4, "base": 10.0}, promise=promise, **more)


def _square(*names: str) -> Function:
    """Return the record of a matrix that belongs to one place."""
    arguments = dict(zip(names, (PLACE, SQUARE, BASE), strict=True))
    shape = lambda a, n: [((getattr(a, names[1]),) * 2, FLOAT)]  # noqa: E731
    return Function(arguments, shape, dict(zip(names, (1.5, 4, 10.0), strict=True)), promise=within(-1, 1))


RECORDS = {
    "alibi": Function(
        {"num_heads": DIMS, "q_len": COUNT, "k_len": KEYS, "causal": Flag()},
        lambda a, n: [((a.num_heads, a.q_len, keys(a)), FLOAT)],
        {"num_heads": 3, "q_len": 3, "k_len": None, "causal": False},
        gaps="−inf",
    ),
    "alibi_slopes": Function(
        {"num_heads": DIMS}, lambda a, n: [((a.num_heads,), FLOAT)], {"num_heads": 3}, promise=within(0, 1)
    ),
    "angles": _pairs(float),
    "binary": _table(
        dtype=lambda a: INT,
        arguments={"positions": Positions(whole=True), "d_model": Whole(least=bits)},
        example={"d_model": 3},
        promise=within(0, 1),
    ),
    "integer": _table(dtype=lambda a: INT if np.asarray(a.positions).dtype.kind in "iu" else FLOAT),
    "inv_freq": _by_pair(1.0),
    "learned": Function(
        {"num_positions": DIMS, "d_model": DIMS, "rng": Generator()},
        lambda a, n: [((a.num_positions, a.d_model), FLOAT)],
        {"num_positions": 3, "d_model": 4, "rng": np.random.default_rng(0)},
    ),
    "no_position": _table(promise=within(0, 0)),
    "normalized": Function(
        {"endpoint": Flag(), "seq_len": Whole(least=lambda a: 1 + a.endpoint), "d_model": DIMS},
        lambda a, n: [((a.seq_len, a.d_model), FLOAT)],
        {"endpoint": True, "seq_len": 5, "d_model": 4},
        promise=within(0, 1),
    ),
    "pairing_permutation": Function(
        {"rotary_dim": TURNED, "head_dim": Whole(low=2, even=True, least=lambda a: a.rotary_dim or 2)},
        lambda a, n: [((a.head_dim,), INT)],
        {"rotary_dim": None, "head_dim": 4},
        promise=lambda r, a, n: sorted(r) == list(range(a.head_dim)),
        clashes=(({"rotary_dim": 6}, "rotary_dim"),),
    ),
    "phasors": _pairs(complex, promise=_modulus, owner="angles"),
    "relative_offsets": Function(
        {"q_len": COUNT, "k_len": KEYS},
        lambda a, n: [((a.q_len, keys(a)), INT)],
        {"q_len": 3, "k_len": None},
    ),
    "rope_matrix": _square("position", "head_dim", "base"),
    "rotation_matrix": Function(
        {"angle": Real(values=st.floats(allow_nan=False, allow_infinity=False) | st.integers(), positive=False)},
        lambda a, n: [((2, 2), FLOAT)],
        {"angle": 1.0},
        promise=within(-1, 1),
    ),
    "shift_matrix": _square("offset", "d_model", "base"),
    "sine": _table(arguments={"base": replace(BASE, optional=True)}, example={"base": None}, promise=within(-1, 1)),
    "sinusoidal": _table(
        arguments={"d_model": EVEN, "base": BASE, "layout": LAYOUT, "dtype": Dtype()},
        example={"base": 10.0, "layout": "interleaved", "dtype": float},
        dtype=lambda a: np.dtype(a.dtype),
        promise=within(-1, 1),
    ),
    "sinusoidal_similarity": Function(
        {"seq_len": DIMS, "d_model": EVEN, "base": BASE},
        lambda a, n: [((a.seq_len, a.seq_len), FLOAT)],
        {"seq_len": 3, "d_model": 4, "base": 10.0},
        promise=lambda r, a, n: within(-a.d_model / 2, a.d_model / 2)(r / 1.0, a, n),
    ),
    "table_error": Function(
        {"positions": POS, "head_dim": EVEN, "base": BASE, "precision": Choice(options=PRECISIONS)},
        lambda a, n: [((rows(a),), FLOAT)],
        {"positions": 5, "head_dim": 4, "base": 10.0, "precision": "float32"},
        promise=_wrong_or_unknown,
        gaps="nan",
        owner="angles",
    ),
    "wavelengths": _by_pair(2 * np.pi, owner="inv_freq"),
}
