"""The scorecard: nine properties of a positional encoding, and which encodings have them."""

import html
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import WIDTH, Encoding
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.own import opened
from posenc_lib.encodings.register import last_lesson
from posenc_lib.encodings.similarity import closest_pair
from posenc_lib.translation import in_html, said

SHORT, LONG = 64, 256  # positions
WHOLE = 2**14  # a table that ends is examined whole, up to this many rows
ROWS = 256  # of a long table's scores at a time
STEP = 5  # the shift an affine map has to make
DRAWS = 100  # of weights, of queries and keys, or of tokens, if an encoding depends on them
# Styles of the strips of rings, in colors for light and dark pages
BLUE, SHADE = "#0072B2", "background:#0072B226;font-weight:bold"
RING = "width:14px;height:14px;border-radius:9px;overflow:hidden;color:transparent"
RING += f";border:2px solid {BLUE}"
STEM = '<div style="margin-left:12px;height:18px;border-left:1px solid #8C959F"></div>'
LABEL = "text-align:left;white-space:nowrap;padding:0 8px;line-height:18px;font-weight:normal;"
KEY = {  # by verdict, or by mark if there's none
    True: "Full: yes.",
    False: "Empty: no.",
    None: "Partly full: in that share of draws.",
    "–": "–: doesn't count.",
}
FORMERLY = {  # names that version 1.0 had
    "goes on": "no length limit",
    "near is near": "nearby is similar",
    "only the offset counts": "offset only",
    "survives tokens": "offset only with words",
}
NONE, ENDS, TRIVIAL = (
    "no vectors",
    "its table ends",
    "trivial",
)  # reasons there's nothing to measure


@dataclass(frozen=True)
class Property:
    """One column: what is measured, and when it counts as a yes."""

    lesson: int  # the lesson that first needs it
    name: str
    means: str
    says: str  # what the number is
    rule: str  # the condition for a yes
    measure: Callable[["Draw"], float | None]  # None if the table ends too soon
    of_vectors: bool = False  # whether it needs one vector per position, which offsets don't have
    drawn: bool = False  # whether it's measured over draws even if the encoding isn't random
    # words for values that aren't numbers; None is 0 ÷ 0
    words: dict[float | None, str] = field(default_factory=dict)

    def holds(self, value: float) -> bool:
        """Return whether a value satisfies the rule."""
        sign, limit = self.rule.replace("no end", "≥ 1").split()
        return value >= float(limit) if sign == "≥" else value <= float(limit)


@dataclass(frozen=True)
class Measured:
    """One cell: one value per draw, a single one if nothing is random, or a reason for none."""

    of: Property
    values: tuple[float, ...] = ()
    reason: str = ""

    @property
    def value(self) -> float | None:
        """The median of the draws, NaN if there's nothing to divide by."""
        known = [value for value in self.values if not np.isnan(value)]
        return float(np.median(known or np.nan)) if self.values else None

    @property
    def share(self) -> float:
        """The share of draws with the property."""
        return float(np.mean([self.of.holds(value) for value in self.values]))

    @property
    def verdict(self) -> bool | None:
        """Whether every draw has it, or none. None if draws differ or it doesn't apply."""
        return None if self.reason or 0 < self.share < 1 else self.share == 1

    @property
    def answer(self) -> str:
        """The verdict in one word."""
        if self.reason:
            return self.reason if self.reason == TRIVIAL else "–"
        if self.verdict is None:
            return f"{self.share:.0%}"
        return "yes" if self.verdict else "no"

    @property
    def number(self) -> str:
        """The value to three digits. Rounding noise is 0, the same on every machine."""
        if self.reason:
            return "" if self.reason == TRIVIAL else self.reason
        number = f"{self.value:.3g}".replace("-", "−").replace("inf", "∞")
        if abs(self.value) < 1e-9:
            number = "0"
        return self.of.words.get(None if np.isnan(self.value) else self.value, number)

    @property
    def told(self) -> tuple[str, str]:
        """The verdict as a disc and a word, or a slice for a share, and the number."""
        number = "of draws" if "%" in self.answer else self.number
        if self.reason:
            return self.answer, number
        disc = "○" if self.verdict is False else "◔◑◕●"[int(3 * self.share)]
        return f"{disc} {self.answer}", number


