"""The tests of what has no vectors of a text: biases, relative scores, and a picture's patches."""

import numpy as np

from posenc_lib.encodings.alibi import alibi_slopes
from posenc_lib.lessons.clinic.probes import (
    FAILS,
    HOLDS,
    OPEN,
    SAME,
    SHORT,
    Grid,
    Told,
    are_waves,
    close,
    runs,
)

LONG, WINDOW = 512, 32  # positions of a long text; those that are compared with its beginning


def of_bias(one: Grid) -> tuple[dict[str, Told], str]:
    """Test a bias, or relative scores, of keys up to the query; say how steep the heads are."""
    curves, whole = by_distance(one.of(SHORT, SHORT)), by_distance(one.of(LONG, LONG))
    told = {"constant diagonals": _by_offset(one, curves)}
    level = told["constant diagonals"][0] == HOLDS
    if one.kind == "bias":
        told["near before far"] = _falls((whole if level else curves)[:, -1])
    told["cached equals full"] = _decoded(one)
    if level:
        far = whole[:, -WINDOW:, :WINDOW]
        found = HOLDS, f"as at 0, up to position {LONG - 1}", ""
        if not close(far, np.broadcast_to(curves[:, -1:, :WINDOW], far.shape)):
            why = "It depends on the length of the text."
            found = FAILS, "other numbers for the same offsets", why
        told["beyond position 256"] = found
    return told, slopes(whole[:, -1])


def by_distance(matrix: np.ndarray) -> np.ndarray:
    """Return what each query adds to the key so many positions back, shape (heads, n, n).

    It is NaN before the first key.
    """
    n = matrix.shape[-1]
    key = np.arange(n)[:, None] - np.arange(n)
    found = np.take_along_axis(matrix, np.maximum(key, 0)[None], axis=-1)
    found = np.where(key >= 0, found, np.nan)
    return found - found[:, :, :1]  # softmax does not see a number that all keys of a query get


def slopes(curves: np.ndarray) -> str:
    """Say how steep heads are if all are straight lines, and how they differ from ALiBi's."""
    steps = np.diff(curves, axis=1)
    if not np.allclose(steps, steps[:, :1], rtol=SAME, atol=0) or not steps.any():
        return ""
    found = -np.mean(steps, axis=1)
    told = " to ".join(dict.fromkeys(f"{slope:.3g}" for slope in (found.max(), found.min())))
    compared = beside_alibi(found) if len(found) > 1 else ""
    return f"Measured: straight lines, of slope {told}{compared}."


