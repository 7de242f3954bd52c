"""The tests of what has no vectors of a text: biases, relative scores, and the patches of a picture."""

import numpy as np

from posenc_lib.clinic.probes import MASKED, SHORT, Added, Patches
from posenc_lib.clinic.vectors import (
    BEYOND,
    CACHED,
    DIAGONALS,
    FAILS,
    HOLDS,
    LINE,
    NARROW,
    NEAR,
    NORM,
    OPEN,
    RANDOM,
    RECTANGLE,
    SAME,
    Told,
    close,
    narrow,
    waves,
)

FALLS = "near before far"
LONG = 512  # positions


def of_bias(one: Added) -> list[Told]:
    """Test a bias, or relative scores, of keys that are not after their query."""
    full = one.matrix(SHORT, SHORT)
    if not np.array_equal(one.matrix(SHORT, SHORT), full, equal_nan=True):
        return [(DIAGONALS, FAILS, *RANDOM), (CACHED, OPEN, "", ""), LINE, (BEYOND, OPEN, "", "")]
    plain, level = by_distance(full), by_distance(full, level=True)
    if not np.nanmax(np.abs(level)):
        gone = "The bias never reaches the scores, or is the same for every key, which softmax does not see."
        return [(DIAGONALS, FAILS, "it adds the same to all keys of a query: the order is gone", gone)]
    steady = next((x for x in (plain, level) if varies(x) <= SAME), None)
    tests = [_by_offset(one, full, steady is plain, steady is level)]
    if one.kind == "bias":
        tests.append(_falls(level[:, -1]))
    tests += [_decoded(one, full), LINE]
    if steady is None:
        return [*tests, (BEYOND, OPEN, "it does not follow from the offset", "")]
    window, far = steady[:, :32, :32], by_distance(one.matrix(LONG, LONG), level=steady is level)[:, -32:, :32]
    if not alike(np.where(np.isnan(window), np.nan, far), window, NEAR):
        return [*tests, (BEYOND, FAILS, "other numbers for the same offsets", "It depends on the length of the text.")]
    return [*tests, (BEYOND, HOLDS, f"as at 0, up to position {LONG - 1}", "")]


def by_distance(matrix: np.ndarray, *, level: bool = False) -> np.ndarray:
    """Return what each query adds to the key that stands so many positions before it, NaN before the first one.

    Shape (heads, queries, distances); level: less what it adds to its own position, which softmax does not see.
    """
    n = matrix.shape[-1]
    key = np.arange(n)[:, None] - np.arange(n)
    found = np.where(key >= 0, np.take_along_axis(matrix, np.maximum(key, 0)[None], axis=-1), np.nan)
    return found - found[:, :, :1] if level else found


def varies(distances: np.ndarray) -> float:
    """Return how far what one distance gets differs from query to query, as a part of how far any two differ."""
    seen = np.where(distances < MASKED / 2, 0, distances)
    return float(np.nanmax(np.nanmax(seen, 1) - np.nanmin(seen, 1)) / max(np.nanmax(np.abs(seen)), 1e-300))


def alike(one: np.ndarray, other: np.ndarray, within: float = SAME) -> bool:
    """Return whether biases are alike, those that are masked among them."""
    masked = [np.nan_to_num(each) < MASKED / 2 for each in (one, other)]
    rest = [np.where(gone, 0, np.nan_to_num(each)) for gone, each in zip(masked, (one, other), strict=True)]
    return bool((masked[0] == masked[1]).all()) and close(*rest, within)


def _by_offset(one: Added, full: np.ndarray, plain: bool, level: bool) -> Told:
    if not plain and not level:
        seen = "not a function of the offset alone: no fault in FIRE or CoPE, but one in ALiBi or T5"
        return DIAGONALS, OPEN, seen, ""
    if level:
        return DIAGONALS, HOLDS, "up to a number for each query, which softmax does not see (slope·key)", ""
    later = full[:, 0, 1:] - full[:, 0, :1]
    what = "biases" if one.kind == "bias" else "scores of one query and one key everywhere"
    seen = f"{what} depend on the offset alone"
    if one.kind == "bias" and not later.any():
        seen += "; later keys all get what offset 0 gets: right in a decoder; in an encoder, T5's bidirectional=False"
    return DIAGONALS, HOLDS, seen, ""


def _falls(curves: np.ndarray) -> Told:
    steps = np.diff(curves, axis=1)
    if (steps <= 0).all():
        return FALLS, HOLDS, "the farther back a key, the less it gets", ""
    if (steps >= 0).all():
        why = "The sign: a penalty is taken away from the scores, not added; with it the newest key should win."
        return FALLS, FAILS, "the farther back a key, the more it gets: the oldest wins", why
    most = np.unique(curves.argmax(axis=1))
    told = f"; each head gives most to the key {most[0]} back" if len(most) == 1 and most[0] else ""
    return FALLS, OPEN, f"neither, as where it is learned{told}", ""


