"""What was there before: faint copies of curves and dots, behind them."""

from itertools import zip_longest

import numpy as np
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

from posenc_lib.encodings.validate import as_text
from posenc_lib.views import style

BEHIND = 1.5  # all curves, but over the grid
TOLD = 3  # values that are named
NOWHERE = np.empty((0, 2))


def line_color(artist) -> str | None:
    """Return the colour of a line, or of the first of several lines; None of anything else."""
    if not isinstance(artist, (Line2D, LineCollection)):
        return None
    return to_hex(np.atleast_1d(artist.get_color())[0])


def place(artist) -> np.ndarray:
    """Return the points of a line, of dots or of several lines, with NaN between two lines; none if it is hidden."""
    if not artist.get_visible():
        return NOWHERE
    if isinstance(artist, LineCollection):
        ends = np.full((1, 2), np.nan)
        return np.concatenate([ends, *(part for path in artist.get_paths() for part in (path.vertices, ends))])
    return np.array(artist.get_xydata() if isinstance(artist, Line2D) else artist.get_offsets())


class Ghosts:
    """Faint copies of what views trace, where it was when it was kept; each is seen only where that has moved since.

    Args: views are drawn, but no canvas knows their artists yet.
    """

    def __init__(self, views: list):
        self._pairs, self._kept, self._before = [], [], {}
        self._pens = [view.pen for view in views if hasattr(view, "pen")]
        with style.styled():
            for view, artist in [(one, artist) for one in views for artist in one.traced]:
                dots = isinstance(artist, PathCollection) or artist.get_linestyle() == "None"
                look = {"ls": "", "marker": "o", "ms": 4, "mew": 0} if dots else {"ls": (0, (3, 1.5)), "lw": 1.4}
                copy = view.ax.add_line(Line2D([], [], color=style.GHOST, zorder=BEHIND, **look))
                view.artists.append(copy)
                self._pairs.append((artist, copy, "dots" if dots else "dashes"))

    def keep(self, values: dict) -> None:
        """Stand where everything is now, at these values."""
        self._kept, self._before = [place(artist) for artist, *_ in self._pairs], values
        for pen in self._pens:
            pen.keep()

    def leave(self) -> None:
        """Stand nowhere."""
        self._kept, self._before = [], {}
        for pen in self._pens:
            pen.ghost = []

    def follow(self, values: dict) -> str:
        """Be seen behind what has moved; return what to say of it, a space before it, or nothing."""
        seen = set().union(*(pen.haunted for pen in self._pens))
        for (artist, copy, kind), kept in zip_longest(self._pairs, self._kept, fillvalue=NOWHERE):
            moved = len(kept) > 0 and not np.array_equal(kept, place(artist), equal_nan=True)
            copy.set_data(*(kept if moved else NOWHERE).T)
            seen |= {kind} if moved else set()
        at = [f"{name} {as_text(value)}" for name, value in self._before.items() if values.get(name) != value]
        return f" Grey {' and '.join(sorted(seen))}: before, at {', '.join(at[:TOLD])}." if seen and at else ""
