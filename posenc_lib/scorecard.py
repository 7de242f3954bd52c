"""Nine wishes, measured of some encodings, as a table: none of its answers is written by hand."""

from dataclasses import dataclass

from posenc_lib.encodings import validate
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.own import opened
from posenc_lib.wishes import WISHES, Measured, Wish, dims, measure

LESSONS = range(1, 15)  # those that have a scorecard; from 10 to 12 nothing is new in it


@dataclass(frozen=True)
class Scorecard:
    """Measured wishes by encoding and name; prints as a table.

    Attributes:
        measured: by encoding and wish, a Measured with .value, .share and .verdict.
        new: the names of encodings and wishes that stand out.
        dims: how many each encoding was measured with; None if it has none.
    """

    measured: dict[str, dict[str, Measured]]
    new: frozenset[str]
    dims: dict[str, int | None]

    @property
    def wishes(self) -> list[Wish]:
        return [cell.wish for cell in next(iter(self.measured.values())).values()]

    def verdict(self, name: str, wish: str) -> bool | None:
        """Return whether a wish comes true, by its own rule; None where it depends or does not apply."""
        validate.known("name", name, self.measured)
        return self.measured[name][validate.known("wish", wish, self.measured[name])].verdict

    def describe(self, name: str) -> str:
        """Say in a sentence which wishes come true for an encoding."""
        row = self.measured[name]
        had = [wish for wish, cell in row.items() if cell.verdict]
        depends = [f"{wish} in {cell.answer} of draws" for wish, cell in row.items() if cell.depends]
        asked = sum(not cell.reason for cell in row.values())
        return f"{name}: {len(had)} of {asked} ({', '.join(had + depends) or 'none'})."

    def __repr__(self) -> str:
        lines = [name for name in self.measured if name in self.new] or list(self.measured)[-1:]
        told = "\n\n".join(map(self._row, lines))
        return told if len(self.measured) == len(lines) == 1 else f"{self._many()}\n\n{told}"

    def picture(self) -> bytes:
        """Return the table as a picture, the bytes of a PNG; matplotlib is loaded only here."""
        from posenc_lib.views.scorecard import picture

        return picture(self.measured, self.new)

    def _ipython_display_(self) -> None:
        """Show all rows as a picture, and in words for who cannot see it."""
        from IPython.display import display

        from posenc_lib.views.output import bundle
        from posenc_lib.views.scorecard import CSS_WIDTH

        words = " ".join(map(self.describe, self.measured))
        data, metadata = bundle(self.picture(), words, "Scorecard: a table of discs and rings.", CSS_WIDTH)
        display(data, metadata=metadata, raw=True)

    def _row(self, name: str) -> str:
        lines = [f"{name}, {self.dims[name]} dims" if self.dims[name] else name]
        for wish, cell in self.measured[name].items():
            p = cell.wish
            told = cell.number if cell.reason else f"{p.says}: {cell.number} (asked: {p.rule})"
            lines.append(f"  {wish:<23} {cell.answer:<7} {told}".rstrip())
        return "\n".join(lines)

    def _many(self) -> str:
        wide = max(map(len, self.measured))
        rows = {p.name: [self.measured[name][p.name].answer for name in self.measured] for p in self.wishes}
        rows = {"": self.measured} | rows
        return "\n".join(f"{head:<23}" + "  ".join(f"{cell:>{wide}}" for cell in row) for head, row in rows.items())


def scorecard(what: object = None, *, lesson: int | None = None) -> Scorecard:
    """Measure nine wishes for some encodings, with 64 dims where they can be chosen.

    What is learned, or looks at queries and keys, is drawn 100 times: the median stands there, and the share of draws
    where draws differ. Lengths are 64 and 256 positions.

    >>> scorecard("sine").verdict("sine", "shift is linear")
    False

    Args:
        what: an encoding's name or one of your own, as `explore` takes them, or a list; None means the whole catalog.
            A table has dims and a length of its own: "–" stands where it ends before there is anything to measure.
        lesson: keep the wishes that the lessons have met up to this one, and, of the catalog, the encodings; what is
            new in it stands out.

    Returns:
        a Scorecard: a picture in a notebook, text where it is printed, numbers in .measured[name][wish].value.

    Raises:
        TypeError, ValueError: there is no such encoding or lesson, or it fails.
    """
    last = LESSONS[-1] if lesson is None else validate.integer("lesson", lesson, low=LESSONS[0], high=LESSONS[-1])
    wanted = [name for name, one in ENCODINGS.items() if one.lesson < last + 1] if what is None else what
    encodings = opened(wanted)
    for one in encodings:
        if not one.has("attend"):
            raise ValueError(f"what must say what happens to queries and keys, which {one.name} does not")
    wishes = [p for p in WISHES if p.lesson <= last]
    measured = {one.name: measure(one, wishes) for one in encodings}
    new = {one.name for one in encodings if int(one.lesson) == lesson} | {p.name for p in wishes if p.lesson == lesson}
    return Scorecard(measured, frozenset(new), {one.name: dims(one) for one in encodings})