def slopes(one: Added) -> str:
    """Say how steep the heads are, where all of them are straight lines."""
    steps = np.diff(by_distance(one.matrix(SHORT, SHORT), level=True)[:, -1], axis=1)
    if not np.allclose(steps, steps[:, :1], rtol=NEAR, atol=0) or not steps.any():
        return ""
    told = [f"{-step:.3g}" for step in steps[[0, -1], 0]]
    return f"Measured: straight lines, of slope {told[0]}" + (
        f" to {told[1]} in {len(steps)} heads." if len(steps) > 1 else "."
    )


def _decoded(one: Added, full: np.ndarray) -> Told:
    n = full.shape[-1]
    try:
        row = one.matrix(1, n)[:, 0]
    except Exception as error:
        return CACHED, OPEN, f"one query with a cache raised {type(error).__name__}", ""
    if alike(row - row[:, -1:], full[:, -1] - full[:, -1, -1:]):
        return CACHED, HOLDS, "the last query alone gets what it got in the text", ""
    seen = "the last query alone gets other numbers than in the text"
    if not np.ptp(row, axis=1).any():
        return CACHED, FAILS, seen, "While decoding the bias is gone: made for one query, it is the same for all keys."
    if alike(row, full[:, 0]):
        return CACHED, FAILS, seen, "It is counted from position 0: a query beside a cache stands at the last key."
    return CACHED, FAILS, seen, "Look at where a single query stands."


def of_plane(one: Patches) -> list[Told]:
    """Test an encoding of patches on 3 × 4 of them, then on 4 × 3."""
    for height, width in ((3, 4), (4, 3), (2, 7)):
        queries, keys = one.table(height, width)
        scores = queries @ keys.T
        apart, other = in_plane(scores, height, width), in_plane(_turned(scores, height, width), height, width)
        same = NARROW if narrow(queries) else SAME
        if apart > same:
            break
    rest = [(name, OPEN, "", "") for name in (DIAGONALS, NORM, CACHED)]
    lengths = np.linalg.norm(queries, axis=1)
    if lengths.any() and np.ptp(lengths) <= same * lengths.max():
        rest[1] = NORM, HOLDS, f"{lengths.max():.2f} on every patch", ""
    told = _codes(one, queries, height, width)
    if not told and apart <= same and np.ptp(scores) and close(scores[width - 1, width], scores[0, 1], 1e-9):
        seen = "the last patch of a row is as near to the first of the next one as to its own neighbour"
        told = FAILS, seen, "Patches are numbered like words: one line of them, with no row and no column."
    if not told and apart <= same:
        told = HOLDS, "on 3 × 4, 4 × 3 and 2 × 7 patches scores depend on the steps down and across alone", ""
    if not told:
        seen = f"on {height} × {width} patches the same step has scores that differ by up to {apart:.0%} of their range"
        told = _uneven(seen, promised=one.kind == "rotary" or waves(queries[0]), transposed=other <= same)
    return [*rest, (RECTANGLE, *told), (BEYOND, OPEN, "", "")]


def _codes(one: Patches, queries: np.ndarray, height: int, width: int) -> tuple[str, str, str] | None:
    """Say what is wrong with the codes of patches themselves, if anything is."""
    if not np.array_equal(one.table(height, width)[0], queries):
        return FAILS, *RANDOM
    if not queries.any():
        return OPEN, "it adds nothing: no position at all", ""
    why = "An axis is missing, or the two are mixed up: each patch needs its row's code and its column's."
    shared = _shared(queries, width)
    return (FAILS, f"patches {shared} have one code", why) if shared else None


def _uneven(seen: str, *, promised: bool, transposed: bool) -> tuple[str, str, str]:
    """Say what it points to that the same step has other scores elsewhere."""
    if not promised:
        return OPEN, f"{seen}: no fault in a table that is not made of sines and cosines", ""
    why = "Codes do not belong to rows and columns of this picture: a table of another size, or not resized."
    if transposed:
        why = (
            "Rows and columns are numbered along the wrong side: patch n stands at (n // width, n % width), "
            "not at (n % height, n // height); meshgrid(indexing='ij') of (x, y), flattened, gives that."
        )
    return FAILS, seen, why


def _shared(rows: np.ndarray, width: int) -> str:
    """Return which two patches have the same code, if any have."""
    for n, row in enumerate(rows):
        same = np.flatnonzero((rows[n + 1 :] == row).all(axis=1))
        if len(same):
            return " and ".join(str(tuple(map(int, divmod(k, width)))) for k in (n, n + 1 + same[0]))
    return ""


def in_plane(scores: np.ndarray, height: int, width: int) -> float:
    """Return how far scores of the same step, down and across, lie apart, as a part of how far any two do."""
    y, x = np.divmod(np.arange(height * width), width)
    steps = (y - y[:, None]) * 4 * width + x - x[:, None]
    apart = max(float(np.ptp(scores[steps == step])) for step in np.unique(steps))
    return apart / max(float(np.ptp(scores)), 1e-300)


def _turned(scores: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return scores by what patches would be if they were numbered column by column."""
    order = np.arange(height * width).reshape(width, height).T.ravel()
    return scores[np.ix_(order, order)]
