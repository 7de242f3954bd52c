"""Several views of one encoding, or of several, in one figure."""

import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import partial, reduce
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from posenc_lib.encodings.base import Encoding
from posenc_lib.files import atomic_write
from posenc_lib.views import style
from posenc_lib.views.ghosts import Ghosts
from posenc_lib.views.style import CSS_DPI
from posenc_lib.views.view import MARGIN, View, inches_of, union

PER_ROW = 3
NARROWEST = 3.0  # inches that a view needs on a page; in a figure of a given width less will do
WIDTH = {2: 8.56, 3: 10.08}  # inches of figure, by views in a row
ROW = (style.HEAD + style.PLOT + style.FOOT) / CSS_DPI  # inches of height
ALONE, ALONE_SQUARE = (6.4, ROW), (3.12, ROW)
BOTTOM, TOP = 0.58, 0.44  # inches for numbers, label and title of a view that is no function yet
GAP = style.BETWEEN / CSS_DPI
HEAD = 0.3  # inches for the name of an encoding that stands beside others
MARKS = 256  # points that are told where they stand, at most
NAME = {"fontsize": 12, "fontweight": "bold"}


class Panel:
    """A figure with one axes per view, in the theme that is in use when it is made.

    Args:
        views: view objects, not yet drawn: those of the first encoding, then as many of the next.
        encodings: each at one setting.
        values: all values by name, those of the views' own parameters among them.
        names: what stands above the first view of each encoding; None means their titles where there are several.
        width: of the figure in inches; narrow ones have more rows. None means what suits the views.
        row: height of a row in inches, where there are several views.
        narrowest: inches that a view needs.
        alike: whether views of the same quantity share their limits.

    Attributes:
        beside: the panels that share limits, this one among them; none where each view has its own.
        touched: whether another one has moved limits here.
        ghosts: what stands behind curves and dots, of where they were before; None where nobody asked for it.
    """

    ghosts: Ghosts | None = None
    touched = False

    def __init__(
        self,
        views: list[View],
        encodings: list[Encoding],
        values: dict,
        *,
        names=None,
        width=None,
        row=ROW,
        narrowest=NARROWEST,
        alike=False,
    ):
        self.views, self.theme, self.beside = views, style.theme(), [self] if alike else []
        self.each = len(views) // len(encodings)  # views of one encoding
        self._names: list[Text] = []
        self._relevant = [view.relevant(encoding) for view, encoding in self._fed(encodings)]
        if names is None:
            names = [encoding.title for encoding in encodings] if len(encodings) > 1 else ()
        with style.styled():
            rows = arranged(views, len(encodings), width, narrowest)
            heads = _heads(rows, self.each) if names else [0.0] * len(rows)
            self.size = _size(rows, width, row, heads)
            self.figure = Figure(figsize=self.size, dpi=CSS_DPI)
            FigureCanvasAgg(self.figure)
            high = self.size[1] / len(rows) - sum(heads) / len(rows)
            self.cells = _cells(rows, [high + head for head in heads], self.size[0])
            self.heads = [head for views_of_row, head in zip(rows, heads, strict=True) for _ in views_of_row]
            self._data = self._inputs(encodings, values)
            for k, data in enumerate(self._data):
                self._draw(k, data)
            for name, view in zip(names, views[:: self.each], strict=bool(names)):
                self._write_above(view, name)
            self._remember(encodings, values)
        self.share()

    def _draw(self, k: int, data: dict) -> None:
        """Draw one of the views, counted, in its cell."""
        view, cell, top = self.views[k], self.cells[k], TOP + self.heads[k]
        view.room = (cell[0], cell[0] + cell[2])
        view.draw(self.figure.add_axes(self._inside(view, cell, top), projection=view.projection), **data)

    def _fed(self, encodings) -> list[tuple[View, Encoding]]:
        """Return each view with the encoding that feeds it."""
        return list(zip(self.views, (encoding for encoding in encodings for _ in range(self.each)), strict=True))

    def _inputs(self, encodings, values) -> list[dict]:
        """Return the data of each view."""
        return [view.inputs(encoding, values | view.own) for view, encoding in self._fed(encodings)]

    def waits(self, encodings: list[Encoding], values: dict) -> str:
        """Return what a reader is told before a setting that takes its time, or nothing."""
        return next(filter(None, (view.waits(one, values | view.own) for view, one in self._fed(encodings))), "")

    def _write_above(self, view, name: str) -> None:
        """Write the name of what a view shows above the view's own title; it may be wider than the view."""
        at, (width, height) = view.ax.get_position(original=True), self.size
        look = {"va": "center", "color": style.KEY, **NAME}
        aside, top = (view.left, style.HEAD / CSS_DPI) if hasattr(view, "function") else (0.0, TOP)
        place = at.x0 - aside / width, at.y1 + (top + HEAD - 0.2) / height
        self._names.append(self.figure.text(*place, name, **look))
        self._move_in(self._names[-1])

    def _move_in(self, text: Text) -> None:
        """Let a name that would reach out of the picture begin farther left."""
        text.set_x(min(text.get_position()[0], 1 - (inches_of(text) + MARGIN) / self.size[0]))

    def rename(self, names: list[str]) -> bool:
        """Write other names above the pictures; return whether they were others. All axes must be drawn again then."""
        before = [text.get_text() for text in self._names]
        for text, name in zip(self._names, names, strict=True):
            text.set_text(name)
            self._move_in(text)
        return before != names

    def _inside(self, view: View, cell: tuple, top: float) -> tuple:
        """Return the rectangle of the axes itself, within the room for its numbers, labels, title and name."""
        width, height = self.size
        left, bottom, across, up = cell
        foot = BOTTOM
        if hasattr(view, "function"):
            top, foot = top + style.HEAD / CSS_DPI - TOP, style.FOOT / CSS_DPI
        inner = [across * width - view.left - view.right, up * height - foot - top]
        lift = 0.0
        if view.square and not hasattr(view, "function"):  # its title level with its neighbours'
            lift = inner[1] - min(inner)
            inner = [min(inner)] * 2
        return (left + view.left / width, bottom + (foot + lift) / height, inner[0] / width, inner[1] / height)

    def update(self, encodings: list[Encoding], values: dict) -> list[View]:
        """Show another setting; return the views whose limits, ticks or labels changed."""
        data = self._inputs(encodings, values)
        with style.themed(self.theme):
            changed = [view for view, shown in zip(self.views, data, strict=True) if view.update(**shown)]
        self._data = data
        self._remember(encodings, values)  # only now: after an error the last picture and its words stay
        return list(dict.fromkeys(changed + self.share()))

    def share(self) -> list[View]:
        """Let all views of the same quantity, in the panels beside, have limits that hold them all; return those moved.

        Where a view of another panel has moved, that panel is touched.
        """
        alike, moved = defaultdict(list), []
        for panel in self.beside:
            for (view, encoding), data in zip(panel._fed(panel.encodings), panel._data, strict=True):
                alike[view.quantity(encoding)].append((panel, view, data))
        for group in (group for group in alike.values() if len(group) > 1):
            first, *others = (view for _, view, _ in group)
            names = [name for name in first.shares if all(name in view.wanted for view in (first, *others))]
            ends = {name: reduce(partial(union, name), [view.wanted[name] for _, view, _ in group]) for name in names}
            for panel, view, data in group:
                if view.shared != ends:
                    view.shared = ends
                    with style.themed(panel.theme):
                        view.update(**data)
                    panel.touched |= panel is not self
                    moved += [view] * (panel is self)
        return moved

    def freeze(self, names: Collection[str], settings: Iterable[tuple[list[Encoding], dict]]) -> None:
        """Let limits of these names hold what is shown at each of some settings and, later, all that does not fit.

        A setting is as `update` takes it; what cannot be shown there is left out. Nothing is drawn.
        """
        for encodings, values in settings:
            for view, encoding in self._fed(encodings):
                with suppress(Exception):  # a reader who gets there is told
                    view.freeze(names, **view.inputs(encoding, values | view.own))
        self.update(self.encodings, self.values)

    def _remember(self, encodings, values) -> None:
        self.encodings, self.values = encodings, values
        fed, told, before = self._fed(encodings), [], None
        for view, encoding in fed:
            if encoding is not before:
                names = (names for names, (_, one) in zip(self._relevant, fed, strict=True) if one is encoding)
                told.append(encoding.describe(set().union(*names)))
            told.append(view.text)
            before = encoding
        self._told = " ".join(told) + (self.ghosts.follow(values) if self.ghosts else "")

    def describe(self) -> str:
        """Say in words what the figure shows now."""
        return self._told

    def places(self) -> list[dict]:
        """Return of each view where its axes lie in the picture and what its places mean.

        box is (left, top, right, bottom) in fractions of the picture; x and y are (low, high) as drawn, log those that
        are logarithmic, names what they count; marks are points to be named by their number, in the same fractions.
        Where points are too many to be told, nothing there has a name.
        """
        made = []
        for view in self.views:
            (left, bottom), (right, top) = view.ax.get_position(original=True).get_points().tolist()
            ends = {"x": list(map(float, view.ax.get_xlim())), "y": list(map(float, view.ax.get_ylim()))}
            place = {"box": [left, 1 - top, right, 1 - bottom], **ends, "log": view.log, "names": list(view.pointer)}
            marks = view.marks() / self.figure.bbox.size
            if len(marks) > MARKS:
                place["names"] = [None, None]
            elif len(marks):
                place["marks"] = [[round(x, 4), round(1 - y, 4)] for x, y in marks.tolist()]
            made.append(place)
        return made

    def value_at(self, which: int, x: float, y: float) -> str:
        """Return the number that one of the views, counted, has drawn at x and y of its axes, or nothing."""
        with style.themed(self.theme):
            return self.views[which].value_at(x, y)

    @property
    def titles(self) -> str:
        """What is drawn: the encodings, and the titles of the views."""
        shown = " and ".join(dict.fromkeys(encoding.title for encoding in self.encodings))
        titles = dict.fromkeys(_title(view) for view in self.views)
        return f"{shown}: {'; '.join(titles)}"

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


