"""The scorecard as a figure of its own."""

from functools import cache

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

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

    def __init__(self, row: int | None, dpi: float = 150):
        self.theme, self.names = style.theme(), ROWS if row is None else [ROWS[row]]
        self.figure = draw(measured().measured, self.names if row is not None else ())
        self.size, self.text = tuple((100 * self.figure.get_size_inches()).astype(int)), self._text()
        self._dpi = dpi

    def _text(self) -> str:
        """Say in words which properties the encoding that stands out has, or every encoding."""
        return " ".join(map(measured().describe, self.names))

    def pixels(self):
        """Return the picture, shape (height, width, 4)."""
        self.figure.set_dpi(self._dpi)
        canvas = FigureCanvasAgg(self.figure)
        with style.themed(self.theme), style.styled():
            canvas.draw()
        return np.asarray(canvas.buffer_rgba())

    def picture(self, suffix: str, dpi: float, **about) -> bytes:
        """Return the figure as a file's bytes."""
        with style.themed(self.theme):
            return style.file(self.figure, suffix, dpi, **about)


@cache
def measured() -> Scorecard:
    """Return the scorecard of these encodings, measured once."""
    return scorecard(ROWS)
