"""The scorecard as a picture: a disc for yes, a ring for no, a slice for a share of draws; the number below."""

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, Wedge

from posenc_lib.views import style

CSS_WIDTH = 880  # px on the page
ROW, HEAD, FOOT = 0.6, 1.0, 0.34  # inches
RADIUS = 0.09
SMALL = {"ha": "center", "va": "center", "fontsize": 8}


def draw(measured: dict[str, dict], new=frozenset()) -> Figure:
    """Return a figure with a row for each encoding and a column for each wish.

    Args:
        measured: by encoding and wish, what `scorecard` measured.
        new: the names of rows and columns that stand out.
    """
    wishes = [cell.wish for cell in next(iter(measured.values())).values()]
    width, height = CSS_WIDTH / 100, HEAD + ROW * len(measured) + FOOT
    across, weight = (width - 1.5) / 9, ("normal", "bold")  # inches for each column; fewer leave room at the right
    with style.styled():
        figure = Figure(figsize=(width, height), dpi=100)
        ax = figure.add_axes((0, 0, 1, 1))
        ax.set(xlim=(-1.5, width - 1.5), ylim=(height - HEAD, -HEAD))
        ax.axis("off")
        for column, p in enumerate(wishes):
            x = (column + 0.5) * across
            if p.name in new:
                _shade(ax, column * across, -HEAD + 0.06, across, HEAD - 0.06 + ROW * len(measured))
            ax.text(x, -0.55, _wrapped(p.name), ha="center", va="center", fontsize=9, fontweight=weight[p.name in new])
            ax.text(x, -0.14, p.rule, color=style.SOFT, **SMALL)
        for row, (name, cells) in enumerate(measured.items()):
            top = row * ROW
            if name in new:
                _shade(ax, -1.45, top, 1.45 + across * len(wishes), ROW)
            ax.text(-1.4, top + ROW / 2, name, va="center", fontsize=10, fontweight=weight[name in new])
            for column, cell in enumerate(cells.values()):
                _draw_cell(ax, (column + 0.5) * across, top, cell)
        foot = "64 dims where they can be chosen; 64 and 256 positions. A slice: the share of 100 draws; their median."
        foot += " Shaded: new in this lesson." if new else ""
        ax.text(-1.4, ROW * len(measured) + FOOT / 2, foot, va="center", fontsize=8, color=style.SOFT)
    return figure


def _shade(ax, left: float, top: float, width: float, height: float) -> None:
    ax.add_patch(Rectangle((left, top), width, height, color=style.TINT, alpha=0.3, lw=0, zorder=0))


def _draw_cell(ax, x: float, top: float, cell) -> None:
    """Draw a disc, a ring or a part of a disc, its word, and its number below."""
    if cell.reason:
        word, at = (cell.answer, top + 0.3) if not cell.number else ("–", top + 0.2)
        ax.text(x, at, word, ha="center", va="center", fontsize=9, color=style.SOFT)
    else:
        middle = (x - 0.17, top + 0.2)
        ring = {"facecolor": style.PAPER, "edgecolor": style.KEY, "lw": 1.6}
        ax.add_patch(Wedge(middle, RADIUS, 0, 360, **ring))
        if cell.share:  # clockwise from the top; the axis points down
            ax.add_patch(Wedge(middle, RADIUS, -90, -90 + 360 * cell.share, color=style.KEY, lw=0))
        ax.text(x - 0.02, top + 0.21, cell.answer, va="center", fontsize=9)
    ax.text(x, top + 0.44, cell.number, color=style.SOFT, **SMALL)


def _wrapped(wish: str) -> str:
    """Return a name with a line for each word or two."""
    for end in ("length-", " is ", "survives ", "only the ", "offset "):
        wish = wish.replace(end, f"{end.rstrip()}\n")
    return wish


def picture(measured: dict, new=frozenset()) -> bytes:
    """Return the figure of `draw` as the bytes of a PNG; the same every time."""
    return style.file(draw(measured, new), "png", 150)
