"""Several views of one encoding, or of several, in one figure: for a lesson's picture, a blog, or the live frame."""

import math
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from posenc_lib.encodings.sample import Sample
from posenc_lib.files import atomic_write
from posenc_lib.views import style
from posenc_lib.views.style import CSS_DPI
from posenc_lib.views.view import View

PER_ROW = 3
NARROWEST = 3.3  # inches that a view needs
WIDTH = {2: 8.6, 3: 10.0}  # inches of figure, by views in a row
ROW = 3.5  # inches of height
ALONE, ALONE_SQUARE = (6.4, 4.2), (4.6, 4.2)  # a single view may be larger
BOTTOM, TOP = 0.58, 0.44  # inches for numbers, label and title
HEAD = 0.3  # inches for the name of an encoding that stands beside others
NAME = {"fontsize": 12, "fontweight": "bold"}


class Panel:
    """A figure with one axes per view, in the theme that is in use when it is made.

    Args:
        views: view objects, not yet drawn: those of the first sample, then as many of the next.
        samples: the encodings at one setting.
        values: all values by name, those of the views' own parameters among them.
        named: whether each encoding's name stands above its first view where there are several.
        width: of the figure in inches; narrow ones have more rows. None means what suits the views.
    """

    def __init__(self, views: list[View], samples: list[Sample], values: dict, *, named: bool = True, width=None):
        self.views, self.theme = views, style.theme()
        named = named and len(samples) > 1
        head = HEAD if named else 0
        self.top = TOP + head
        with style.styled():
            rows = self._rows(len(samples), width)
            self.size = self._size(rows, width, ROW + head)
            self.figure = Figure(figsize=self.size, dpi=CSS_DPI)
            FigureCanvasAgg(self.figure)
            self.cells = [
                cell for k, row in enumerate(rows) for cell in _cells(row, 1 - (k + 1) / len(rows), 1 / len(rows))
            ]
            self._remember(samples, values, self._inputs(samples, values))
            for k, (view, cell) in enumerate(zip(views, self.cells, strict=True)):
                ax = self.figure.add_axes(self._inside(view, cell), projection=view.projection)
                view.draw(ax, **self._data[k])
                which, later = divmod(k * len(samples), len(views))
                if named and later < len(samples):
                    self._write_above(ax, samples[which].encoding.title)

    def _rows(self, encodings: int, width: float | None) -> list[list[View]]:
        """Return the views row by row: with several views of several encodings, a row for each encoding."""
        count = len(self.views)
        each = count // encodings
        across = each if encodings > 1 and 1 < each <= PER_ROW else math.ceil(count / math.ceil(count / PER_ROW))
        if width:
            across = max(min(across, int(width // NARROWEST)), 1)
        return [self.views[i : i + across] for i in range(0, count, across)]

    def _size(self, rows: list, width: float | None, row: float) -> tuple[float, float]:
        """Return width and height of the figure in inches; row is the height of one of several views."""
        if len(self.views) == 1:
            usual = ALONE_SQUARE if self.views[0].square else ALONE
            return (width, usual[1] * min(width / usual[0], 1)) if width else usual
        return width or WIDTH[len(rows[0])], row * len(rows)

    def _write_above(self, ax, name: str) -> None:
        """Write the name of what a view shows above the view's own title."""
        above = 1 + (self.top - 0.2) / (ax.bbox.height / self.figure.dpi)
        write = getattr(ax, "text2D", ax.text)  # axes in perspective write flat texts by another name
        write(0, above, name, transform=ax.transAxes, va="center", color=style.CURVE, **NAME)

    def _inputs(self, samples, values) -> list[dict]:
        """Return the data of each view."""
        each = len(self.views) // len(samples)
        fed = (sample for sample in samples for _ in range(each))
        return [view.inputs(sample, values | view.own) for view, sample in zip(self.views, fed, strict=True)]

    def _remember(self, samples, values, data):
        self.samples, self.values, self._data = samples, values, data

    def _inside(self, view: View, cell: tuple) -> tuple:
        """Return the rectangle of the axes itself, within the room for its numbers and labels."""
        width, height = self.size
        left, bottom, across, up = cell
        inner = [across * width - view.left - view.right, up * height - BOTTOM - self.top]
        lift = 0.0
        if view.square:  # its title level with its neighbours'
            lift = inner[1] - min(inner)
            inner = [min(inner)] * 2
        return (left + view.left / width, bottom + (BOTTOM + lift) / height, inner[0] / width, inner[1] / height)

    def update(self, samples: list[Sample], values: dict) -> list[View]:
        """Show another setting; return the views whose limits, ticks or labels changed."""
        inputs = self._inputs(samples, values)
        with style.themed(self.theme):
            changed = [view for view, data in zip(self.views, inputs, strict=True) if view.update(**data)]
        self._remember(samples, values, inputs)  # only now: after an error the last picture and its words stay
        return changed

    @property
    def titles(self) -> str:
        """What is drawn: the encodings, and the titles of the views."""
        shown = " and ".join(dict.fromkeys(sample.encoding.title for sample in self.samples))
        titles = dict.fromkeys(view.ax.get_title("left") or view.ax.get_title() for view in self.views)
        return f"{shown}: {'; '.join(titles)}"

    def describe(self) -> str:
        """Say in words what the figure shows now."""
        each = len(self.views) // len(self.samples)
        told, before = [], None
        for k, view in enumerate(self.views):
            sample = self.samples[k // each]
            if sample is not before:
                fed = [v for j, v in enumerate(self.views) if self.samples[j // each] is sample]
                told.append(sample.describe({name for v in fed for name in v.relevant(sample.encoding)}))
            told.append(view.describe(**self._data[k]))
            before = sample
        return " ".join(told)

    def picture(self, suffix: str, dpi: float = 2 * CSS_DPI, **about) -> bytes:
        """Return the figure as a file's bytes, "png", "svg" or "pdf"; about may hold title and description."""
        with style.themed(self.theme):
            return style.file(self.figure, suffix, dpi, **about)

    def save(self, path, dpi: float = 2 * CSS_DPI) -> Path:
        """Write the figure to path, a .png, .svg or .pdf file; a file that was there is replaced whole or not at all.

        Raises:
            TypeError: path is neither text nor a Path.
            ValueError: the suffix is none of these.
            OSError: the folder cannot be written.
        """
        if not isinstance(path, (str, Path)):
            raise TypeError(f"path must be a file's name, got {path!r}")
        path = Path(path)
        suffix = path.suffix.lower().removeprefix(".")
        if suffix not in ("png", "svg", "pdf"):
            raise ValueError(f"path must end in .png, .svg or .pdf, got {path.name!r}")
        atomic_write(path, self.picture(suffix, dpi))
        return path


def _cells(row: list[View], bottom: float, height: float) -> list[tuple]:
    """Return (left, bottom, width, height) of the room of each view in a row, as fractions of the figure."""
    total = sum(view.weight for view in row)
    left, cells = 0.0, []
    for view in row:
        cells.append((left, bottom, view.weight / total, height))
        left += view.weight / total
    return cells
