"""Tests of a text's vectors. Each returns a verdict, what was seen, and the likely cause."""

import numpy as np

from posenc_lib.lessons.clinic.probes import (
    FAILS,
    HOLDS,
    OPEN,
    SAME,
    Tokens,
    Told,
    close,
    reorders,
)
from posenc_lib.lessons.clinic.rotation import by_length
from posenc_lib.lessons.clinic.scores import in_plane

MOST, WINDOW = 8192, 32  # positions to look at, and how many at a time
FAR = (256, 1000, 4096, MOST - WINDOW)  # how long a text has grown
LARGEST = 2**17  # table rows to look at
# where a token is decoded alone, and then the next one
ALONE = (0, 5, 64, 96, 127, 191, 255, 383, 511, 767, 1000, 1023, 1535, 2047, 3000, 4095, 6000)
CHUNK = 4  # tokens decoded together
# by the first position that gets rounded
DTYPES = {256: "bfloat16, which has 8", 2048: "float16, which has 11"}
WAVES = (
    "A sine and its cosine have different frequencies. Both columns of a pair need the same "
    "exponent, 2·(i // 2)/d for column i. If i already counts by two, it was doubled again. "
    "Or a reshape mixed positions with dims."
)
GROWS = (
    "The rows are waves, but their length changes with position, "
    "so the score at an offset also changes."
)
MIXED = "Mixed pairing: cos and sin are laid out for {}, but partners are {}."
AXIS = (
    "Positions are counted along the wrong axis: "
    "over the batch (x[:, 0] instead of x[0]) or over heads."
)
ROUNDED = (
    "Angles are rounded. Positions, frequencies and angles need at least float32; cosines don't."
)
LEAP = "Positions jump there: some are skipped or repeated."
SHARED = "All tokens in a call get the same position, {}."
ONE_CALL = np.arange(10, 21)  # positions with a different first, last and mean
SHARES = {
    "the first token's. Only a token alone gets its own": 10,
    "the last token's. Only a token alone gets its own": 20,
    "their mean. Only a token alone gets its own": 15,
}
TWO_TABLES = "Queries and keys use two tables: a new one for queries, an old one for cached keys."


def of_vectors(one: Tokens) -> dict[str, Told]:
    """Test an additive or a rotary encoding."""
    if one.mixes:
        why = (
            "The rotation runs along the wrong axis: "
            "it pairs up tokens, not dims. Look for x.T or swapped axes."
        )
        seen = "a token's vector depends on the other tokens"
        return {"constant diagonals": (FAILS, seen, why)}
    diagonals, longest = _diagonals(one), _longest(one)
    level = one.promised and diagonals[0] == HOLDS
    return {
        "constant diagonals": diagonals,
        "constant norm": _norm(one, level),
        "cached equals full": _cached(one, longest[0]),
        "a rectangle": (OPEN, "doesn't apply to text", ""),
        "beyond position 256": _beyond(one, level, *longest),
    }


