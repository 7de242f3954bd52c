"""Tests for biases, relative scores, and an image's patches."""

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

LONG, WINDOW = 512, 32  # positions in a long text, and how many to compare


def of_bias(one: Grid) -> tuple[dict[str, Told], str]:
    """Test a bias or relative scores, for keys up to the query. Return slopes as text."""
    curves, whole = by_distance(one.of(SHORT, SHORT)), by_distance(one.of(LONG, LONG))
    told = {"constant diagonals": _by_offset(one, curves)}
    level = told["constant diagonals"][0] == HOLDS
    if one.kind == "bias":
        told["near before far"] = _falls((whole if level else curves)[:, -1])
    told["cached equals full"] = _decoded(one)
    if level:
        far = whole[:, -WINDOW:, :WINDOW]
        found = HOLDS, f"the same as at 0, up to position {LONG - 1}", ""
        if not close(far, np.broadcast_to(curves[:, -1:, :WINDOW], far.shape)):
            why = "It depends on the text's length."
            found = FAILS, "different numbers for the same offsets", why
        told["beyond position 256"] = found
    return told, slopes(whole[:, -1])


def by_distance(matrix: np.ndarray) -> np.ndarray:
    """Return what a query adds to each key by distance, shape (heads, n, n).

    It's NaN before the first key.
    """
    n = matrix.shape[-1]
    key = np.arange(n)[:, None] - np.arange(n)
    found = np.take_along_axis(matrix, np.maximum(key, 0)[None], axis=-1)
    found = np.where(key >= 0, found, np.nan)
    return found - found[:, :, :1]  # softmax ignores a constant added to all of a query's keys


def slopes(curves: np.ndarray) -> str:
    """Say how steep heads are if all are straight lines, and compare with ALiBi."""
    steps = np.diff(curves, axis=1)
    if not np.allclose(steps, steps[:, :1], rtol=SAME, atol=0) or not steps.any():
        return ""
    found = -np.mean(steps, axis=1)
    told, last = f"{found[0] + 0:.3g}", f"{found[-1] + 0:.3g}"
    if last != told:
        told += f" in head 0 to {last} in head {len(found) - 1}"
    compared = versus_alibi(found) if len(found) > 1 else ""
    return f"Measured: straight lines, slope {told}{compared}."


