"""A figure's bytes in each format: the same command gives the same bytes."""

import html
import io

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image, ImageColor

from posenc_lib.figures.film import SHARPNESS
from posenc_lib.figures.registry import FRAMES, Scene
from posenc_lib.figures.shown import film_of
from posenc_lib.tools.page import page
from posenc_lib.views import style
from posenc_lib.views.sheet import MARGIN
from posenc_lib.views.style import CSS_DPI

FORMATS = ("png", "svg", "pdf", "gif", "html")
MOVING = ("gif", "html")
DPI = {"png": 200, "svg": CSS_DPI, "pdf": CSS_DPI, "gif": 150, "html": SHARPNESS * CSS_DPI}
MILLISECONDS, REST = 40, 1000  # per beat, and per rest at each end
SWEEP, STEP = 45, 5  # beats from end to end, and per step if there are few
GLIDE = 20  # beats per glide, if there are several
FINE = 240  # values a film picks from, at most
LEAST, MOST = 380, 1120  # px of a film: room for a slider, and no more than a page shows
COLORS = 48  # of a film
STRIP = 0.42  # inches above a moving picture, for a slider that shows the value


def render(
    figure: Scene, values: dict, suffix: str, *, dpi=None, width=None, frames: int | None = None
) -> bytes:
    """Return a figure as a file's bytes, in the current theme.

    Args:
        figure: a record in the registry.
        values: all its parameters, as returned by `Scene.values`.
        suffix: one of FORMATS.
        dpi: dots per inch; None means the format's default.
        width: in px; None means the figure's own.
        frames: how many values of the moving parameter a moving format shows, at most; None means
            the format's default.
    """
    if suffix == "gif":  # it has exactly the pixels asked for
        return gif(figure, values, dpi or (CSS_DPI if width else None), width, frames or FINE)
    dpi = dpi or DPI[suffix]
    if suffix == "html":
        head = f"<h1>{html.escape(figure.title)}</h1>" if figure.title else ""
        film = film_of(figure, values, dpi, width, frames or FRAMES)
        return page(figure.title or figure.id, head + film.html())
    drawn = figure.draw(values, width and width - 2 * MARGIN)
    title, description = figure.words(values, drawn)
    return drawn.kept(suffix, dpi, title=title, description=description)