class Draw:
    """One draw of an encoding: of its weights, or of its query and key, if any."""

    def __init__(self, encoding: Encoding, seed: int):
        self.encoding, self.seed = encoding, seed
        has_seed = "seed" in encoding.values and "seed" not in encoding.no_slider
        self.is_learned = has_seed and not encoding.from_function
        self.looks_at_content = "content" in encoding.values and encoding.has("query_and_key")

    short = cached_property(lambda self: self._at(SHORT))
    long = cached_property(lambda self: self._at(self.end or LONG))
    text = property(lambda self: self.long if self.end else self.short)

    @cached_property
    def end(self) -> int:
        """Where a table ends, if it can be examined whole. 0 if nothing ends."""
        end = self.short.highest.get("seq_len", 0)
        return end if self.short.has("table") and end <= WHOLE else 0

    def _at(self, seq_len: int) -> Encoding:
        """Return it at a length, up to its end, with 64 dims if that can be chosen."""
        encoding = self.encoding
        chosen = {encoding.width: WIDTH} if encoding.width in encoding.values else {}
        if self.is_learned:
            chosen["seed"] = self.seed
        one = encoding.at(seq_len=seq_len, **chosen)
        if one.from_function:  # a function may only work with its own width
            try:
                one.check()
            except ValueError:
                one = encoding.at(seq_len=seq_len)
        if one.max_positions != seq_len:
            one = one.at(seq_len=one.max_positions)
        if not self.looks_at_content:
            return one
        query, key = np.random.default_rng((self.seed, 44)).normal(size=(2, one.num_dims))
        return one.with_content(query, key)  # all ones would be the easiest case


def _values(one: Encoding) -> np.ndarray:
    """Return an encoding's numbers: its table, or its scores."""
    return one.table.astype(float) if one.has("table") else one.similarity


def _ratio(part: float, whole: float) -> float:
    """Return part ÷ whole, which can be infinite. NaN for two zeros."""
    if whole > 0:
        return float(part / whole)
    return np.inf if part > 0 else np.nan


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value. Equal values share their mean rank."""
    values = (values / (np.abs(values).max() or 1)).round(12)
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def _spread(parts: Iterable[np.ndarray]) -> float:
    """Return how much scores vary at a fixed offset, relative to the largest score.

    They come in parts, with the rows of a few queries at a time.
    """
    first, largest = 0, 0.0
    least = most = np.zeros(0)
    for scores in parts:
        rows, n = scores.shape
        if not first:
            least, most = np.full((2, 2 * n - 1), [[np.inf], [-np.inf]])
        here = slice(first, first + rows + n - 1)
        least[here] = np.minimum(least[here], _by_offset(scores, np.inf).min(axis=0))
        most[here] = np.maximum(most[here], _by_offset(scores, -np.inf).max(axis=0))
        largest = np.maximum(largest, np.abs(scores).max())
        first += rows
    return _ratio((most - least).max(), largest)


def _by_offset(scores: np.ndarray, gap: float) -> np.ndarray:
    """Return scores with one offset per column, and gaps where there's none."""
    rows, n = scores.shape
    wide = np.full((rows, n + rows), gap)
    wide[:, :n] = scores[:, ::-1]
    return wide.ravel()[:-rows].reshape(rows, -1)  # each row is shifted one further than the last


def _products(q: np.ndarray, k: np.ndarray) -> Iterator[np.ndarray]:
    """Yield scores, the rows of a few queries at a time."""
    for first in range(0, len(q), ROWS):
        yield q[first : first + ROWS] @ k.T


def _scores(one: Encoding, here: slice = slice(None)) -> Iterator[np.ndarray]:
    """Yield the scores of positions with each other, the rows of a few queries at a time."""
    if not one.has("table"):
        return iter([one.similarity[here, here]])
    q, k = (x[here].astype(float) for x in one.queries_keys)
    return _products(q, k)


def _closest(draw):
    return _ratio(closest_pair(draw.long.table)[2], np.median(draw.long.steps))


def _growth(draw):
    if draw.long.seq_len < LONG:
        return None
    return _ratio(np.abs(_values(draw.long)).max(), np.abs(_values(draw.short)).max())


def _moved(draw):
    if draw.long.seq_len <= SHORT:
        return None
    before = _values(draw.short)
    return float(np.abs(_values(draw.long)[: before.shape[0], : before.shape[1]] - before).max())


