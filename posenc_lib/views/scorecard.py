"""The scorecard as a picture: a full disc for yes, a ring for no, a dash where it does not apply; the number below."""

from matplotlib.figure import Figure

from posenc_lib.views import style

CSS_WIDTH = 860  # px on the page
ROW = 0.62  # inches
HEAD = 0.78
SMALL = {"ha": "center", "va": "center", "fontsize": 8.5}


def draw(wishes: list, rules: list, answers: dict[str, list], values: dict[str, list], *, stands_out=None) -> Figure:
    """Return a figure with a row for each encoding and a column for each wish.

    Args:
        wishes: the properties' names, as column heads.
        rules: what each number must be, below the heads.
        answers: by encoding, whether it has each property; None where that does not apply.
        values: by encoding, each measured number as text.
        stands_out: the row that does, if any.
    """
    with style.styled():
        figure = Figure(figsize=(CSS_WIDTH / 100, HEAD + ROW * len(answers)), dpi=100)
        ax = figure.add_axes((0, 0, 1, 1))
        ax.set(xlim=(-1.75, len(wishes) - 0.38), ylim=(len(answers) * ROW, -HEAD))
        ax.axis("off")
        for column, (wish, rule) in enumerate(zip(wishes, rules, strict=True)):
            ax.text(column, -0.47, _wrapped(wish), ha="center", va="center", fontsize=9.5, fontweight="bold")
            ax.text(column, -0.11, rule, color=style.SOFT, **SMALL)
        for row, name in enumerate(answers):
            _draw_row(ax, row, name, answers[name], values[name], marked=row == stands_out)
    return figure


def _draw_row(ax, row: int, name: str, answers: list, values: list[str], *, marked: bool) -> None:
    """Draw one encoding's discs and rings, each with its word and its number."""
    top = row * ROW
    if marked:
        ax.axhspan(top + 0.02, top + ROW - 0.02, color=style.TINT, alpha=0.3, lw=0, zorder=0)
    ax.text(-1.65, top + ROW / 2, name, va="center", fontsize=10.5, fontweight="bold" if marked else "normal")
    for column, (yes, value) in enumerate(zip(answers, values, strict=True)):
        if yes is None:
            ax.text(column, top + 0.2, "–", ha="center", va="center", fontsize=12)
        else:
            face = style.CURVE if yes else style.PAPER
            ax.plot(column - 0.14, top + 0.2, "o", ms=11, mfc=face, mec=style.CURVE, mew=1.8)
            ax.text(column + 0.1, top + 0.21, "yes" if yes else "no", va="center", fontsize=9.5)
        ax.text(column, top + 0.48, value, color=style.SOFT, **SMALL)


def _wrapped(wish: str) -> str:
    """Return a name on two lines where it has several words."""
    for gap in (" is ", " offset ", "-"):
        if gap in wish:
            first, rest = wish.split(gap, 1)
            return f"{first}{gap.rstrip()}\n{rest}"
    return wish


def picture(wishes: list[str], rules: list[str], answers: dict, values: dict) -> bytes:
    """Return the figure of `draw`, its last row standing out, as the bytes of a PNG; the same every time."""
    return style.file(draw(wishes, rules, answers, values, stands_out=len(answers) - 1), "png", 150)
