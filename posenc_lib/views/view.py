"""What every view is: artists made once, then shown with other data."""

import numpy as np
from matplotlib.cbook import is_math_text
from matplotlib.image import AxesImage
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style

QUERY = Parameter("query", "the position that asks", 10, 0, 4095)  # marked in orange by every view that shows it
OFFSET = Parameter("offset", "how many positions after the query the key stands", 5, 0, 4095, least=-4095)
PAIR = Parameter("pair", "which pair of dims is drawn", 0, 0, 511)
CAUSAL = Parameter("causal", "whether each word sees only itself and the words before it", False, options=(False, True))
LABEL_ROOM = (0.5, 0.3)  # inches from the axes to its y label and x label
MARGIN = 0.05  # inches between a title and the end of its room
WIDER = 1.05  # letters on a coarse grid of pixels, compared with their outlines
PIXELS = 150  # per inch, on the page
MANY = 2**17  # cells of a grid
VIEWS: dict[str, type["View"]] = {}  # by the name that readers and code call them by


class View:
    """One picture of one array, in three steps.

    A subclass gives three methods: inputs(encoding, values) takes the data out of an encoding; build(ax) makes the
    artists that change from frame to frame and returns them; show(**data) moves them, asks by `self.axes(...)` for what
    limits, labels, ticks and title should be, and returns in words what is seen. What never changes about the axes is
    declared. Axes are drawn again only where something about them changed.

    A view alone:  view = Heatmap(); view.draw(ax, table=table); view.text.
    A view that follows a slider:  view.update(table=new_table), which says whether the axes changed.

    Attributes:
        text: what it shows now, in words.
        wanted: the limits that the data shown last asked for, by name: xlim, ylim, clim.
        frozen: limits that stay, by name, whatever the data ask for.
    """

    name = ""  # given in the class line; without one a class is only a base of others
    # Methods and parameters that an encoding must have to feed this view; query_and_key if the same stand everywhere.
    needs: tuple[str, ...] = ("table",)
    parameters: tuple[Parameter, ...] = ()
    ignores: tuple[str, ...] = ()  # parameters of encodings that change nothing here: they are no sliders
    pointer: tuple[str | None, str | None] = (None, None)  # what x and y are: position, query, dim …
    most_positions = 4096  # beyond it a frame takes too long to follow the hand
    shows_end = False  # whether it can show a sequence that is longer than the encoding can encode

    weight = 1.0  # width beside other views
    left, right = 0.72, 0.16  # inches that numbers and labels need beside the axes
    title_height = 1.0  # in heights of the axes
    square = False  # one unit to the right is as long as one unit up
    projection = None

    title = x_label = y_label = ""
    x_ticks = y_ticks = 0  # at most so many steps between ticks, on x at whole numbers; 0: as matplotlib likes
    whole_y = False  # whether ticks on y, too, stand at whole numbers only
    log = ""  # the axes with a logarithmic scale: "y", "xy"
    grid = ""  # "y" or "both"
    zero_line = False
    query_line = ""  # the axis along which a line marks the query, "x" or "y"; `ask` moves it
    rimmed = False  # that line

    def __init_subclass__(cls, name: str = "", **rest):
        super().__init_subclass__(**rest)
        cls.name = name
        if name:
            VIEWS[name] = cls

    def __init__(self, **own):
        self.own = own  # values for this view alone, before those that all views of a panel share; "title" among them
        self.frozen: dict[str, tuple] = {}
        self.room = (0.0, 1.0)  # from where to where it may draw, in widths of the figure

    def inputs(self, encoding: Encoding, values: dict) -> dict:
        """Return the data of this view, by name, out of an encoding at one setting."""
        raise NotImplementedError

    @classmethod
    def fits(cls, encoding: Encoding) -> bool:
        """Return whether an encoding can feed this view."""
        return all(map(encoding.has, cls.needs))

    @classmethod
    def relevant(cls, encoding: Encoding) -> list[str]:
        """Return the parameters of an encoding that change what this view shows of it, by name."""
        idle = [name for name, views in encoding.idle.items() if cls.name in views]
        ignored = () if encoding.opaque else cls.ignores
        return [name for name in encoding.defaults if name not in (*ignored, *idle)]

    @classmethod
    def limits(cls, width: int, seq_len: int) -> dict:
        """Return the highest value that the table leaves to each parameter of the view, by name."""
        ends = {"query": seq_len - 1, "offset": seq_len - 1, "pair": width // 2 - 1}
        ends |= dict.fromkeys(("dim", "x_dim", "y_dim", "z_dim"), width - 1) | {"shown_dims": width, "num_waves": width}
        return {p.name: ends[p.name] for p in cls.parameters if p.name in ends}

    def draw(self, ax, **data) -> None:
        """Make the artists on ax and show data."""
        self.ax = ax
        self._state: dict = {}
        self._declare(ax)
        if self.query_line:
            line = ax.axvline if self.query_line == "x" else ax.axhline
            self.asked = line(1, **style.query_line(rimmed=self.rimmed))
        self.artists = [*([self.asked] if self.query_line else []), *self.build(ax)]
        self.update(**data)

    def _declare(self, ax) -> None:
        """Give the axes what is declared."""
        if self.projection is None:  # fixed places: labels stay still while tick numbers grow
            ax.xaxis.set_label_coords(0.5, -LABEL_ROOM[1] / (ax.bbox.height / ax.figure.dpi))
            ax.yaxis.set_label_coords(-LABEL_ROOM[0] / (ax.bbox.width / ax.figure.dpi), 0.5)
        ax.set(xlabel=self.x_label, ylabel=self.y_label)
        for name in self.log:
            ax.set(**{f"{name}scale": "log"})
            getattr(ax, f"{name}axis").set_major_formatter(style.tick)
        if self.x_ticks:
            ax.xaxis.set_major_locator(MaxNLocator(self.x_ticks, integer=True))
        if self.y_ticks:
            ax.yaxis.set_major_locator(MaxNLocator(self.y_ticks, integer=self.whole_y))
        if self.grid:
            ax.grid(True, axis=self.grid)
        if self.zero_line:
            ax.axhline(0, color=style.LINE, lw=1)

    def update(self, **data) -> bool:
        """Show new data; return whether limits, ticks or labels changed with it."""
        self._changed = False
        try:
            self.text = self.show(**data)
        except BaseException:  # an interrupt, too, may leave the axes half changed
            self._state = {}
            raise
        return self._changed

    def axes(self, **state) -> bool:
        """Let the axes be as the data ask; return whether they were not before.

        Args:
            **state: xlim, ylim, clim (the ends of a colour scale), and any other property of the axes (title, xlabel,
                xticks, xticklabels, …). What begins with an underscore is only remembered: something else that the
                background depends on.
        """
        state["title"] = self.own.get("title") or state.get("title", self.title)
        self.wanted = {name: state[name] for name in ("xlim", "ylim", "clim") if name in state}
        state |= {name: limits for name, limits in self.frozen.items() if name in state}
        new = {name: value for name, value in state.items() if name not in self._state or self._state[name] != value}
        if new:
            with style.styled():  # new ticks are made here; what only moves needs no style
                limits = {name: state[name] for name in ("xlim", "ylim") if name in state}  # new ticks may widen them
                for name, value in ({k: v for k, v in new.items() if k not in limits} | limits).items():
                    self._set(name, value)
            self._state = state
            self._changed = True
        return bool(new)

    def _set(self, name: str, value) -> None:
        if name == "clim":
            self.set_colors(*value)
        elif name == "title":
            self._write_title(value)
        elif not name.startswith("_"):
            getattr(self.ax, f"set_{name}")(value)

    def _write_title(self, words: str) -> None:
        """Write the title; where it would reach into a neighbour's room, or out of the picture, it moves in."""
        title = self.ax.set_title(words, y=self.title_height)
        font, math = title.get_fontproperties(), is_math_text(words)
        inches = WIDER * text_to_path.get_text_width_height_descent(words, font, math)[0] / 72
        width, part = self.ax.figure.get_size_inches()[0], {"left": 0.0, "center": 0.5}[title.get_ha()]
        axes = self.ax.get_position(original=True)
        begin = axes.x0 * width + part * (axes.width * width - inches)
        inside = max(min(begin, self.room[1] * width - inches - MARGIN), self.room[0] * width + MARGIN)
        title.set_x(part + (inside - begin) / (axes.width * width))

    def ask(self, at: float | None) -> None:
        """Move the line of the query; None takes it away."""
        line = ([], []) if at is None else ([at, at], [0, 1])
        self.asked.set_data(*line if self.query_line == "x" else line[::-1])

    def points_at(self, x: float, y: float) -> dict[str, int]:
        """Return what a pointer at x and y, in the units of the axes, points at: {"position": 12, "dim": 3}."""
        return {name: round(at) for name, at in zip(self.pointer, (x, y), strict=True) if name}


def over(number: int) -> tuple[float, float]:
    """Return the ends of an axis with so many positions, each at its number."""
    return -0.5, max(number - 0.5, 0.5)


class CurveView(View):
    """Curves over positions, keys, offsets or pairs, and lines to read their heights by."""

    weight = 1.2
    x_ticks = 4
    grid = "y"


class ImageView(View):
    """A grid of numbers as colours: diverging around 0 where numbers change sign, else from 0 up."""

    right = 0.86  # the colour scale and its numbers
    weight = 1.25
    x_ticks = y_ticks = 4
    whole_y = rimmed = True

    def build(self, ax):
        ax.spines[:].set_visible(False)
        self.image = Cells(ax, cmap=style.SEQUENTIAL)
        self.image.set_data(np.zeros((1, 1)))
        self.image.set_clim(0, 0)
        ax.add_image(self.image)
        inch = ax.figure.dpi / ax.bbox.width  # in widths of the axes
        self.scale = ax.figure.colorbar(self.image, cax=ax.inset_axes([1 + 0.08 * inch, 0, 0.12 * inch, 1]))
        self.scale.outline.set_visible(False)
        return [self.image]

    def color(self, grid: np.ndarray, clim: tuple, **state) -> bool:
        """Colour the cell of each number, row 0 on top and cell k at k; return whether the axes changed."""
        rows, columns = grid.shape
        self.image.set_extent((-0.5, columns - 0.5, rows - 0.5, -0.5))
        self.image.set_data(grid)
        return self.axes(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), clim=clim, **state)

    def color_limits(self, grid: np.ndarray) -> tuple:
        """Return (lowest colour, highest colour) for these numbers, in few steps, so that they seldom jump."""
        low, high = np.nanmin(grid), np.nanmax(grid)
        bound = style.tight_bound(max(-low, high))
        return (-bound if low < 0 else min(np.floor(4 * low / bound), 3) / 4 * bound), bound

    def set_colors(self, low: float, high: float) -> None:
        """Give the image and its scale these limits."""
        if self.image.get_clim() == (low, high):
            return  # a new colour map costs more than a frame
        self.image.set_cmap(style.diverging() if low < 0 else style.SEQUENTIAL)
        self.image.set_clim(low, high)
        ticks = [low, (low + high) / 2, high]
        self.scale.set_ticks(ticks, labels=[style.number(tick) for tick in ticks])

    def grain(self, columns: int, rows: int) -> str:
        """Return a remark where there are more cells than pixels to show them in, else nothing."""
        width, height = (self.ax.bbox.size / self.ax.figure.dpi) * PIXELS
        return " (finer than pixels: each pixel shows a mean)" if columns > width or rows > height else ""