def gif(figure: Scene, values: dict, dpi, width, frames: int) -> bytes:
    """Return a film that goes back and forth, with a strip above that shows where it is.

    It's slow near its ends and rests there. A value that lasts is one picture, shown longer.
    A drawing as wide as a page has paper around it.
    """
    shown, usual = figure.frames(values, frames), figure.draw(values)
    own = usual.size[0]
    margin = MARGIN if len(usual.pens) == 1 and own > LEAST else 0
    if width:
        width -= 2 * margin
    elif own < LEAST:
        width = own = LEAST
    values_shown = [style.written(at[figure.moves]) for at in shown]
    longest = max(style.text_width(value, 11, "bold") for value in values_shown) / CSS_DPI
    room = max(0.84, longest + 0.02)
    dpi = dpi or min(DPI["gif"], CSS_DPI * MOST / (own + 2 * margin))
    drawn, stays = figure.draw(shown[0], width, dpi), _stays(len(shown), figure.glides)
    figure.steady(drawn, shown)
    around = round(margin * dpi / CSS_DPI)

    def picture(at: float) -> np.ndarray:
        value, part = values_shown[round(at)], at / (len(shown) - 1)
        wide = drawn.size[0] / CSS_DPI
        above = [_heading(figure.title, wide, dpi)] if figure.title else []
        above.append(_strip(figure.moves, value, part, wide, dpi, room))
        _move(figure, drawn, shown, at)
        return _in_paper(np.vstack([*above, drawn.pixels()[..., :3]]), around)

    palette = _palette([picture(at) for at in [*stays][:: max(len(stays) // 6, 1)]])
    there = [_in_colors(picture(at), palette) for at in stays]
    glide = (len(shown) - 1) / max(figure.glides, 1)
    times = [MILLISECONDS * stay + REST * (at % glide == 0) for at, stay in stays.items()]
    first, *rest = there + there[-2:0:-1]
    times += times[-2:0:-1]
    data, how = io.BytesIO(), {"save_all": True, "optimize": True, "loop": 0}
    first.save(data, "GIF", append_images=rest, duration=times, **how)
    return data.getvalue()


def _move(figure: Scene, drawn, shown: list[dict], at: float) -> None:
    """Move a figure's sheet to one of the values shown, or between two."""
    figure.redraw(drawn, shown[round(at)])
    if at % 1:
        low, high = (shown[int(at) + k][figure.moves] for k in (0, 1))
        for pen in drawn.pens:
            pen.own = pen.own | {figure.moves: low + at % 1 * (high - low)}
        drawn.update(drawn.encodings, {})


def _stays(count: int, glides: int) -> dict[float, int]:
    """Return how many beats each value lasts, on the way from the first to the last.

    Few values come one step at a time; with many, the fast middle skips some. Each of several
    glides starts and ends slowly.
    """
    many, parts = count > SWEEP and not glides, max(glides, 1)
    beats = SWEEP if many else min(STEP * count, 2 * SWEEP)
    if parts > 1:
        beats = GLIDE
    time = np.tile(np.linspace(0, 1, beats), parts)
    before = np.repeat(np.arange(parts), beats)
    eased = (count - 1) / parts * (before + time**2 * (3 - 2 * time))
    values, stay = np.unique(eased.round(2 if glides else 0), return_counts=True)
    return dict(zip(values.tolist(), stay.tolist(), strict=True))


def _palette(pictures: list[np.ndarray]) -> Image.Image:
    """Return a few colors that suit all pictures, so nothing flickers; paper stays paper."""
    image, paper = Image.fromarray(np.vstack(pictures)), ImageColor.getrgb(style.PAPER)
    palette = image.quantize(COLORS, Image.Quantize.MAXCOVERAGE, kmeans=1)
    colors = np.reshape(palette.getpalette(), (-1, 3))
    colors[_blank(palette)] = paper
    palette.putpalette(colors.ravel().tolist())
    return palette


def _blank(palette: Image.Image) -> int:
    """Return the index of the paper's color, or the closest one."""
    colors = np.reshape(palette.getpalette(), (-1, 3))
    return int(np.argmin(np.square(colors - ImageColor.getrgb(style.PAPER)).sum(axis=1)))


def _in_colors(picture: np.ndarray, palette: Image.Image) -> Image.Image:
    """Return a picture in a palette's colors."""
    image = Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)
    paper = (picture == ImageColor.getrgb(style.PAPER)).all(axis=2)
    image.paste(_blank(palette), mask=Image.fromarray(paper))
    return image


def _in_paper(picture: np.ndarray, around: int) -> np.ndarray:
    """Return a picture with `around` dots of paper on each side."""
    high, wide, colors = picture.shape
    size = high + 2 * around, wide + 2 * around, colors
    paper = np.broadcast_to(np.array(ImageColor.getrgb(style.PAPER), np.uint8), size).copy()
    paper[around : around + high, around : around + wide] = picture
    return paper


def _heading(words: str, width: float, dpi: float) -> np.ndarray:
    """Return the pixels of a film's heading, as large as fits."""
    fits = width * CSS_DPI / style.text_width(words, style.HEADING, "bold")
    size = style.HEADING * min(fits, 1)
    with style.styled():
        figure = Figure(figsize=(width, STRIP), dpi=dpi)
        figure.text(0.02 / width, 0.5, words, va="center", fontsize=size, fontweight="bold")
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]


def _strip(name, value: str, part: float, width: float, dpi: float, room: float) -> np.ndarray:
    """Return the pixels of a slider: its name, how far along it is (0 to 1), its value.

    room: inches for the longest value.
    """
    role = {
        "query": style.QUERY,
        "position": style.QUERY,
        "pair": style.PAIR,
        "offset": style.INK,
    }.get(name, style.KEY)
    # of the line, right of its name and left of the longest value
    begin, end = (0.16 + 0.095 * len(name)) / width, 1 - (0.16 + room) / width
    here, look = begin + (end - begin) * part, {"fontsize": 11, "fontweight": "bold"}
    with style.styled():
        figure = Figure(figsize=(width, STRIP), dpi=dpi)
        ax = figure.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1))
        ax.axis("off")
        ax.text(0.02 / width, 0.5, name, va="center", **look)
        for far, color in ((end, style.GRID), (here, role)):
            ax.plot([begin, far], [0.5, 0.5], color=color, lw=3, solid_capstyle="round")
        ax.plot([here], [0.5], "o", color=role, ms=11)
        ax.text(end + 0.16 / width, 0.5, value, color=role, va="center", **look)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]
