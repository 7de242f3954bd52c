"""The tests of what has vectors: each returns its name, a verdict, what was seen and what that points to."""

import numpy as np

from posenc_lib.clinic.probes import Probe, Turns
from posenc_lib.encodings.precision import bfloat16

HOLDS, FAILS, OPEN = "holds", "FAILS", "–"  # open: it cannot be asked here, or was never promised
DIAGONALS, NORM, CACHED = "constant diagonals", "constant norm", "cached equals full"
RECTANGLE, BEYOND = "a rectangle", "beyond position 256"
FAR = (256, 1000, 4096, 8160)  # where a text of 32 begins
SAME, NEAR = 1e-3, 1e-2  # as a part of what there is: more than float32 loses here, and far out
NARROW = 1.5e-2  # more than bfloat16 loses, and less than bfloat16 positions or angles do
Told = tuple[str, str, str, str]
SHORTEST = 32  # positions that every table has
DIGITS = {256: "bfloat16", 2048: "float16"}  # by the first position that is rounded
RANDOM = (
    "it answers differently each time",
    "Something random is left on, as dropout is: in PyTorch, call .eval() before you ask.",
)
DOUBLED = 1e7  # a base beyond all that are in use
TABLES = "Query and key are turned by two tables: a new one for queries, an old one in the cache of keys."
LINE = (RECTANGLE, OPEN, "a text has none", "")


def along(scores: np.ndarray) -> float:
    """Return how far scores on one diagonal lie apart, at most, as a part of how far any two do."""
    n, range_ = len(scores), float(np.ptp(scores))
    apart = max(float(np.ptp(np.diagonal(scores, offset))) for offset in range(1 - n, n))
    return apart / range_ if range_ > 1e-9 * np.abs(scores).max(initial=1e-300) else 0.0


def close(one, other, within: float = SAME) -> bool:
    """Return whether two arrays are alike, up to a part of the largest number."""
    return bool(np.abs(np.subtract(one, other)).max(initial=0) <= within * max(np.abs(other).max(initial=0), 1e-300))


def rounding(one: Probe) -> float:
    """Return how far what should be alike may lie apart: more where cosines or outputs have few digits."""
    return NARROW if narrow(one.maps(7)[0] if isinstance(one, Turns) else one.vectors(one.short)[0]) else SAME


def narrow(seen: np.ndarray) -> bool:
    """Return whether numbers have no more digits than bfloat16 or float16 has."""
    return any(np.array_equal(few(seen), seen) for few in (bfloat16, np.float16))


def of_vectors(one: Probe) -> list[Told]:
    """Test an additive or a rotary encoding."""
    promised = one.kind == "rotary" or is_wave(one)
    queries, keys = one.vectors(one.short)
    if not all(map(np.array_equal, one.vectors(one.short), (queries, keys))):
        return [(DIAGONALS, FAILS, *RANDOM), *((name, OPEN, "", "") for name in (NORM, CACHED, RECTANGLE, BEYOND))]
    tests = [_diagonals(one, queries, keys, promised)]
    steady = tests[0][1] == HOLDS
    tests += [_norm(one, queries, keys, promised, steady), _cached(one, queries, keys, promised), LINE]
    return [*tests, _beyond(one, promised and steady)]


def is_wave(one: Probe) -> bool:
    """Return whether a table's columns are sines and cosines, as many of each."""
    return waves(one.vectors(np.arange(1))[0][0])


def waves(first: np.ndarray) -> bool:
    """Return whether a row is one of sines and cosines of 0, as many of each."""
    zeros, ones = (np.abs(first - value) < 1e-6 for value in (0, 1))
    return bool((zeros | ones).all() and zeros.sum() == ones.sum())


def _only_sines(one: Probe) -> bool:
    """Return whether a table begins with zeros and goes on as sines do: sin 2θ is 2 sin θ cos θ."""
    first, second, third = one.vectors(np.arange(3))[0]
    sines = not first.any() and np.abs(second).max() <= 1
    return bool(sines and second.any() and np.allclose(third, 2 * second * np.sqrt(1 - second**2), atol=1e-4))