def _title(view: View) -> str:
    return view.pen.headline if hasattr(view, "pen") else view.ax.get_title("left") or view.ax.get_title()


def arranged(views: list[View], number: int, width: float | None, narrowest=NARROWEST) -> list[list[View]]:
    """Return the views row by row: with several views of several encodings, a row for each encoding."""
    count, each = len(views), len(views) // number
    across = math.ceil(count / math.ceil(count / PER_ROW))
    if number > 1 and 1 < each <= PER_ROW:
        across = each
    if width:
        across = max(min(across, int(width // narrowest)), 1)
    return [views[i : i + across] for i in range(0, count, across)]


def _heads(rows: list[list[View]], each: int) -> list[float]:
    """Return the inches for names in each row: there are some where an encoding's first view stands."""
    first = [sum(map(len, rows[:k])) for k in range(len(rows) + 1)]
    return [HEAD * any(k % each == 0 for k in range(*ends)) for ends in itertools.pairwise(first)]


def _size(rows: list[list[View]], width: float | None, row: float, heads: list[float]) -> tuple[float, float]:
    """Return width and height of the figure in inches; row is the height of one row of views, without names."""
    first, plot = rows[0], row - (style.HEAD + style.FOOT) / CSS_DPI
    squares = [view.square for view in first]
    side = plot + (style.LEFT + style.RIGHT) / CSS_DPI
    natural = WIDTH.get(len(first), ALONE[0])
    if all(squares):
        natural = min(width or 99, len(first) * side + (len(first) - 1) * GAP)
        width = natural
    if len(rows) == 1 and len(first) == 1 and width and width < ALONE[0]:  # a narrow one is lower, too
        row = min(row, 0.65 * width + 1 if not squares[0] else width - 0.48 + 1)
    return width or natural, row * len(rows) + sum(heads)


def _cells(rows: list[list[View]], heights: list[float], width: float) -> list[tuple]:
    """Return (left, bottom, width, height) of the room of each view, as fractions of the figure.

    A square plot is as wide as it is high, the others share what is left.
    """
    cells, bottom = [], 1.0
    for row, height in zip(rows, heights, strict=True):
        up = height / sum(heights)
        room, left, bottom = width - GAP * (len(row) - 1), 0.0, bottom - up
        side = height - (style.HEAD + style.FOOT) / CSS_DPI + (style.LEFT + style.RIGHT) / CSS_DPI
        side = min(side, room / len(row))
        others = [view.weight for view in row if not view.square]
        rest = room - side * (len(row) - len(others))
        for view in row:
            across = side if view.square else rest * view.weight / sum(others)
            cells.append((left / width, bottom, across / width, up))
            left += across + GAP
    return cells