def versus_alibi(found: np.ndarray) -> str:
    """Compare slopes with ALiBi's own for that many heads."""
    n, own = len(found), alibi_slopes(len(found))
    power, asked = 2 ** (n.bit_length() - 1), f"ALiBi's own are {own[0]:.3g} to {own[-1]:.3g}"
    if np.allclose(found, found[0], rtol=SAME):
        return f" in all {n} heads; {asked}, a different one per head"
    most = max(-np.log2(max(found[power - 1], 1e-30)), 0.1)  # the 8 of 2^(−8h/H)
    from_0 = own * 2 ** (np.where(np.arange(n) < power, 8, 4) / power)
    plain = 2.0 ** (-8 * np.arange(1, n + 1) / n)
    known = {
        "like ALiBi's": own,
        "ALiBi's in reverse order": own[::-1],
        "ALiBi's, with heads counted from 0 instead of 1": from_0,
        f"ALiBi's for {n // 2} heads, twice": np.resize(alibi_slopes(n // 2), n),
        "the first half of ALiBi's, twice": np.resize(own[: n // 2], n),
        f"2^(−8h/{n}), which ALiBi uses only for 2, 4, 8, … heads": plain,
        f"2^(−{most:.3g}h/H), instead of ALiBi's 2^(−8h/H)": alibi_slopes(n, max_bias=most),
        "ALiBi's in a different order": np.sort(own)[np.argsort(np.argsort(found))],
    }
    times = {}
    for name, those in known.items():
        if np.allclose(found / those, found[0] / those[0], SAME):
            times[name] = found[0] / those[0]
    name = next((name for name in times if abs(times[name] - 1) < SAME), next(iter(times), ""))
    if not name:
        return f"; {asked}"
    if abs(times[name] - 1) < SAME:
        return f", {name}" if name == "like ALiBi's" else f": {name}; {asked}"
    dims = max(times[name], 1 / times[name]) ** 2
    root = ""
    if dims > 15:
        root = f", √{dims:.0f} (are scores divided by √d before or after adding it?)"
    return f", {times[name]:.4g} times {name.removeprefix('like ')}{root}; {asked}"


def _by_offset(one: Grid, curves: np.ndarray) -> Told:
    if not np.nanmax(np.abs(curves)):
        why = (
            "The bias never reaches the scores, or it's the same for every key, "
            "which softmax ignores."
        )
        return FAILS, "it adds the same number to all of a query's keys, so order is lost", why
    if np.nanmax(np.abs(curves - curves[:, -1:])) > SAME * np.nanmax(np.abs(curves)):
        seen = "not a function of the offset alone: fine for FIRE or CoPE, a bug for ALiBi or T5"
        return OPEN, seen, ""
    seen = f"{'biases' if one.kind == 'bias' else 'scores'} depend only on the offset"
    if one.kind == "bias" and not np.ptp(one.of(SHORT, SHORT)[:, 0], axis=1).any():
        seen += (
            "; later keys all get what offset 0 gets: right in a decoder; "
            "in an encoder, check for T5's bidirectional=False"
        )
    elif one.kind == "bias":
        seen += _later(one.of(SHORT, SHORT)[:, SHORT // 2])
    return HOLDS, seen, ""


def _later(rows: np.ndarray) -> str:
    """Say which heads give later keys more than the query's own, if earlier keys get less."""
    own, near = rows[:, SHORT // 2, None], SAME * np.nanmax(np.abs(np.diff(rows)), initial=0)
    behind = np.diff(rows[:, : SHORT // 2 + 1])
    falls = (behind >= 0).all(axis=1) & (behind > 0).any(axis=1)
    more = falls & (rows[:, SHORT // 2 + 1 :] > own + near).any(axis=1)
    if not more.any():
        return ""
    heads = "" if more.all() else f"in head {runs(np.flatnonzero(more))} of 0 to {len(more) - 1}, "
    told = (
        "later keys get more than the query's own key: "
        "right in a decoder (masked), wrong in an encoder"
    )
    return f"; {heads}{told}"


def _falls(curves: np.ndarray) -> Told:
    rises, falls = ((np.diff(sign * curves, axis=1) > 0).any(axis=1) for sign in (1, -1))
    if not (rises | falls).any():
        return OPEN, "the same for all keys", ""
    if not rises.any():
        return HOLDS, "the farther back a key is, the less it gets", ""
    if (rises & falls).any():
        return OPEN, "falls in some places and rises in others, so there's nothing to judge", ""
    why = (
        "The sign is wrong: a penalty should be subtracted from the scores, "
        "so that the newest key wins."
    )
    some = ""
    if falls.any():
        heads = ", ".join(map(str, np.flatnonzero(rises)))
        some = f"in head {heads} of 0 to {len(rises) - 1}, "
    return FAILS, f"{some}the farther back a key is, the more it gets: the oldest wins", why


def _decoded(one: Grid) -> Told:
    row, full = one.of(1, SHORT)[:, 0], one.of(SHORT, SHORT)[:, -1]
    if close(row - row[:, -1:], full - full[:, -1:]):
        same = "the last query alone gets the same numbers as in the full text"
        return HOLDS, same if close(row, full) else f"{same}, but for a constant", ""
    why = (
        "The bias counts from the wrong position, for example 0. "
        "With a cache, the query is at the last key's position."
    )
    if not np.ptp(row, axis=1).any():
        why = "The bias is gone during decoding: built for one query, it's the same for all keys."
    return FAILS, "the last query alone gets different numbers than in the full text", why


def of_plane(one: Grid) -> dict[str, Told]:
    """Test an encoding of patches on images that aren't square."""
    told = [_rectangle(one, height, width) for height, width in ((3, 4), (4, 3), (2, 7))]
    return {"a rectangle": next((each for each in told if each[0] != HOLDS), told[0])}


def _rectangle(one: Grid, height: int, width: int) -> Told:
    queries, keys = one.of(height, width)
    scores = queries @ keys.T
    apart = in_plane(scores, height, width)
    line = apart <= SAME and close(scores[width - 1, width], scores[0, 1], 1e-9)
    if line or len(np.unique(queries, axis=0)) < len(queries):
        why = (
            "Patches are numbered like words, or an axis is missing. "
            "Each patch needs a code for its row and one for its column."
        )
        return FAILS, "some rows or columns can't be told apart", why
    if apart <= SAME:
        seen = "on 3 × 4, 4 × 3 and 2 × 7 patches, scores depend only on the steps down and across"
        return HOLDS, seen, ""
    seen = (
        f"on {height} × {width} patches, scores for the same step differ by up to "
        f"{apart:.0%} of their range"
    )
    if one.kind != "rotary" and not are_waves(queries[0]):
        return OPEN, f"{seen}: fine for a table that isn't made of sines and their cosines", ""
    by_column = np.arange(height * width).reshape(width, height).T.ravel()
    why = (
        "The codes don't match this image's rows and columns: "
        "the table was made for another size, or wasn't resized."
    )
    if in_plane(scores[np.ix_(by_column, by_column)], height, width) <= SAME:
        why = (
            "Rows and columns are counted along the wrong side: "
            "patch n should be at (n // width, n % width)."
        )
    return FAILS, seen, why


def in_plane(scores: np.ndarray, height: int, width: int) -> float:
    """Return the largest spread of scores for one step, as a share of the whole range.

    A step goes some patches down and some across.
    """
    y, x = np.divmod(np.arange(height * width), width)
    steps = (y - y[:, None]) * 4 * width + x - x[:, None]
    apart = max(np.ptp(scores[steps == step]) for step in np.unique(steps))
    return float(apart / max(np.ptp(scores), 1e-300))