def _diagonals(one: Probe, queries: np.ndarray, keys: np.ndarray, promised: bool) -> Told:
    if one.mixes:
        why = "It runs along the wrong axis: pairs are made of tokens, not of dims (x.T, or axes that were swapped)."
        return DIAGONALS, FAILS, "what becomes of a token depends on the other tokens", why
    apart, same = along(queries @ keys.T), rounding(one)
    if all(np.ptp(x, axis=0).max() <= 1e-9 * max(np.abs(x).max(), 1e-300) for x in (queries, keys)):
        return _flat(one, queries)
    if apart <= same:
        rounded = f", within the {apart:.1%} that is rounded off" if apart > SAME else ""
        return DIAGONALS, HOLDS, f"scores depend on the offset alone{rounded}", ""
    seen = f"on one diagonal scores differ by up to {apart:.0%} of their range"
    if not promised:
        what = "sines without their cosines" if _only_sines(one) else "a table that is not made of sines and cosines"
        return DIAGONALS, OPEN, f"{seen}: no fault in {what}", ""
    return DIAGONALS, FAILS, seen, _why_no_diagonals(one, queries, keys) if one.kind == "rotary" else _why_uneven(one)


def _flat(one: Probe, queries: np.ndarray) -> Told:
    if one.kind == "additive" and not queries.any():
        return DIAGONALS, OPEN, "it adds nothing: no position at all, which some models mean", ""
    if isinstance(one, Turns) and close(queries[0], one.q, 1e-9):
        return (
            DIAGONALS,
            FAILS,
            "every score is the same",
            "Nothing turns: the table is never applied, or counted along an axis of one.",
        )
    what = "angle" if one.kind == "rotary" else "row"
    where = "its head, or in a batch" if one.kind == "rotary" else "a batch (x[:, 0] instead of x[0]), or its head"
    why = f"Every token has the same {what}. It is counted along the wrong axis: by the token's place in {where}."
    return DIAGONALS, FAILS, "every score is the same: the order is gone", why


def _why_no_diagonals(one: Turns, queries: np.ndarray, keys: np.ndarray) -> str:
    scores, same = queries @ keys.T, rounding(one)
    if along(scores[:, ::-1]) <= same:
        return "It is the sum of both positions that counts: the query or the key is turned the other way."
    if np.ptp(keys, axis=0).max() < 1e-9 or np.ptp(queries, axis=0).max() < 1e-9:
        return "Only one of the two is turned: query and key both must be."
    if not np.allclose(one.turn @ one.turn.T, one.turn[0] @ one.turn[0] * np.eye(one.dims), atol=same):
        return f"What happens to a vector is no rotation. {_mixed(one)}"
    turn_q, turn_k = one.maps(7)
    if not close(turn_q, turn_k):
        return "Query and key are turned by two tables: other frequencies, another base, or another pairing."
    return "Angles do not grow evenly with the position: they were rounded, or are no rotation's."


def _mixed(one: Turns) -> str:
    """Say whether cosines are laid out for one pairing and partners for the other."""
    cosines, dims, half = np.diag(one.turn), np.arange(one.dims), one.dims // 2
    for partners, alike, is_, other in (
        ("half", dims ^ 1, "neighbours (repeat)", "halves (rotate_half)"),
        ("interleaved", (dims + half) % one.dims, "halves (cat)", "neighbours (rotate_every_two)"),
    ):
        if one.pairing == partners and np.allclose(cosines, cosines[alike], atol=1e-6):
            return f"Mixed pairing: cos and sin are laid out for {is_}, partners are taken as {other}."
    return "Look at how dims are paired, and at the signs of the sines."