def temperature(one: Tokens) -> str:
    """Say how queries grow with their position while keys don't, if that's so."""
    if one.kind != "rotary":
        return ""
    grown = {}
    for t in (2**k - ahead for k in range(1, 17) for ahead in (1, 0)):
        try:
            query, key = (np.linalg.norm(x[-1]) for x in one.alone(t))
        except Exception:  # the table ends
            break
        grown[t] = query * np.linalg.norm(one.k) / (key * np.linalg.norm(one.q))
    t, times = np.array(list(grown)), np.array(list(grown.values()))
    least = max(1.0, times.min(initial=np.inf))
    if not times.max(initial=0) > least * (1 + SAME) or (np.diff(times) < -SAME).any():
        return ""
    both = np.linalg.norm(one.vectors(t[[0, -1]])[0], axis=1)  # in one text
    whose = "the text's length" if close(both, both[:1]) else "their position"
    seen = f"queries grow with {whose}, to {times[-1]:.3f}× at {t[-1]:,}"
    more = times > 1 + SAME / 10
    for ahead, name in ((1, "Llama 4"), (0, "Ministral 3")):
        length = np.exp(np.log(t[more] + ahead) / times[more])
        if more.sum() > 1 and np.allclose(length, length[0], rtol=SAME / 10):
            return f"{seen}: log-n, ln t over ln {length[0]:,.0f}"
        floor, scale = t[more][0] + ahead, (times[more][0] - 1) / np.log(2)
        if np.allclose(times, 1 + scale * np.log1p((t + ahead) // floor), rtol=SAME / 10):
            return f"{seen}: as in {name}, floor_scale={floor}, attn_scale={scale:.3g}"
    return f"{seen}: a temperature, but not log-n"


def level(one: Tokens) -> Tokens:
    """Return the same text with queries that don't grow."""

    def read(q, k, at):
        queries, keys = one.read(q, k, at)
        long = np.linalg.norm(queries, axis=1, keepdims=True)
        return np.where(long > 0, queries * np.linalg.norm(q) / np.maximum(long, 1e-300), q), keys

    return Tokens(one.kind, one.title, one.dims, read, len(one.short))


def along(scores: np.ndarray) -> float:
    """Return the largest spread of scores along a diagonal, as a share of the whole range."""
    return in_plane(scores, 1, len(scores))


def _diagonals(one: Tokens) -> Told:
    if one.kind == "additive" and not one.text[0].any():
        return OPEN, "it adds nothing, so there are no positions: fine if you meant it", ""
    if all(close(x, x[:1], 1e-9) for x in one.text):
        why = f"Every token has the same {'angle' if one.kind == 'rotary' else 'row'}. {AXIS}"
        if one.kind == "rotary" and close(*map(np.sort, (one.text[0][0], one.q)), 1e-9):
            why = "Nothing rotates: the table is never applied, or is indexed along an axis of one."
        return FAILS, "every score is the same, so order is lost", _shared(one) or why
    apart = along(one.text[0] @ one.text[1].T)
    if apart <= SAME:
        seen = "scores depend only on the offset"
        if one.kind == "rotary" and (differ := _orders(one)):
            return FAILS, f"{seen}, but they match up the wrong dims", differ
        return HOLDS, seen, ""
    seen = f"scores along a diagonal differ by up to {apart:.0%} of the whole range"
    if not one.promised:
        return OPEN, f"{seen}: fine for a table that isn't made of sines and their cosines", ""
    if one.kind == "rotary":
        return FAILS, seen, _why_turns(one)
    even = one.text[0] / np.linalg.norm(one.text[0], axis=1, keepdims=True)
    return FAILS, seen, GROWS if along(even @ even.T) <= SAME else WAVES


def _shared(one: Tokens) -> str:
    """Say which position all tokens in a call share, if it depends on the call."""
    try:
        call, elsewhere, shorter = map(one.vectors, (ONE_CALL, ONE_CALL + 5, ONE_CALL[:CHUNK]))
        alone = {name: one.vectors(np.array([at])) for name, at in SHARES.items()}
    except Exception:  # the table ends
        return ""
    for k, rows in enumerate(call):
        names = [name for name, x in alone.items() if close(x[k], rows[:1], 1e-9)]
        if not close(rows, rows[:1], 1e-9) or len(names) == len(alone):
            continue
        if names:
            return SHARED.format(names[0])
        if not close(shorter[k], rows[:CHUNK], 1e-9):
            by_number = close(elsewhere[k], rows, 1e-9)
            return SHARED.format("set by how many they are" if by_number else "a mix of theirs")
    return ""


def _why_turns(one: Tokens) -> str:
    """Say why scores of rotated vectors depend on more than the offset."""
    (queries, keys), turn = one.text, one.step()
    if along((queries @ keys.T)[:, ::-1]) <= SAME:
        return (
            "Scores depend on the sum of the two positions: "
            "the query or the key is rotated the wrong way."
        )
    if any(close(x, x[:1], 1e-9) for x in one.text):
        return _shared(one) or "Only one of the two is rotated. Rotate both query and key."
    if differ := _orders(one):
        return differ
    if not np.allclose(turn @ turn.T, turn[0] @ turn[0] * np.eye(one.dims), atol=SAME):
        cosines, partners = np.diag(turn), one.pairing
        if partners == "half" and np.allclose(cosines[0::2], cosines[1::2]):
            return MIXED.format("neighbors (repeat)", "halves (rotate_half)")
        if partners == "interleaved" and np.allclose(*np.split(cosines, 2)):
            return MIXED.format("halves (cat)", "neighbors (rotate_every_two)")
        return "This isn't a rotation. Look at how dims are paired, and at the signs of the sines."
    if not close(*one.maps(7)[:, 1]):
        return "Queries and keys use two tables, for example with different bases or pairings."
    return "Angles don't grow evenly with position: they were rounded, or this isn't a rotation."


def _orders(one: Tokens) -> str:
    """Say how queries and keys differ before they rotate, if they do."""
    query, key = one.at_0
    sizes = np.linalg.svd(one.at_0)[1]  # all 1 if only order or mixture changes
    if np.ptp(sizes) > SAME or not one.strays(query.T @ key):
        return ""
    meets = np.abs(query @ key.T)
    if not reorders(meets):
        return "Queries and keys are mixed in different ways before they rotate. Mix both alike."
    partner = meets.argmax(axis=1)
    at = int((partner != np.arange(one.dims)).argmax())
    return (
        "Queries and keys have their dims in different orders: "
        f"a query's dim {at} meets a key's dim {partner[at]}. "
        "Reorder both or neither, whether it's dims or the rows of W_q and W_k."
    )


def _norm(one: Tokens, level: bool) -> Told:
    lengths = [np.linalg.norm(x, axis=1) for x in one.text]
    if all(close(x, x[:1]) for x in lengths):
        return HOLDS, f"{lengths[0].max():.2f} at every position", ""
    seen = f"from {lengths[0].min():.2f} to {lengths[0].max():.2f}"
    if one.promised and not level:
        why = (
            "A rotation preserves length, and sin² + cos² is 1: "
            "the two dims of some pair don't match."
        )
        return FAILS, seen, why
    why = "queries grow as keys shrink, as in xPos" if level else "this table never promised it"
    return OPEN, f"{seen}: {why}", ""


def _longest(one: Tokens) -> tuple[tuple, str]:
    """Return the vectors of the longest text that works, and what a longer one raises."""
    most = min(one.end + 1, LARGEST) if one.end else MOST
    found, raised = one.text, ""
    low, high, n = len(found[1]), most + 1, most
    while high - low > 1:
        try:
            found, low = one.vectors(np.arange(n)), n
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raised = f"a text of {n:,} tokens raised {what}".partition("\n")[0]
            high = n
        n = one.end if one.end and low < one.end < high else (low + high) // 2
    return found, raised


def _cached(one: Tokens, longest: tuple) -> Told:
    """Compare a token decoded alone, and a growing text, with a text read in one pass."""
    n = len(longest[1])
    at = int(one.short[-3:][0])
    found = _alone(one, at, one.text)
    for at in sorted({at for at in (*ALONE, n - 2) if 0 <= at < n - 1}):
        found = found or _alone(one, at, longest) or _together(one, at, longest)
    if found:
        return found
    for begin in FAR if one.grown else ():
        text = np.arange(begin - WINDOW, begin + WINDOW)
        if not all(map(close, one.grown(text), one.vectors(text))):
            seen = f"a text that grew past {begin:,} has different keys than one read in one pass"
            return FAILS, seen, TWO_TABLES
    return HOLDS, "a token decoded alone matches the full text", ""


def _alone(one: Tokens, at: int, text: tuple) -> Told | None:
    """Say what happens to a token decoded alone, if it doesn't match the full text."""
    fails = FAILS if one.promised else OPEN
    here = [x[-1] for x in one.alone(at)]
    for k, rows in enumerate(text):
        # a text that ends here may have different frequencies
        if close(here[k], rows[at]) or (
            text is not one.text and close(here[k], one.vectors(np.arange(at + 1))[k][at])
        ):
            continue
        if one.promised and (how := by_length(one)):
            return OPEN, how, ""
        off = np.abs(rows - here[k]).max(axis=1)
        places = np.flatnonzero(off <= SAME * np.abs(here[k]).max())
        why = "A token decoded alone isn't what it is in the full text. Look at its position first."
        if len(places):
            why = f"A token decoded alone gets position {places[0]:,} instead of {at:,}."
        return fails, f"the vector at position {at:,} depends on the rest of the text", why
    if text is one.text:
        return None
    for x, y, rows in zip(here, one.alone(at + 1), text, strict=True):
        if close(x, y[-1], 1e-9) and not close(rows[at], rows[at + 1], 1e-6):
            seen = f"tokens decoded alone at {at:,} and {at + 1:,} share one position"
            return fails, seen, "A token decoded alone gets the wrong position."
    return None


def _together(one: Tokens, at: int, text: tuple) -> Told | None:
    """Say that tokens decoded a few at a time don't match the full text, if they don't."""
    few = np.arange(max(at - CHUNK + 1, 0), at + 1)
    for k, rows in enumerate(one.vectors(few)):
        if not close(rows, text[k][few]) and not close(
            rows, one.vectors(np.arange(at + 1))[k][few]
        ):
            seen = f"{len(few)} tokens decoded together, up to {at:,}, don't match the full text"
            why = "Tokens decoded a few at a time get the wrong positions."
            return FAILS if one.promised else OPEN, seen, why
    return None


def _beyond(one: Tokens, level: bool, longest: tuple, raised: str) -> Told:
    """Look for anything far out that differs from the beginning."""
    queries, keys = longest
    found = _faded(queries) or _alike(queries) or _alike(keys)
    found = found or (level and _other_scores(one, queries, keys))
    if found or not raised:
        return found or (HOLDS, f"the same as at 0, up to position {len(keys) - 1:,}", "")
    if " finite" in raised:
        return FAILS, raised, "Something overflows or divides by zero."
    return OPEN, f"texts can't be much longer: {raised}", ""


def _alike(rows: np.ndarray) -> Told | None:
    """Say why positions have the same vector, if some do but not all."""
    if len(np.unique(rows[:, np.ptp(rows, axis=0).argmax()])) == len(rows):
        return None
    known: dict = {}
    first = np.array([known.setdefault(row.tobytes(), k) for k, row in enumerate(rows + 0.0)])
    copies = np.flatnonzero(first < np.arange(len(rows)))
    if not len(copies) or not first.any():
        return None
    k, same = int(copies[0]), first[1:] == first[:-1]
    before, others = int(first[k]), len(copies) - 1
    seen = f"position {k:,} repeats position {before:,}"
    if (rows[k:] == rows[before : before + len(rows) - k]).all() and k - before > 1:
        come = f"Positions start over after {k - before:,} (modulo)"
        return FAILS, seen, f"{come}." if not before else f"{come}, except the first {before:,}."
    if not same.any():
        seen += f", plus {others:,} more like it" if others else ""
        return FAILS, seen, "Rows were copied, so nothing tells these positions apart."
    begin = int(same.argmax())
    if same[begin:].all():
        why = (
            f"From {begin:,} on, all positions share the table's last row: "
            "it's too short, and its index is clipped."
        )
        return FAILS, f"from {begin:,} on, all tokens share one position", why
    if same[begin:].mean() < 0.25:
        last = begin + int(np.argmin(same[begin:]))
        seen = f"positions {begin:,} to {last:,} have the same vector"
        return FAILS, seen, "The rows there are all the same, as if they were never filled."
    count = same[begin : begin + WINDOW - 1].sum()
    seen = f"from {begin:,} on, {count} of {WINDOW - 1} neighbors share a position"
    why = f"Positions are stored in {DTYPES.get(begin, 'too few')} significant bits."
    return FAILS, seen, why


def _faded(rows: np.ndarray) -> Told | None:
    """Say where a table's rows fade to almost nothing, if they do."""
    lengths = np.linalg.norm(rows, axis=1)
    small = lengths < SAME * lengths[:WINDOW].max()
    if not small[-1]:
        return None
    first = int(len(small) - small[::-1].argmin())
    seen = f"from {first:,} on, rows are less than {SAME:.1%} as long as at 0"
    if not rows[first:].any():
        return FAILS, f"from {first:,} on, rows are zeros", "These rows were never filled."
    return FAILS, seen, "The rows fade until nothing is left."


def _other_scores(one: Tokens, queries: np.ndarray, keys: np.ndarray) -> Told | None:
    """Say why scores are different far out, if they are."""
    both = zip((queries, keys), one.text, strict=True)
    moved = [not close(now[:WINDOW], before[:WINDOW]) for now, before in both]
    if all(moved):
        how = by_length(one) or "vectors change as the text grows"
        return OPEN, f"{how}, so cached keys must be rotated again", ""
    near = one.text[0][:WINDOW] @ one.text[1][:WINDOW].T
    begins = np.arange(WINDOW, len(keys) - WINDOW + 1, WINDOW // 2)
    windows = begins[:, None] + np.arange(WINDOW)
    off = np.abs(queries[windows] @ keys[windows].swapaxes(1, 2) - near).max(axis=(1, 2))
    for begin in begins[off > SAME * np.abs(near).max()]:
        here, after = (slice(k, k + WINDOW) for k in (begin, begin + WINDOW))
        far = queries[here] @ keys[here].T
        then = queries[after] @ keys[after].T
        why = ROUNDED
        if any(moved) or along(far) <= SAME or (len(then) == WINDOW and along(then) <= SAME):
            why = LEAP if then.shape == near.shape and close(then, near) else TWO_TABLES
        return FAILS, f"from {begin:,} on, the same offsets get different scores than at 0", why
    return None
