"""What every view is: artists made once, then updated in place."""

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style

QUERY = Parameter("query", "the position that asks", 10, 0, 4095)  # marked in orange by every view that shows it
OFFSET = Parameter("offset", "how many positions after the query the key stands", 5, 0, 4095, least=-4095)
PAIR = Parameter("pair", "which pair of dims is drawn", 0, 0, 511)
CAUSAL = Parameter("causal", "whether each word sees only itself and the words before it", False, options=(False, True))
LABEL_ROOM = (0.5, 0.3)  # inches from the axes to its y label and x label


class View:
    """One picture of one array.

    A view alone:  view = Heatmap(); view.draw(ax, table=table).
    A view that follows a slider:  view.update(table=new_table), which says whether the axes changed.

    A subclass gives four methods: build(ax) makes the artists that change from frame to frame;
    axes_state(**data) returns all that limits, ticks and labels depend on; set_axes(*state) applies it;
    set_data(**data) moves the artists. It also says in words what it shows: describe(**data).
    """

    name = ""
    needs: tuple[str, ...] = ("table",)  # methods and parameters that an encoding must have to feed this view
    parameters: tuple[Parameter, ...] = ()
    ignores: frozenset[str] = frozenset()  # parameters of encodings that change nothing here: they are no sliders
    weight = 1.0  # width beside other views
    projection = None
    left, right = 0.72, 0.16  # inches that numbers and labels need beside the axes
    title_height = 1.0  # in heights of the axes
    square = False  # one unit to the right is as long as one unit up
    most_positions = 4096  # beyond it a frame takes too long to follow the hand
    shows_end = False  # whether it can show a text that is longer than the encoding knows

    def __init__(self, **own):
        self.own = own  # values for this view alone, before those that all views of a panel share; "title" among them

    @staticmethod
    def inputs(encoding: Encoding, values: dict) -> dict:
        """Return the data of this view, by name, out of an encoding at one setting."""
        raise NotImplementedError

    @classmethod
    def fits(cls, encoding: Encoding) -> bool:
        """Return whether an encoding can feed this view."""
        return all(map(encoding.has, cls.needs))

    @classmethod
    def relevant(cls, encoding: Encoding) -> list[str]:
        """Return the parameters of an encoding that change what this view shows of it, by name."""
        idle = {name for name, views in encoding.idle.items() if cls.name in views}
        return [name for name in encoding.defaults if name not in cls.ignores | idle]

    @classmethod
    def limits(cls, width: int, seq_len: int) -> dict:
        """Return the highest value that the table leaves to each parameter of the view, by name."""
        ends = {QUERY.name: seq_len - 1, OFFSET.name: seq_len - 1, PAIR.name: width // 2 - 1}
        return {p.name: ends[p.name] for p in cls.parameters if p in (QUERY, OFFSET, PAIR)}

    def draw(self, ax, **data) -> None:
        """Make the artists on ax and show data."""
        self.ax = ax
        self._state = None
        if self.projection is None:  # fixed places: labels stay still while tick numbers grow
            ax.xaxis.set_label_coords(0.5, -LABEL_ROOM[1] / (ax.bbox.height / ax.figure.dpi))
            ax.yaxis.set_label_coords(-LABEL_ROOM[0] / (ax.bbox.width / ax.figure.dpi), 0.5)
        self.artists = self.build(ax)
        self.update(**data)

    def update(self, **data) -> bool:
        """Show new data; return whether limits, ticks or labels changed with it."""
        state, title = self.axes_state(**data), self.own.get("title")
        changed = (state, title) != self._state
        if changed:
            with style.styled():  # new ticks are made here; what only moves needs no style
                self.set_axes(*state)
                if title:
                    self.ax.set_title(title, y=self.title_height)
            self._state = state, title
        self.set_data(**data)
        return changed