def _why_uneven(one: Probe) -> str:
    """Say what is wrong with a table of sines and cosines."""
    first, second = one.vectors(np.arange(2))[0]
    if 2 * (first > 0.5).sum() != len(first):
        return "A position alone has another row than among others: a reshape has mixed positions with dims."
    theta = np.where(first > 0.5, np.arccos(np.clip(second, -1, 1)), np.arcsin(np.clip(second, -1, 1)))
    if np.allclose(np.sort(theta[first > 0.5]), np.sort(theta[first < 0.5]), rtol=1e-3, atol=1e-6):
        return "A sine and its cosine do go together at the start: positions are rounded, or one of them is shifted."
    steps = np.diff(np.log(np.maximum(theta, 1e-12)))[: one.dims // 4]
    if np.allclose(steps, steps[0], rtol=0.05):
        told = "A sine and its cosine have different frequencies: the exponent grows from column to column."
        if np.exp(-steps[0] * one.dims) < DOUBLED:
            return f"{told} Both columns of a pair need the pair's number, 2·(i // 2)/d for column i."
        return f"{told} The column's number already counts by two and was doubled once more (2i/d with i = 0, 2, 4, …)."
    return "A sine and its cosine have different frequencies."


def _norm(one: Probe, queries: np.ndarray, keys: np.ndarray, promised: bool, steady: bool) -> Told:
    lengths = [np.linalg.norm(x, axis=1) for x in (queries, keys)]
    low, high = float(lengths[0].min()), float(lengths[0].max())
    if all(np.ptp(x) <= rounding(one) * x.max(initial=1e-300) for x in lengths):
        return NORM, HOLDS, f"{high:.2f} at every position", ""
    seen = f"from {low:.2f} to {high:.2f}"
    if steady or not promised:
        why = "queries grow as keys shrink, as in xPos" if one.kind == "rotary" else "never promised by such a table"
        return NORM, OPEN, f"{seen}: {why}", ""
    why = "A rotation keeps lengths, and sin² + cos² is 1: the two dims of a pair do not belong together."
    return NORM, FAILS, seen, why


def _cached(one: Probe, queries: np.ndarray, keys: np.ndarray, promised: bool) -> Told:
    last = int(one.short[-1])
    try:
        query, key = one.alone(last)
    except Exception as error:
        return CACHED, FAILS, f"one token alone raised {type(error).__name__}: {error}", "It cannot follow a cache."
    if not getattr(one, "heads_alike", True):
        why = "The number of the head has got into the positions: every axis but the tokens' must leave them alone."
        return CACHED, FAILS, "heads turn one vector by other angles, so keys from other code do not fit", why
    if close(query[0], queries[last]) and close(key[-1], keys[last]):
        return _grown(one, queries, keys, promised)
    seen = f"position {last} alone is not what it is in the text"
    if close(query[0], queries[0]) and close(one.alone(0)[0][0], queries[last]):
        return CACHED, FAILS, seen, "A text that is read at once is turned back to front: its positions are reversed."
    if not promised:
        return CACHED, OPEN, f"{seen}: it depends on the length", ""
    side, alone = (queries, query[0]) if not close(query[0], queries[last]) else (keys, key[-1])
    what = "token" if side is keys or not close(key[-1], keys[last]) else "query"
    turned = "is turned for" if one.kind == "rotary" else "has the row of"
    why, stood = f"A {what} that comes alone {turned} another place than its own", _stood(one, alone, side is keys)
    if stood is not None:
        why += (
            f", position {stood} for {last}" if abs(stood - last) < 3 else f", position {stood}: counting begins anew"
        )
    return CACHED, FAILS, seen, f"{why}."


def _stood(one: Probe, alone: np.ndarray, key: bool) -> int | None:
    """Return the position at which this vector would stand in a text, if there is any."""
    try:
        rows = one.vectors(np.arange(one.short[-1] + 3))[key]
    except Exception:
        rows = one.vectors(one.short)[key]  # a table that ends
    return next((at for at, row in enumerate(rows) if close(alone, row)), None)


def _grown(one: Probe, queries: np.ndarray, keys: np.ndarray, promised: bool) -> Told:
    """Compare a text with its own first half, and one that grew token by token, if there is any, with the whole."""
    half = len(one.short) // 2
    if not all(map(close, one.vectors(one.short[:half]), (queries[:half], keys[:half]))):
        seen = "what stands at a position depends on how long the text is"
        why = "As the text grows, keys in the cache no longer fit the queries that come."
        return (CACHED, FAILS, seen, why) if promised else (CACHED, OPEN, seen, "")
    for begin in FAR if one.grown else ():
        at = begin - 32 + np.arange(64)
        if not all(map(close, one.grown(at), one.vectors(at))):
            seen = f"a text that has grown past {begin} has other keys than one that is read at once"
            return CACHED, FAILS, seen, TABLES
    return CACHED, HOLDS, "a token alone stands where it stood in the text", ""


def _beyond(one: Probe, promised: bool) -> Told:
    near, again = one.scores(one.short[:32]), _again(one)
    if again:
        seen = f"position {again} is position 0 once more"
        return BEYOND, FAILS, seen, f"Positions begin again after {again}: they are taken modulo it, or chunk by chunk."
    for begin in FAR:
        at = begin + np.arange(32)
        try:
            queries, keys = one.vectors(at)
        except Exception as error:
            said = str(error).partition("\n")[0]
            if " finite" in said:
                seen = f"from {_end(one, at[-1])} on it returns what is no number"
                return BEYOND, FAILS, seen, "Something overflows, or is divided by nothing."
            seen = f"it ends at {_end(one, at[-1])} ({type(error).__name__}: {said}): no text may be longer"
            return BEYOND, OPEN, seen, ""
        alike = int((np.abs(np.diff(queries, axis=0)).max(axis=1) == 0).sum())
        if alike and not (np.diff(one.vectors(one.short)[0], axis=0) == 0).all(axis=1).any():
            return BEYOND, FAILS, f"from {begin} on {alike} of 31 neighbours stand at one position", _why_alike(one)
        if promised and not close(queries @ keys.T, near, max(NEAR, rounding(one))):
            return _other(one, at, near)
    return BEYOND, HOLDS, f"as at 0, up to position {FAR[-1] + 31}", ""


def _again(one: Probe) -> int:
    """Return the position that is position 0 once more, or 0 if none is."""
    try:
        rows = one.vectors(np.arange(FAR[-1] + 32))[0]
    except Exception:
        return 0  # a table that ends
    same = np.flatnonzero((rows[1:-1] == rows[0]).all(axis=1)) + 1
    found = [at for at in same if not np.array_equal(rows[0], rows[1]) and np.array_equal(rows[at + 1], rows[1])]
    return int(found[0]) if found else 0


def _end(one: Probe, last: int) -> int:
    """Return how many positions there are, by halving; `last` if there are so many."""
    low, high = SHORTEST, int(last)
    while low < high:
        middle = (low + high) // 2
        try:
            one.vectors(np.array([middle]))
            low = middle + 1
        except Exception:
            high = middle
    return low


def _why_alike(one: Probe) -> str:
    rows = one.vectors(np.arange(_end(one, FAR[-1])))[0]
    alike = (rows[1:] == rows[:-1]).all(axis=1)
    first, own = int(alike.argmax()), 1 + int((~alike).sum())
    if alike[first:].all():
        return f"All from {first} on share the table's last row: it is too short, and its index is clipped."
    left = f"Of {len(rows)} positions {own} are left: they are held in"
    name = DIGITS.get(first)
    return f"{left} {name}, which has {first.bit_length() - 1} binary digits." if name else f"{left} too few digits."


def _other(one: Probe, at: np.ndarray, near: np.ndarray) -> Told:
    """Say why scores are others far out, where neighbours do stand apart."""
    queries, keys = one.vectors(at)
    far = queries @ keys.T
    seen = f"the score at offset 1 is {near[0, 1]:.3g} at 0 and {far[0, 1]:.3g} at {at[0]}".replace("-", "−")
    if isinstance(one, Turns) and not close(*one.maps(at[0]), NEAR):
        return BEYOND, FAILS, seen, TABLES
    if along(far) > rounding(one):
        why = "Angles are rounded: positions, frequencies and angles need float32 at least, cosines do not."
        return BEYOND, FAILS, seen, why
    queries, keys = one.vectors(np.concatenate([one.short[:32], at]))
    if along(queries[32:] @ keys[:32].T) > rounding(one):
        return BEYOND, FAILS, f"far queries and near keys meet at no offset: {seen}", TABLES
    seen = "diagonals stay level, but the frequencies are others than at 0, as dynamic NTK's are: with a cache"
    return BEYOND, OPEN, f"{seen}, keys must be turned anew", ""