class PairView(ImageView):
    """A number for each pair of a query and a key as colours: a row for each query."""

    pointer = ("key", "query")
    x_label, y_label = "position of the key", "position of the query"
    square = True


class Cells(AxesImage):
    """An image whose pixels take the colour of their cell, or of the mean of the cells they cover.

    matplotlib resamples first and colours every pixel; here the few cells are coloured and then repeated. A drawing
    holds the cells themselves, sharp at every size, unless they are so many that means tell more.
    """

    def set_data(self, grid):
        self._A = np.asarray(grid)  # as it is: matplotlib would copy it, and look for numbers that are none
        self.set_interpolation("none" if self._A.size <= MANY else "nearest")  # "none": as cells where a file can
        self.stale = True

    def carry(self, text, cell: tuple[int, int]) -> None:
        """Move a text onto the cell at (row, column), in black or white, whichever is readable there."""
        text.set_position(cell[::-1])
        text.set_color(style.readable_on(self.to_rgba(self._A[cell])))

    def make_image(self, renderer, magnification=1.0, unsampled=False):
        if unsampled:
            return super().make_image(renderer, magnification, unsampled)
        box = self.axes.bbox
        left, right, bottom, top = (round(edge * magnification) for edge in (box.x0, box.x1, box.y0, box.y1))
        width, height = max(right - left, 1), max(top - bottom, 1)
        cells = means(means(np.asarray(self.get_array()).T, width).T, height)  # a table's long axis first
        colors = np.ascontiguousarray(self.to_rgba(cells, bytes=True)[::-1])  # the renderer begins with the lowest row
        rows, columns = (np.arange(n) * have // n for n, have in zip((height, width), cells.shape, strict=True))
        pixels = colors.view(np.uint32)[..., 0].take(rows, axis=0).take(columns, axis=1)  # four bytes as one number
        pixels = pixels.view(np.uint8).reshape(height, width, 4)
        return pixels, left / magnification, bottom / magnification, None  # placed in the renderer's own units


def means(grid: np.ndarray, most: int) -> np.ndarray:
    """Return the grid with at most so many rows, each the mean of what it covers, parts of rows by their share."""
    if len(grid) <= most:
        return grid
    edges = np.arange(most + 1) * len(grid) / most
    first, last = np.ceil(edges[:-1]).astype(int), np.floor(edges[1:]).astype(int)  # the rows that are covered whole
    total = (first - edges[:-1])[:, None] * grid[first - 1]
    total += (edges[1:] - last)[:, None] * grid[np.minimum(last, len(grid) - 1)]
    for k in range((last - first).max()):
        more = first + k < last
        total[more] += grid[first[more] + k]
    return total * most / len(grid)
