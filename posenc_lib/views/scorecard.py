"""The scorecard as a picture: the table that a notebook shows, drawn."""

from matplotlib.figure import Figure

from posenc_lib.views import style

CSS_WIDTH, NAMES, COLUMN = 880, 150, 81  # px on the page: of the picture, of the encodings' names, of a wish
ROW, HEAD, FOOT = 60, 100, 34
NOTE = "64 dims where they can be chosen; 64 and 256 positions. A slice: the share of 100 draws; their median."


def draw(measured: dict[str, dict]) -> Figure:
    """Return a figure with a row for each encoding and a column for each wish, of what `scorecard` measured."""
    height = HEAD + ROW * len(measured) + FOOT
    with style.styled():
        figure = Figure(figsize=(CSS_WIDTH / style.CSS_DPI, height / style.CSS_DPI), dpi=style.CSS_DPI)

        def write(x, y, words, size=8.0, color=style.SOFT, ha="center"):
            figure.text(x / CSS_WIDTH, 1 - y / height, words, ha=ha, va="center", fontsize=size, color=color)

        for row, (name, cells) in enumerate(measured.items()):
            y = HEAD + ROW * row
            write(10, y + 30, name, 10, style.INK, "left")
            for column, cell in enumerate(cells.values()):
                x, (verdict, number) = NAMES + COLUMN * (column + 0.5), cell.told
                write(x, y + 20, verdict, 10, style.KEY)
                write(x, y + 44, number)
                if not row:
                    write(x, 45, _wrapped(cell.wish.name), 9, style.INK)
                    write(x, 86, cell.wish.rule)
        write(10, height - FOOT / 2, NOTE, ha="left")
    return figure


def _wrapped(wish: str) -> str:
    """Return a name with a line for each word or two."""
    for end in ("length-", " is ", "survives ", "only the ", "offset "):
        wish = wish.replace(end, f"{end.rstrip()}\n")
    return wish
