"""The scorecard as a figure of its own."""

from functools import cache

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.scorecard import Scorecard, scorecard
from posenc_lib.views import style
from posenc_lib.views.scorecard import draw

ROWS = [name for name, one in ENCODINGS.items() if one.lesson < 10]  # what lessons 01 to 09 tell apart
_LAST = len(ROWS) - 1
ROW = Parameter("row", "which encoding stands out, counted from 0", None, 0, _LAST, most=_LAST)


class ScorecardFigure:
    """The scorecard of the lessons, drawn in the theme in use, with what a figure needs of a panel."""

    def __init__(self, row: int | None):
        self.theme, self.names = style.theme(), ROWS if row is None else [ROWS[row]]
        self.figure = draw(measured().measured, self.names if row is not None else ())
        self.size = tuple(self.figure.get_size_inches())

    def describe(self) -> str:
        """Say in words which properties the encoding that stands out has, or every encoding."""
        return " ".join(map(measured().describe, self.names))

    def picture(self, suffix: str, dpi: float, **about) -> bytes:
        """Return the figure as a file's bytes."""
        with style.themed(self.theme):
            return style.file(self.figure, suffix, dpi, **about)


@cache
def measured() -> Scorecard:
    """Return the scorecard of these encodings, measured once."""
    return scorecard(ROWS)
