"""The tests of a text's vectors: each returns a verdict, what was seen and what that points to."""

import numpy as np

from posenc_lib.lessons.clinic.probes import FAILS, HOLDS, OPEN, SAME, Tokens, Told, close
from posenc_lib.lessons.clinic.rotation import by_length
from posenc_lib.lessons.clinic.scores import in_plane

MOST, WINDOW = 8192, 32  # positions that are looked at, at most, and at once
FAR = (256, 1000, 4096, MOST - WINDOW)  # where a text has grown to
LARGEST = 2**17  # rows of a table that are looked at
# where a token comes alone, and the next one, too
ALONE = (0, 5, 64, 96, 127, 191, 255, 383, 511, 767, 1000, 1023, 1535, 2047, 3000, 4095, 6000)
CHUNK = 4  # tokens that come together
# by the first position that is rounded
DTYPES = {256: "bfloat16, which has 8", 2048: "float16, which has 11"}
WAVES = (
    "A sine and its cosine have different frequencies: both columns of a pair need the "
    "pair's number, 2·(i // 2)/d for column i, which was doubled once more where i counts by two. "
    "Or a reshape has mixed positions with dims."
)
GROWS = (
    "Rows are waves, but their length changes with the position, "
    "so the score of an offset changes with them."
)
MIXED = "Mixed pairing: cos and sin are laid out for {}, partners are taken as {}."
AXIS = (
    "It is counted along the wrong axis: "
    "by the token's place in a batch (x[:, 0] instead of x[0]), or its head."
)
ROUNDED = (
    "Angles are rounded: positions, frequencies and angles need float32 at least, cosines do not."
)
LEAP = "Positions leap there: some are left out, or come twice."
SHARED = "All tokens of one call share one place, {}."
ONE_CALL = np.arange(10, 21)  # positions whose first, last and mean are different
SHARES = {
    "that of the first: only a token alone has its own": 10,
    "that of the last: only a token alone has its own": 20,
    "their mean: only a token alone has its own": 15,
}
TWO_TABLES = (
    "Query and key are turned by two tables: "
    "a new one for queries, an old one in the cache of keys."
)


def of_vectors(one: Tokens) -> dict[str, Told]:
    """Test an additive or a rotary encoding."""
    if one.mixes:
        why = (
            "It runs along the wrong axis: "
            "pairs are made of tokens, not of dims (x.T, or axes that were swapped)."
        )
        seen = "what becomes of a token depends on the other tokens"
        return {"constant diagonals": (FAILS, seen, why)}
    diagonals, longest = _diagonals(one), _longest(one)
    level = one.promised and diagonals[0] == HOLDS
    return {
        "constant diagonals": diagonals,
        "constant norm": _norm(one, level),
        "cached equals full": _cached(one, longest[0]),
        "a rectangle": (OPEN, "a text has none", ""),
        "beyond position 256": _beyond(one, level, *longest),
    }


