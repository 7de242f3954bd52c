"""A figure's bytes, in each format: the same command gives the same bytes."""

import io
from collections.abc import Iterator

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image, ImageColor

from posenc_lib.figures.film import SHARPNESS
from posenc_lib.figures.registry import FRAMES, Scene
from posenc_lib.figures.shown import film_of
from posenc_lib.tools.page import page
from posenc_lib.views import style
from posenc_lib.views.style import CSS_DPI

FORMATS = ("png", "svg", "pdf", "gif", "html")
MOVING = ("gif", "html")
DPI = {"png": 200, "svg": CSS_DPI, "pdf": CSS_DPI, "gif": 150, "html": SHARPNESS * CSS_DPI}
MILLISECONDS, REST = 40, 1000  # of a beat, and of a rest at each end
SWEEP, STEP = 45, 5  # beats from end to end, and of a step where there are few
FINE = 240  # values from which a film takes those that it shows, at most
LEAST, MOST = 380, 1260  # px of a film: a slider has room, and a page wouldn't show more
COLORS = 48  # of a film
STRIP = 0.42  # inches above a moving picture, for a slider that says where it stands


def render(
    figure: Scene, values: dict, suffix: str, *, dpi=None, width=None, frames: int | None = None
) -> bytes:
    """Return a figure as a file's bytes, in the theme in use.

    Args:
        figure: a record of the registry.
        values: all its parameters, as `Scene.values` gives them.
        suffix: one of FORMATS.
        dpi: dots per inch; None means what suits the format.
        width: in px; None means the figure's own.
        frames: how many values of what moves a moving format has, at most; None means what suits
            the format.
    """
    if suffix == "gif":  # it has the pixels that were asked for
        return gif(figure, values, dpi or (CSS_DPI if width else None), width, frames or FINE)
    dpi = dpi or DPI[suffix]
    if suffix == "html":
        return page(figure.id, film_of(figure, values, dpi, width, frames or FRAMES).html())
    drawn = figure.draw(values, width)
    title, description = figure.words(values, drawn)
    return drawn.picture(suffix, dpi, title=title, description=description)


def gif(figure: Scene, values: dict, dpi, width, frames: int) -> bytes:
    """Return a film that goes to and fro, with a strip above it that says where it is.

    It's slow near its ends, and rests there; a value that stays is one picture, shown longer.
    """
    shown, own = figure.frames(values, frames), figure.draw(values, width).size[0]
    wide = max(own, LEAST)
    drawn = figure.draw(shown[0], wide if wide > own else width, dpi or _sharp(wide))
    figure.steady(drawn, shown)
    stays = _stays(len(shown))
    strips = _strips(figure.moves, shown, drawn.size[0] / CSS_DPI, drawn.figure.dpi, [*stays])
    pictures = [
        np.vstack([strip, figure.redraw(drawn, shown[k]).pixels()[..., :3]])
        for k, strip in zip(stays, strips, strict=True)
    ]
    there, times = list(_in_shared_colors(pictures)), [MILLISECONDS * n for n in stays.values()]
    times[0], times[-1] = times[0] + REST, times[-1] + REST
    first, *rest = there + there[-2:0:-1]
    times += times[-2:0:-1]
    data, how = io.BytesIO(), {"save_all": True, "optimize": True, "loop": 0}
    first.save(data, "GIF", append_images=rest, duration=times, **how)
    return data.getvalue()


def _sharp(wide: int) -> float:
    """Return the dots per inch of a film: fewer where it's so wide that any page shrinks it."""
    return min(DPI["gif"], CSS_DPI * MOST / wide)


def _stays(count: int) -> dict[int, int]:
    """Return for how many beats each value stays, on the way from the first to the last.

    Few values take a step at a time; of many, the hurry in the middle leaves some out.
    """
    beats = SWEEP if count > SWEEP else min(STEP * count, 2 * SWEEP)
    time = np.linspace(0, 1, beats)
    eased = (count - 1) * time**2 * (3 - 2 * time)
    values, beats_each = np.unique(eased.round().astype(int), return_counts=True)
    return dict(zip(values.tolist(), beats_each.tolist(), strict=True))


def _in_shared_colors(pictures: list[np.ndarray]) -> Iterator[Image.Image]:
    """Yield pictures in the same few colours that suit all, so that nothing flickers; paper stays paper."""
    some = np.vstack(pictures[:: max(len(pictures) // 6, 1)])
    shared, paper = (
        Image.fromarray(some).quantize(COLORS, Image.Quantize.MAXCOVERAGE, kmeans=1),
        ImageColor.getrgb(style.PAPER),
    )
    colors = np.reshape(shared.getpalette(), (-1, 3))
    blank = int(np.argmin(np.square(colors - paper).sum(axis=1)))
    colors[blank] = paper
    shared.putpalette(colors.ravel().tolist())
    for picture in pictures:
        image = Image.fromarray(picture).quantize(palette=shared, dither=Image.Dither.NONE)
        image.paste(blank, mask=Image.fromarray((picture == paper).all(axis=2)))
        yield image


def _strips(
    name: str, shown: list[dict], width: float, dpi: float, which: list[int]
) -> Iterator[np.ndarray]:
    """Yield the pixels of a slider above each frame: a name, how far it is, its value."""
    role = {"query": style.QUERY, "pair": style.PAIR, "offset": style.INK}.get(name, style.KEY)
    # of the line, right of its name and left of the longest value
    begin, end = (0.16 + 0.095 * len(name)) / width, 1 - 1.0 / width
    for k in which:
        with style.styled():
            figure = Figure(figsize=(width, STRIP), dpi=dpi)
            ax = figure.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1))
            ax.axis("off")
            here, look = begin + (end - begin) * k / (len(shown) - 1), {"va": "center"}
            look |= {"fontsize": 11, "fontweight": "bold"}
            ax.text(0, 0.5, name, **look)
            ax.plot([begin, end], [0.5, 0.5], color=style.GRID, lw=3, solid_capstyle="round")
            ax.plot([begin, here], [0.5, 0.5], color=role, lw=3, solid_capstyle="round")
            ax.plot([here], [0.5], "o", color=role, ms=11)
            ax.text(end + 0.16 / width, 0.5, style.written(shown[k][name]), color=role, **look)
            canvas = FigureCanvasAgg(figure)
            canvas.draw()
        yield np.asarray(canvas.buffer_rgba())[..., :3]