def _reach(draw):
    if draw.long.has_end:
        return 0
    far = [] if draw.long.has("table") else draw.long.similarity[-1, : LONG // 4]
    return 1 if len(far) and np.ptp(far) == 0 else 2  # 1: all distant keys look the same


def _unevenness(draw):
    if not draw.long.continuous:
        return np.nan
    return _ratio(draw.long.steps.max(), draw.long.steps.min())


def _near_is_near(draw):
    one, found = draw.text, []
    last = max(one.seq_len - SHORT, 0)
    for first in {*range(0, last, SHORT // 2), last}:
        here = slice(first, first + SHORT)
        if one.kind == "additive":
            rows = _values(one)[here]
            in_space = np.linalg.norm(rows[:, None] - rows, axis=-1)
        else:  # nothing is added to the tokens, so the score should fall with distance
            in_space = -next(_scores(one, here))
        j, i = np.triu_indices(len(in_space), 1)  # keys before their queries
        in_space = _ranks(in_space[i, j])
        if np.ptp(in_space) == 0:
            return np.nan  # all distances are equal, which says nothing
        found.append(np.corrcoef(in_space, _ranks((i - j).astype(float)))[0, 1])
    return float(min(found))


def _shift_residual(draw):
    table = _values(draw.long)
    if len(table) < STEP + 2 + table.shape[1]:  # fitting a map needs more rows than dims
        return None
    before, after = table[:-STEP], table[STEP:]
    before = np.column_stack([before, np.full(len(before), np.abs(table).max())])
    best = np.linalg.lstsq(before, after, rcond=None)[0]
    return _ratio(np.abs(before @ best - after).max(), np.abs(table).max())


def _bare_spread(draw):
    return _spread(_scores(draw.text))


def _token_spread(draw):
    one, rng = draw.text, np.random.default_rng((draw.seed, 45))  # not the encoding's draws
    d = one.num_dims
    token, (w_q, w_k) = rng.normal(size=d), rng.normal(size=(2, d, d)) / np.sqrt(d)
    x = one.embed(np.tile(token, (one.seq_len, 1)))
    q, k = x @ w_q, x @ w_k
    if not one.has("table"):
        return _spread([sum(one.scores_and_bias(q, k))])
    related = {"q": q, "k": k} | one.relate(q, k)
    return _spread(_products(related["q"], related["k"]))


PROPERTIES = [  # in the order the lessons need them
    Property(2, "unique", "no two positions have the same vector",
             "closest two positions ÷ one step", "≥ 0.1", _closest, of_vectors=True,
         words={None: "its steps are 0"}),
    Property(2, "bounded", "numbers stay small in longer texts",
         f"largest value, {LONG} positions ÷ {SHORT}", "≤ 3", _growth,
         words={np.inf: "it starts with 0"}),
    Property(2, "length-independent", "a position has the same numbers in every text",
         "change when the text grows", "≤ 1e-9", _moved),
    Property(3, "no length limit", "there's no last position",
         "longer texts", "no end", _reach,
         words={0: "ends", 1: "repeats its end", 2: "any length"}),
    Property(3, "continuous", "there's a position 1.5, and no step is much longer than another",
         "largest step ÷ smallest", "≤ 10", _unevenness, of_vectors=True,
         words={None: "no position 1.5", np.inf: "some steps are 0"}),
    Property(3, "nearby is similar",
             "the closer two positions are in the text, the closer they are in space",
         "rank correlation with |i − j|", "≥ 0.5", _near_is_near,
         words={None: "all equally far"}),
    Property(4, "shift is linear",
         f"one matrix and one constant move any position {STEP} forward",
         "residual of the best map", "≤ 1e-9", _shift_residual, of_vectors=True),
    Property(5, "offset only", "scores depend only on the offset",
         "spread at fixed offset", "≤ 1e-9", _bare_spread,
         words={None: "all scores are 0"}),
    Property(5, "offset only with words", "so do the scores of a token after W_q and W_k",
         "the same, with tokens", "≤ 1e-9", _token_spread, drawn=True),
]  # fmt: skip


def _measured(p: Property, draws: list[Draw]) -> Measured:
    """Measure a property of an encoding, with as many draws as needed."""
    first, one = draws[0], draws[0].long
    if p.of_vectors and not one.has("table"):
        return Measured(p, reason=NONE)
    drawn = p.drawn or first.is_learned or first.looks_at_content
    if first.end:  # a long table has a lot in every draw
        draws = draws[: max(DRAWS * SHORT**2 // first.end**2, 3)]
    values = (None,)
    if (
        one.seq_len >= 3 or p.name == "no length limit"
    ):  # with fewer positions there are no steps to compare
        values = tuple(map(p.measure, draws if drawn else draws[:1]))
    if None in values:
        return Measured(p, reason=ENDS)
    found = Measured(p, values)
    is_trivial = found.verdict or p.rule.startswith("≤")
    return Measured(p, reason=TRIVIAL) if is_trivial and _are_alike(one) else found


def _are_alike(one: Encoding) -> bool:
    """Return whether all positions look the same: equal rows, or equal scores."""
    if one.has("table"):
        return not np.ptp(one.table, axis=0).any()
    return np.ptp(one.similarity) <= 1e-12 * np.abs(one.similarity).max()


def one_thread() -> AbstractContextManager:
    """Return a context in which NumPy uses one thread.

    Several threads would wait for each other on a busy machine.
    """
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:  # an extra
        return nullcontext()
    return threadpool_limits(1)


@dataclass(frozen=True)
class Scorecard:
    """Measured properties by encoding and name. Prints as a table."""

    measured: dict[str, dict[str, Measured]]  # each with .value, .share and .verdict
    new: frozenset[str]  # names of encodings and properties to highlight

    @property
    def properties(self) -> list[Property]:
        return [cell.of for cell in next(iter(self.measured.values())).values()]

    def verdict(self, name: str, what: str) -> bool | None:
        """Return whether an encoding has a property, or None if it varies or doesn't apply."""
        row = self.measured[validate.known("name", name, self.measured)]
        what = FORMERLY.get(what, what)
        return row[validate.known("what", what, row)].verdict

    def count(self, name: str) -> str:
        """Say how many of the properties that apply an encoding has."""
        row = self.measured[name].values()
        held = sum(cell.verdict is True for cell in row)
        return f"{held} of {sum(not cell.reason for cell in row)}"

    def describe(self, name: str) -> str:
        """Return a sentence about the properties an encoding has."""
        row = self.measured[name].items()
        held = [name for name, cell in row if cell.verdict]
        held += [f"{name} in {cell.answer} of draws" for name, cell in row if "%" in cell.answer]
        return f"{name}: {self.count(name)} ({', '.join(held) or 'none'})."

    def __repr__(self) -> str:
        """Return a table: one line per property and rule, one column per encoding."""
        columns = [["", *(f"{p.name} {p.rule}" for p in self.properties)]]
        for name, row in self.measured.items():
            columns.append([name, *(" ".join(cell.told) for cell in row.values())])
        wide = [max(map(len, column)) for column in columns]
        lines = zip(*columns, strict=True)
        return "\n".join("  ".join(map(str.ljust, line, wide)).rstrip() for line in lines)

    def _repr_mimebundle_(self, include=None, exclude=None):
        words = " ".join(map(self.describe, self.measured))
        return {"text/html": in_html(self.html()), "text/plain": said(words)}, {}

    def html(self) -> str:
        """Return a strip of rings for each encoding, one per property. Numbers are in a fold."""
        meanings = "".join(
            f"<li><b>{p.name}</b>: {p.means} ({p.says}: {p.rule})</li>" for p in self.properties
        )
        folded = {"In numbers": self._table(), "What the properties mean": f"<ul>{meanings}</ul>"}
        folds = (f"<details><summary>{name}</summary>{x}</details>" for name, x in folded.items())
        return self._news() + self._strips() + "".join(folds)

    def _news(self) -> str:
        """Return a sentence about what's new."""
        rows = [name for name in self.measured if name in self.new]
        columns = [f"<i>{p.name}</i>" for p in self.properties if p.name in self.new]
        held = [f"{html.escape(name)} ({self.count(name)} properties)" for name in rows]
        listed = partial(validate.listed, serial=True)
        news = f"{listed(held)} {_are(held)} new" if rows else ""
        if columns and rows:
            news += f", and so {_are(columns)} {listed(columns)}"
        elif columns:
            news = f"{listed(columns)} {_are(columns)} new"
        return f"<p>{news}.</p>" if news else ""

    def _strips(self) -> str:
        """Return a table: property names as stairs, rings below, then each encoding's name.

        Its styles are inline, so a page that removes style sheets keeps them.
        """
        names, lines = [p.name for p in self.properties], []
        for k, name in enumerate(names):
            stems = "".join(f'<td style="padding:0;{self._shade(one)}">{STEM}' for one in names[:k])
            label = f'<span style="{self._shade(name)}">{name}</span>'
            lines.append(f'{stems}<td colspan="{len(names) - k + 1}" style="{LABEL}">{label}')
        for name, row in self.measured.items():
            shades = {one: self._shade(name, one) for one in names}
            rings = (f'<td style="padding:4px;{shades[p]}">{_ring(p, row[p])}' for p in names)
            look = LABEL + self._shade(name)
            lines.append(f'{"".join(rings)}<th scope="row" style="{look}">{html.escape(name)}')
        rows = "".join(f'<tr style="background:none">{line}' for line in lines)
        return f'<table style="margin:0">{rows}</table><p><small>{self._key()}</small></p>'

    def _key(self) -> str:
        """Say what the marks mean that occur."""
        cells = [cell for row in self.measured.values() for cell in row.values()]
        marks = {"–" if cell.reason else cell.verdict for cell in cells}
        return " ".join(words for mark, words in KEY.items() if mark in marks)

    def _table(self) -> str:
        """Return a table with a symbol, an answer and a number in each cell."""
        heads = (f"<th>{p.name}<br><small>{p.rule}</small></th>" for p in self.properties)
        lines = [f"<tr><th></th>{''.join(heads)}</tr>"]
        for name, row in self.measured.items():
            told = (cell.told for cell in row.values())
            cells = (f"<td>{word}<br><small>{number}</small></td>" for word, number in told)
            lines.append(f"<tr><th>{html.escape(name)}</th>{''.join(cells)}</tr>")
        return f"<table>{''.join(lines)}</table>"

    def _shade(self, *names: str) -> str:
        """Return the highlight if any of the names is new."""
        return SHADE if self.new & {*names} else ""


def _ring(name: str, cell: Measured) -> str:
    """Return a ring, full for yes. Its words are inside, out of sight.

    The styles are among those that an untrusted notebook's page allows.
    """
    word, number = cell.told
    if cell.reason:
        return f'<div title="{name}: {number or word}" style="width:18px;text-align:center">–</div>'
    words = f"{name}: {word}"
    part = f'<div style="width:{cell.share:.0%};height:14px;background:{BLUE}">{words}</div>'
    return f'<div title="{name}: {word[2:]}, {number}" style="{RING}">{part}</div>'


def _are(names: list[str]) -> str:
    """Return the verb that goes with so many names."""
    return "are" if names[1:] else "is"


def scorecard(what: object = None, *, lesson: int | None = None) -> Scorecard:
    """Measure nine properties of encodings, with 64 dims if that can be chosen.

    Learned encodings, and those that depend on queries and keys, are drawn 100 times. You get the
    median, and the share of draws if they differ. Lengths are 64 and 256 positions. A table that
    ends is examined whole, up to 16,384 rows, with fewer draws if it's long.

    >>> scorecard("sine").verdict("sine", "shift is linear")
    False

    Args:
        what: an encoding's name, your own encoding (anything `explore` takes), or a list. None
            means the whole catalog. "–" means a table ends before there's anything to measure.
        lesson: keep only the properties that have come up by this lesson, and the catalog's
            encodings up to it. New ones are highlighted.

    Returns:
        a Scorecard: rings in a notebook, text when printed, numbers in
        .measured[name][property].value.

    Raises:
        TypeError, ValueError: no such encoding or lesson, or the encoding fails.
    """
    last = last_lesson()
    if lesson is not None:
        last = validate.integer("lesson", lesson, low=1, high=last)
    if what is None:
        what = [name for name, encoding in ENCODINGS.items() if encoding.lesson < last + 1]
    encodings = opened(what)
    for one in encodings:
        if not one.has("attend"):
            rule = "what must say what happens to queries and keys"
            raise ValueError(f"{rule}, and {one.name} doesn't")
    properties = [p for p in PROPERTIES if p.lesson <= last]
    measured = {}
    with one_thread():
        for one in encodings:
            draws = [Draw(one, seed) for seed in range(DRAWS)]
            measured[one.name] = {p.name: _measured(p, draws) for p in properties}
    new = {one.name for one in encodings if int(one.lesson) == lesson}
    new |= {p.name for p in properties if p.lesson == lesson}
    return Scorecard(measured, frozenset(new))