def beside_alibi(found: np.ndarray) -> str:
    """Compare slopes with ALiBi's own for so many heads."""
    n, own = len(found), alibi_slopes(len(found))
    power, asked = 2 ** (n.bit_length() - 1), f"ALiBi's own are {own.max():.3g} to {own.min():.3g}"
    if np.allclose(found, found[0], rtol=SAME):
        return f" in all {n} heads; {asked}, another one for each"
    most = max(-np.log2(max(found[power - 1], 1e-30)), 0.1)  # the 8 of 2^(−8h/H)
    from_0 = own * 2 ** (np.where(np.arange(n) < power, 8, 4) / power)
    plain = 2.0 ** (-8 * np.arange(1, n + 1) / n)
    known = {
        "as ALiBi's": own,
        "ALiBi's in reverse order": own[::-1],
        "ALiBi's, heads counted from 0 and not from 1": from_0,
        f"ALiBi's of {n // 2} heads, twice": np.resize(alibi_slopes(n // 2), n),
        "the first half of ALiBi's, twice": np.resize(own[: n // 2], n),
        f"2^(−8h/{n}), which ALiBi has for 2, 4, 8, … heads only": plain,
        f"2^(−{most:.3g}h/H), where ALiBi has 2^(−8h/H)": alibi_slopes(n, max_bias=most),
        "ALiBi's in another order": np.sort(own)[np.argsort(np.argsort(found))],
    }
    times = {}
    for name, those in known.items():
        if np.allclose(found / those, found[0] / those[0], SAME):
            times[name] = found[0] / those[0]
    name = next((name for name in times if abs(times[name] - 1) < SAME), next(iter(times), ""))
    if not name:
        return f"; {asked}"
    if abs(times[name] - 1) < SAME:
        return f", {name}" if name == "as ALiBi's" else f": {name}; {asked}"
    dims = max(times[name], 1 / times[name]) ** 2
    root = ""
    if dims > 15:
        root = f", √{dims:.0f}: are scores divided by √d before it is added or after?"
    return f", {times[name]:.4g} times {name.removeprefix('as ')}{root}; {asked}"


def _by_offset(one: Grid, curves: np.ndarray) -> Told:
    if not np.nanmax(np.abs(curves)):
        why = (
            "The bias never reaches the scores, or is the same for every key, "
            "which softmax does not see."
        )
        return FAILS, "it adds the same to all keys of a query: the order is gone", why
    if np.nanmax(np.abs(curves - curves[:, -1:])) > SAME * np.nanmax(np.abs(curves)):
        seen = (
            "not a function of the offset alone: no fault in FIRE or CoPE, but one in ALiBi or T5"
        )
        return OPEN, seen, ""
    seen = f"{'biases' if one.kind == 'bias' else 'scores'} depend on the offset alone"
    if one.kind == "bias" and not np.ptp(one.of(SHORT, SHORT)[:, 0], axis=1).any():
        seen += (
            "; later keys all get what offset 0 gets: right in a decoder; "
            "in an encoder, T5's bidirectional=False"
        )
    elif one.kind == "bias":
        seen += _later(one.of(SHORT, SHORT)[:, SHORT // 2])
    return HOLDS, seen, ""


def _later(rows: np.ndarray) -> str:
    """Say which heads give later keys more than the key itself, where they fall behind it."""
    own, near = rows[:, SHORT // 2, None], SAME * np.nanmax(np.abs(np.diff(rows)), initial=0)
    behind = np.diff(rows[:, : SHORT // 2 + 1])
    falls = (behind >= 0).all(axis=1) & (behind > 0).any(axis=1)
    more = falls & (rows[:, SHORT // 2 + 1 :] > own + near).any(axis=1)
    if not more.any():
        return ""
    heads = "" if more.all() else f"in head {runs(np.flatnonzero(more))} of 0 to {len(more) - 1} "
    told = (
        "later keys get more than the key itself: right in a decoder (masked), wrong in an encoder"
    )
    return f"; {heads}{told}"


def _falls(curves: np.ndarray) -> Told:
    rises, falls = ((np.diff(sign * curves, axis=1) > 0).any(axis=1) for sign in (1, -1))
    if not (rises | falls).any():
        return OPEN, "the same for all keys", ""
    if not rises.any():
        return HOLDS, "the farther back a key, the less it gets", ""
    if (rises & falls).any():
        return OPEN, "falls in some places and rises in others, so there is nothing to judge", ""
    why = (
        "The sign: a penalty is taken away from the scores, not added; "
        "with it the newest key should win."
    )
    some = ""
    if falls.any():
        heads = ", ".join(map(str, np.flatnonzero(rises)))
        some = f"in head {heads} of 0 to {len(rises) - 1} "
    return FAILS, f"{some}the farther back a key, the more it gets: the oldest wins", why


def _decoded(one: Grid) -> Told:
    row, full = one.of(1, SHORT)[:, 0], one.of(SHORT, SHORT)[:, -1]
    if close(row - row[:, -1:], full - full[:, -1:]):
        return HOLDS, "the last query alone gets what it got in the text", ""
    why = (
        "It is counted from position 0, or from another: "
        "a query beside a cache stands at the last key."
    )
    if not np.ptp(row, axis=1).any():
        why = "While decoding the bias is gone: made for one query, it is the same for all keys."
    return FAILS, "the last query alone gets other numbers than in the text", why


def of_plane(one: Grid) -> dict[str, Told]:
    """Test an encoding of patches on pictures that are not square."""
    told = [_rectangle(one, height, width) for height, width in ((3, 4), (4, 3), (2, 7))]
    return {"a rectangle": next((each for each in told if each[0] != HOLDS), told[0])}


def _rectangle(one: Grid, height: int, width: int) -> Told:
    queries, keys = one.of(height, width)
    scores = queries @ keys.T
    apart = in_plane(scores, height, width)
    line = apart <= SAME and close(scores[width - 1, width], scores[0, 1], 1e-9)
    if line or len(np.unique(queries, axis=0)) < len(queries):
        why = (
            "Patches are numbered like words, or an axis is missing: "
            "each needs its row's code and its column's."
        )
        return FAILS, "rows cannot be told apart, or columns", why
    if apart <= SAME:
        seen = "on 3 × 4, 4 × 3 and 2 × 7 patches scores depend on the steps down and across alone"
        return HOLDS, seen, ""
    seen = (
        f"on {height} × {width} patches the same step has scores that differ by up to "
        f"{apart:.0%} of their range"
    )
    if one.kind != "rotary" and not are_waves(queries[0]):
        return OPEN, f"{seen}: no fault in a table that is not made of sines with their cosines", ""
    by_column = np.arange(height * width).reshape(width, height).T.ravel()
    why = (
        "Codes do not belong to rows and columns of this picture: "
        "a table of another size, or not resized."
    )
    if in_plane(scores[np.ix_(by_column, by_column)], height, width) <= SAME:
        why = (
            "Rows and columns are numbered along the wrong side: "
            "patch n stands at (n // width, n % width)."
        )
    return FAILS, seen, why


def in_plane(scores: np.ndarray, height: int, width: int) -> float:
    """Return how far scores of the same step lie apart, as a part of how far any two do.

    A step goes so many patches down and so many across.
    """
    y, x = np.divmod(np.arange(height * width), width)
    steps = (y - y[:, None]) * 4 * width + x - x[:, None]
    apart = max(np.ptp(scores[steps == step]) for step in np.unique(steps))
    return float(apart / max(np.ptp(scores), 1e-300))
