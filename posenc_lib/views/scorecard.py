"""The scorecard as a picture: a disc for yes, a ring for no, a slice for a share of draws; the number below."""

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, Wedge

from posenc_lib.views import style

CSS_WIDTH = 880  # px on the page
ROW, HEAD, FOOT = 0.6, 1.0, 0.34  # inches
NOTE = "64 dims where they can be chosen; 64 and 256 positions. A slice: the share of 100 draws; their median."


def draw(measured: dict[str, dict], new=frozenset()) -> Figure:
    """Return a figure with a row for each encoding and a column for each wish.

    Args:
        measured: by encoding and wish, what `scorecard` measured.
        new: the names of rows and columns that stand out.
    """
    wishes, rows = [cell.wish for cell in next(iter(measured.values())).values()], ROW * len(measured)
    width, height = CSS_WIDTH / 100, HEAD + rows + FOOT
    across = (width - 1.5) / 9  # inches for each column; fewer leave room at the right
    with style.styled():
        figure = Figure(figsize=(width, height), dpi=100)
        ax = figure.add_axes((0, 0, 1, 1))
        ax.set(xlim=(-1.5, width - 1.5), ylim=(height - HEAD, -HEAD))
        ax.axis("off")

        def write(x, y, words, size=8.0, ha="center", color=style.SOFT, **look):
            ax.text(x, y, words, ha=ha, va="center", fontsize=size, color=color, **look)

        def name(x, y, words, key, size, shade, ha="center"):
            """Name a row or a column; one that is new stands out."""
            if key in new:
                ax.add_patch(Rectangle(*shade, color=style.TINT, alpha=0.3, lw=0, zorder=0))
            write(x, y, words, size, ha, style.INK, fontweight="bold" if key in new else "normal")

        for column, wish in enumerate(wishes):
            x, shade = (column + 0.5) * across, ((column * across, 0.06 - HEAD), across, HEAD - 0.06 + rows)
            name(x, -0.55, _wrapped(wish.name), wish.name, 9, shade)
            write(x, -0.14, wish.rule)
        for row, (title, cells) in enumerate(measured.items()):
            shade = (-1.45, row * ROW), 1.45 + across * len(wishes), ROW
            name(-1.4, (row + 0.5) * ROW, title, title, 10, shade, "left")
            for column, cell in enumerate(cells.values()):
                x, top = (column + 0.5) * across, row * ROW
                write(x, top + 0.44, cell.number)
                if cell.reason:
                    write(x, top + (0.2 if cell.number else 0.3), "–" if cell.number else cell.answer, 9)
                    continue
                ring, part = (x - 0.17, top + 0.2), 360 * cell.share  # clockwise from the top; the axis points down
                ax.add_patch(Wedge(ring, 0.09, 0, 360, facecolor=style.PAPER, edgecolor=style.KEY, lw=1.6))
                if part:
                    ax.add_patch(Wedge(ring, 0.09, -90, part - 90, color=style.KEY, lw=0))
                write(x - 0.02, top + 0.21, cell.answer, 9, "left", style.INK)
        write(-1.4, rows + FOOT / 2, NOTE + (" Shaded: new in this lesson." if new else ""), ha="left")
    return figure


def _wrapped(wish: str) -> str:
    """Return a name with a line for each word or two."""
    for end in ("length-", " is ", "survives ", "only the ", "offset "):
        wish = wish.replace(end, f"{end.rstrip()}\n")
    return wish