def temperature(one: Tokens) -> str:
    """Say how queries grow with their position while keys stay as long as they are, if they do."""
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
    if not times.max(initial=0) > 1 + SAME or (np.diff(times) < -SAME).any():
        return ""
    both = np.linalg.norm(one.vectors(t[[0, -1]])[0], axis=1)  # in one text
    whose = "the text's length" if close(both, both[:1]) else "their position"
    seen = f"queries grow with {whose}, {times[-1]:.3f} times at {t[-1]}"
    more = times > 1 + SAME / 10
    for ahead, name in ((1, "Llama 4"), (0, "Ministral 3")):
        length = np.exp(np.log(t[more] + ahead) / times[more])
        if more.sum() > 1 and np.allclose(length, length[0], rtol=SAME / 10):
            return f"{seen}: log-n, ln t over ln {length[0]:.0f}"
        floor, scale = t[more][0] + ahead, (times[more][0] - 1) / np.log(2)
        if np.allclose(times, 1 + scale * np.log1p((t + ahead) // floor), rtol=SAME / 10):
            return f"{seen}: as in {name}, floor_scale {floor}, attn_scale {scale:.3g}"
    return f"{seen}: a temperature, but not log-n"


def level(one: Tokens) -> Tokens:
    """Return the same text with queries that do not grow."""

    def read(q, k, at):
        queries, keys = one.read(q, k, at)
        long = np.linalg.norm(queries, axis=1, keepdims=True)
        return np.where(long > 0, queries * np.linalg.norm(q) / np.maximum(long, 1e-300), q), keys

    return Tokens(one.kind, one.title, one.dims, read, len(one.short))


def along(scores: np.ndarray) -> float:
    """Return how far scores on one diagonal lie apart, at most, as a part of how far any two do."""
    return in_plane(scores, 1, len(scores))


def _diagonals(one: Tokens) -> Told:
    if one.kind == "additive" and not one.text[0].any():
        return OPEN, "it adds nothing: no position at all, which some models mean", ""
    if all(close(x, x[:1], 1e-9) for x in one.text):
        why = f"Every token has the same {'angle' if one.kind == 'rotary' else 'row'}. {AXIS}"
        if one.kind == "rotary" and close(one.text[0][0], one.q, 1e-9):
            why = "Nothing turns: the table is never applied, or counted along an axis of one."
        return FAILS, "every score is the same: the order is gone", _shared(one) or why
    apart = along(one.text[0] @ one.text[1].T)
    if apart <= SAME:
        return HOLDS, "scores depend on the offset alone", ""
    seen = f"on one diagonal scores differ by up to {apart:.0%} of their range"
    if not one.promised:
        return OPEN, f"{seen}: no fault in a table that is not made of sines with their cosines", ""
    if one.kind == "rotary":
        return FAILS, seen, _why_turns(one)
    even = one.text[0] / np.linalg.norm(one.text[0], axis=1, keepdims=True)
    return FAILS, seen, GROWS if along(even @ even.T) <= SAME else WAVES


def _shared(one: Tokens) -> str:
    """Say which one place all tokens of a call share, if another call has another."""
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
            return SHARED.format("by how many they are" if by_number else "made of all of theirs")
    return ""


def _why_turns(one: Tokens) -> str:
    """Say why scores of turned vectors depend on more than the offset."""
    (queries, keys), turn = one.text, one.step()
    if along((queries @ keys.T)[:, ::-1]) <= SAME:
        return (
            "It is the sum of both positions that counts: "
            "the query or the key is turned the other way."
        )
    if any(close(x, x[:1], 1e-9) for x in one.text):
        return _shared(one) or "Only one of the two is turned: query and key both must be."
    if not np.allclose(turn @ turn.T, turn[0] @ turn[0] * np.eye(one.dims), atol=SAME):
        cosines, partners = np.diag(turn), one.pairing
        if partners == "half" and np.allclose(cosines[0::2], cosines[1::2]):
            return MIXED.format("neighbors (repeat)", "halves (rotate_half)")
        if partners == "interleaved" and np.allclose(*np.split(cosines, 2)):
            return MIXED.format("halves (cat)", "neighbors (rotate_every_two)")
        return (
            "What happens to a vector is no rotation. "
            "Look at how dims are paired, and at the signs of the sines."
        )
    if not close(*one.maps(7)[:, 1]):
        return "Query and key are turned by two tables, of another base, say, or another pairing."
    return "Angles do not grow evenly with the position: they were rounded, or are no rotation's."


def _norm(one: Tokens, level: bool) -> Told:
    lengths = [np.linalg.norm(x, axis=1) for x in one.text]
    if all(close(x, x[:1]) for x in lengths):
        return HOLDS, f"{lengths[0].max():.2f} at every position", ""
    seen = f"from {lengths[0].min():.2f} to {lengths[0].max():.2f}"
    if one.promised and not level:
        why = (
            "A rotation keeps lengths, and sin² + cos² is 1: "
            "the two dims of a pair do not go together."
        )
        return FAILS, seen, why
    why = "queries grow as keys shrink, as in xPos" if level else "never promised by such a table"
    return OPEN, f"{seen}: {why}", ""


def _longest(one: Tokens) -> tuple[tuple, str]:
    """Return the vectors of as long a text as there is, and what a longer one raises."""
    most = min(one.end + 1, LARGEST) if one.end else MOST
    found, raised = one.text, ""
    low, high, n = len(found[1]), most + 1, most
    while high - low > 1:
        try:
            found, low = one.vectors(np.arange(n)), n
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raised = f"a text of {n} tokens raised {what}".partition("\n")[0]
            high = n
        n = one.end if one.end and low < one.end < high else (low + high) // 2
    return found, raised


def _cached(one: Tokens, longest: tuple) -> Told:
    """Compare a token that comes alone, and a text that grows, with a text that is read at once."""
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
            seen = (
                f"a text that has grown past {begin} has other keys than one that is read at once"
            )
            return FAILS, seen, TWO_TABLES
    return HOLDS, "a token alone stands where it stood in the text", ""


def _alone(one: Tokens, at: int, text: tuple) -> Told | None:
    """Say what becomes of a token that comes alone, if it stands elsewhere than in the text."""
    fails = FAILS if one.promised else OPEN
    here = [x[-1] for x in one.alone(at)]
    for k, rows in enumerate(text):
        # a text that ends here may have other frequencies
        if close(here[k], rows[at]) or (
            text is not one.text and close(here[k], one.vectors(np.arange(at + 1))[k][at])
        ):
            continue
        if one.promised and (how := by_length(one)):
            return OPEN, how, ""
        off = np.abs(rows - here[k]).max(axis=1)
        places = np.flatnonzero(off <= SAME * np.abs(here[k]).max())
        where = f", position {places[0]} for {at}" if len(places) else ""
        why = f"A token that comes alone stands at another place than its own{where}."
        return fails, f"what stands at position {at} depends on the rest of the text", why
    if text is one.text:
        return None
    for x, y, rows in zip(here, one.alone(at + 1), text, strict=True):
        if close(x, y[-1], 1e-9) and not close(rows[at], rows[at + 1], 1e-6):
            seen = f"tokens that come alone at {at} and {at + 1} stand at one place"
            return fails, seen, "A token that comes alone stands at another place than its own."
    return None


def _together(one: Tokens, at: int, text: tuple) -> Told | None:
    """Say that tokens which come a few at a time stand elsewhere than in the text, if they do."""
    few = np.arange(max(at - CHUNK + 1, 0), at + 1)
    for k, rows in enumerate(one.vectors(few)):
        if not close(rows, text[k][few]) and not close(
            rows, one.vectors(np.arange(at + 1))[k][few]
        ):
            seen = f"{len(few)} tokens that come together up to {at} stand elsewhere than in a text"
            why = "Tokens that come a few at a time stand at other places than their own."
            return FAILS if one.promised else OPEN, seen, why
    return None


def _beyond(one: Tokens, level: bool, longest: tuple, raised: str) -> Told:
    """Look far out for what is not as at the beginning."""
    queries, keys = longest
    found = _faded(queries) or _alike(queries) or _alike(keys)
    found = found or (level and _other_scores(one, queries, keys))
    if found or not raised:
        return found or (HOLDS, f"as at 0, up to position {len(keys) - 1}", "")
    if " finite" in raised:
        return FAILS, raised, "Something overflows, or is divided by nothing."
    return OPEN, f"no text may be much longer: {raised}", ""


def _alike(rows: np.ndarray) -> Told | None:
    """Say why positions have one and the same vector, if any have and not all."""
    if len(np.unique(rows[:, np.ptp(rows, axis=0).argmax()])) == len(rows):
        return None
    known: dict = {}
    first = np.array([known.setdefault(row.tobytes(), k) for k, row in enumerate(rows + 0.0)])
    copies = np.flatnonzero(first < np.arange(len(rows)))
    if not len(copies) or not first.any():
        return None
    k, same = int(copies[0]), first[1:] == first[:-1]
    before, others = int(first[k]), len(copies) - 1
    seen = f"position {k} is position {before} once more"
    if (rows[k:] == rows[before : before + len(rows) - k]).all() and k - before > 1:
        come = f"Positions begin again after {k - before} (modulo)"
        return FAILS, seen, f"{come}." if not before else f"{come}, but the first {before}."
    if not same.any():
        seen += f", and so are {others} others" if others else ""
        return FAILS, seen, "Rows were copied: nothing tells these positions apart."
    begin = int(same.argmax())
    if same[begin:].all():
        why = (
            f"All from {begin} on share the table's last row: "
            "it is too short, and its index is clipped."
        )
        return FAILS, f"from {begin} on all stand at one position", why
    if same[begin:].mean() < 0.25:
        last = begin + int(np.argmin(same[begin:]))
        seen = f"positions {begin} to {last} stand at one position"
        return FAILS, seen, "Rows are the same there, as rows are that were never filled."
    count = same[begin : begin + WINDOW - 1].sum()
    seen = f"from {begin} on {count} of {WINDOW - 1} neighbors stand at one position"
    why = f"Positions are held in {DTYPES.get(begin, 'too few')} binary digits."
    return FAILS, seen, why


def _faded(rows: np.ndarray) -> Told | None:
    """Say from where on next to nothing is left of a table's rows, if that is so."""
    lengths = np.linalg.norm(rows, axis=1)
    small = lengths < SAME * lengths[:WINDOW].max()
    if not small[-1]:
        return None
    first = int(len(small) - small[::-1].argmin())
    seen = f"from {first} on rows are less than {SAME:.1%} as long as at 0"
    if not rows[first:].any():
        return FAILS, f"from {first} on rows are zeros", "These rows were never filled."
    return FAILS, seen, "They fade, and then say nothing."


def _other_scores(one: Tokens, queries: np.ndarray, keys: np.ndarray) -> Told | None:
    """Say why scores are others far out, if they are."""
    both = zip((queries, keys), one.text, strict=True)
    moved = [not close(now[:WINDOW], before[:WINDOW]) for now, before in both]
    if all(moved):
        how = by_length(one) or "a text changes as it grows"
        return OPEN, f"{how}: cached keys must be turned anew", ""
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
        return FAILS, f"from {begin} on the same offsets have other scores than at 0", why
    return None
