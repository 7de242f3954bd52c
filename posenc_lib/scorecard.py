"""Seven things one may want of a positional encoding, each measured, none asserted."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.own import opened

WIDTH = 8  # dims of every encoding that is measured: the same room for all
SHORT, LONG = 64, 256  # positions; 8 bits hold just 256
STEP = 5  # the shift that a linear map must make
ANSWERS = {True: "yes", False: "no", None: "–"}
NONE = "no vectors"  # what a property of vectors says of an encoding that knows offsets only
ENDS = "its table ends"  # what a property says that asks for more positions than there are


@dataclass(frozen=True)
class Property:
    """One column: what is measured, and when that counts as a yes."""

    name: str
    measure: Callable[[Encoding], float]
    says: str  # what the number is
    rule: str  # what the number must be
    holds: Callable[[float], bool]
    of_vectors: bool = False  # whether it asks for a vector per position; offsets alone have none
    least: int = 3  # positions that it needs; a map from rows to rows needs more of them than there are dims

    def of(self, encoding: Encoding) -> float | None:
        """Return what is measured of an encoding, or None where that cannot be."""
        no_vectors = self.of_vectors and not encoding.has("table")
        one = _at(encoding, LONG)
        least = self.least + one.num_dims + 1 if self.measure is _shift_residual else self.least
        return None if no_vectors or one.seq_len < least else self.measure(encoding)


def _at(encoding: Encoding, seq_len: int) -> Encoding:
    """Return the encoding at a length, up to its end, with as many dims as all others where it lets them be chosen."""
    width = {encoding.width: WIDTH} if encoding.width in encoding.values else {}
    one = encoding.at(seq_len=seq_len, **width)
    if one.opaque:  # a function may have been written for its own width alone
        try:
            one.check()
        except ValueError:
            one = encoding.at(seq_len=seq_len)
    return one if one.max_positions == seq_len else one.at(seq_len=one.max_positions)


def _values(encoding: Encoding, seq_len: int = LONG) -> np.ndarray:
    """Return the numbers that an encoding brings in: its table, or what it makes of the scores."""
    one = _at(encoding, seq_len)
    return one.table.astype(float) if encoding.has("table") else one.similarity


def _distances(table: np.ndarray) -> np.ndarray:
    return np.stack([np.linalg.norm(row - table, axis=-1) for row in table])


def _ratio(part: float, whole: float, nothing: float) -> float:
    """Return part ÷ whole, or `nothing` where there is nothing to compare: a table of zeros."""
    if whole > 0:
        return float(part / whole)
    return np.inf if part > 0 else nothing


def _growth(encoding: Encoding) -> float:
    """Return how much larger the largest number gets when the sequence grows from SHORT to LONG."""
    return _ratio(np.abs(_values(encoding)).max(), np.abs(_values(encoding, SHORT)).max(), 1.0)


def _closest(encoding: Encoding) -> float:
    """Return the smallest distance of any two positions, in typical neighbour steps."""
    distances = _distances(_values(encoding))
    return _ratio(distances[np.triu_indices(len(distances), 1)].min(), np.median(np.diagonal(distances, 1)), 0.0)


def _moved(encoding: Encoding) -> float:
    """Return by how much the numbers change when the same sequence goes on to LONG."""
    before = _values(encoding, SHORT)
    return float(np.abs(_values(encoding)[: before.shape[0], : before.shape[1]] - before).max())


def _unevenness(encoding: Encoding) -> float:
    """Return the largest neighbour step over the smallest, or infinity where position 1.5 does not exist."""
    if not _at(encoding, LONG).continuous:
        return np.inf
    steps = np.linalg.norm(np.diff(_values(encoding), axis=0), axis=1)
    return _ratio(steps.max(), steps.min(), 1.0)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value, equal values sharing their mean rank."""
    _, place, counts = np.unique(values.round(12), return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def _near_is_near(encoding: Encoding) -> float:
    """Return Spearman's rank correlation of the distance in space with the distance in time.

    Where positions have no vectors, what falls as keys lie farther away is the score.
    """
    values = _values(encoding, SHORT)
    j, i = np.triu_indices(len(values), 1)  # keys before their queries
    in_space = _ranks((_distances(values) if encoding.has("table") else -values)[i, j])
    if np.ptp(in_space) == 0:
        return 0.0  # all distances are equal: they tell nothing
    return float(np.corrcoef(in_space, _ranks((i - j).astype(float)))[0, 1])


def _shift_residual(encoding: Encoding) -> float:
    """Return what the best linear map from row t to row t + STEP leaves over, at worst."""
    table = _values(encoding)
    before, after = table[:-STEP], table[STEP:]
    best = np.linalg.lstsq(before, after, rcond=None)[0]
    return _ratio(np.abs(before @ best - after).max(), np.abs(table).max(), 0.0)


def _spread(encoding: Encoding) -> float:
    """Return how much the dot product varies along any fixed offset, as a part of the largest one."""
    scores = _at(encoding, SHORT).similarity
    spreads = [np.ptp(np.diagonal(scores, offset)) for offset in range(1 - len(scores), len(scores))]
    return _ratio(max(spreads), np.abs(scores).max(), 0.0)


PROPERTIES = (
    Property("bounded", _growth, f"largest value, {LONG} positions ÷ {SHORT}", "≤ 1.5", lambda x: x <= 1.5, least=LONG),
    Property("unique", _closest, "closest two positions ÷ one step", "≥ 0.1", lambda x: x >= 0.1, True),
    Property("length-independent", _moved, "move when the text grows", "≤ 1e-9", lambda x: x <= 1e-9, least=SHORT + 1),
    Property("continuous", _unevenness, "largest step ÷ smallest", "≤ 10", lambda x: x <= 10, True),
    Property("near is near", _near_is_near, "rank correlation with |i − j|", "≥ 0.5", lambda x: x >= 0.5),
    Property("shift is linear", _shift_residual, "residual of the best map", "≤ 1e-9", lambda x: x <= 1e-9, True, STEP),
    Property("only the offset counts", _spread, "spread at fixed offset", "≤ 1e-9", lambda x: x <= 1e-9),
)


@dataclass(frozen=True)
class Scorecard:
    """Measured values by encoding and property; prints as a table."""

    measured: dict[str, dict[str, float | None]]
    encodings: dict[str, Encoding]

    def verdict(self, name: str, wish: str) -> bool | None:
        """Return whether the encoding has a property, by the property's own rule; None where it does not apply."""
        validate.known("name", name, self.measured)
        validate.known("wish", wish, [p.name for p in PROPERTIES])
        value = self.measured[name][wish]
        return None if value is None else bool(next(p for p in PROPERTIES if p.name == wish).holds(value))

    def cells(self) -> tuple[list, list, dict, dict]:
        """Return what a picture of it holds: properties, their rules, and by encoding the answers and the numbers."""
        answers = {name: [self.verdict(name, p.name) for p in PROPERTIES] for name in self.measured}
        values = {name: [self._number(name, p) for p in PROPERTIES] for name in self.measured}
        return [p.name for p in PROPERTIES], [p.rule for p in PROPERTIES], answers, values

    def describe(self, name: str) -> str:
        """Say in a sentence which properties an encoding has."""
        asked = {p.name: self.verdict(name, p.name) for p in PROPERTIES}
        had = [wish for wish, yes in asked.items() if yes]
        return f"{name}: {len(had)} of {sum(yes is not None for yes in asked.values())} ({', '.join(had) or 'none'})."

    def __repr__(self) -> str:
        return self._last() if len(self.measured) == 1 else f"{self._many()}\n\n{self._last()}"

    def picture(self) -> bytes:
        """Return the table as a picture, the bytes of a PNG; matplotlib is loaded only here."""
        from posenc_lib.views.scorecard import picture

        return picture(*self.cells())

    def _ipython_display_(self) -> None:
        """Show the last row in words and all rows as a picture."""
        from IPython.display import display

        from posenc_lib.views.output import bundle
        from posenc_lib.views.scorecard import CSS_WIDTH

        print(self._last())
        words = " ".join(map(self.describe, self.measured))
        data, metadata = bundle(self.picture(), words, "Scorecard: a table of discs and rings.", CSS_WIDTH)
        display(data, metadata=metadata, raw=True)

    def _last(self) -> str:
        name = list(self.measured)[-1]
        one = self.encodings[name]
        lines = [f"{name}, {_at(one, LONG).num_dims} dims" if one.has("table") or one.width else name]
        for p in PROPERTIES:
            value, answer = self._number(name, p), ANSWERS[self.verdict(name, p.name)]
            told = value if answer == ANSWERS[None] else f"{p.says}: {value} (must be {p.rule})"
            lines.append(f"  {p.name:<23} {answer:<4} {told}")
        return "\n".join(lines)

    def _many(self) -> str:
        wide = max(map(len, self.measured))
        rows = {p.name: [ANSWERS[self.verdict(name, p.name)] for name in self.measured] for p in PROPERTIES}
        rows = {"": self.measured} | rows
        return "\n".join(f"{head:<23}" + "  ".join(f"{cell:>{wide}}" for cell in row) for head, row in rows.items())

    def _number(self, name: str, p: Property) -> str:
        """Return value in three digits; what is only rounding noise shows as its bound, the same on every machine."""
        value = self.measured[name][p.name]
        if value is None:
            return NONE if p.of_vectors and not self.encodings[name].has("table") else ENDS
        if value == np.inf:
            return "no position 1.5" if p.measure is _unevenness else "∞"
        return "below 1e-9" if abs(value) < 1e-9 else f"{value:.3g}".replace("-", "−")


def scorecard(what: object = None) -> Scorecard:
    """Measure the seven properties of some encodings, each with 8 dims where they can be chosen.

    >>> scorecard("sine").verdict("sine", "shift is linear")
    False

    Args:
        what: an encoding's name or one of your own, as `explore` takes them, or a list; None means the whole catalog.
            A table has dims and a length of its own: "–" stands where it ends before there is anything to measure.

    Returns:
        a Scorecard: a picture in a notebook, text where it is printed, numbers in .measured[name][property].

    Raises:
        TypeError, ValueError: there is no such encoding, or it fails.
    """
    encodings = {one.name: one for one in opened([*ENCODINGS] if what is None else what)}
    measured = {name: {p.name: p.of(one) for p in PROPERTIES} for name, one in encodings.items()}
    return Scorecard(measured, encodings)
