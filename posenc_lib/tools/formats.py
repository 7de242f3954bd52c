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
from posenc_lib.views.sheet import MARGIN
from posenc_lib.views.style import CSS_DPI

FORMATS = ("png", "svg", "pdf", "gif", "html")
MOVING = ("gif", "html")
DPI = {"png": 200, "svg": CSS_DPI, "pdf": CSS_DPI, "gif": 85, "html": SHARPNESS * CSS_DPI}
MILLISECONDS, REST = 140, 1200  # per frame, and for the last one
STRIP = 0.42  # inches below a moving picture, for a slider that says where it stands


def render(
    figure: Scene, values: dict, suffix: str, *, dpi=None, width=None, frames: int = FRAMES
) -> bytes:
    """Return a figure as a file's bytes, in the theme in use.

    Args:
        figure: a record of the registry.
        values: all its parameters, as `Scene.values` gives them.
        suffix: one of FORMATS.
        dpi: dots per inch; None means what suits the format.
        width: in px; None means the figure's own.
        frames: how many pictures a moving format has, at most.
    """
    # a gif has the pixels that were asked for
    dpi = dpi or (CSS_DPI if suffix == "gif" and width else DPI[suffix])
    if suffix == "gif":
        return gif(figure, values, dpi, width, frames)
    if suffix == "html":
        return page(figure.id, film_of(figure, values, dpi, width, frames).html())
    drawn = figure.draw(values, width and width - 2 * MARGIN)
    title, description = figure.words(values, drawn)
    return drawn.kept(suffix, dpi, title=title, description=description)


def gif(figure: Scene, values: dict, dpi: float, width, frames: int) -> bytes:
    """Return a film that goes round and round, with a strip that shows where it is."""
    shown = figure.frames(values, frames)
    drawn, pictures = figure.steady(figure.draw(shown[0], width, dpi), shown), []
    for at, strip in zip(
        shown, _strips(figure.moves, shown, drawn.size[0] / CSS_DPI, dpi), strict=True
    ):
        pictures.append(np.vstack([figure.redraw(drawn, at).pixels()[..., :3], strip]))
    first, *rest = _in_shared_colors(pictures)
    data, times = io.BytesIO(), [MILLISECONDS] * len(rest) + [REST]
    first.save(data, "GIF", save_all=True, append_images=rest, duration=times, loop=0)
    return data.getvalue()


def _in_shared_colors(pictures: list[np.ndarray]) -> Iterator[Image.Image]:
    """Yield pictures in 256 colours that suit all, so that nothing flickers; paper stays paper."""
    some = np.vstack(pictures[:: max(len(pictures) // 6, 1)])
    shared, paper = (
        Image.fromarray(some).quantize(256, Image.Quantize.MAXCOVERAGE),
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


def _strips(name: str, shown: list[dict], width: float, dpi: float) -> Iterator[np.ndarray]:
    """Yield the pixels of a slider below each frame: a name, how far it is, its value."""
    # of the line, right of its name
    begin, beside = (max(0.18, 0.1 * len(name) / width), max(0.02, 0.12 / width))
    for k, at in enumerate(shown):
        with style.styled():
            figure = Figure(figsize=(width, STRIP), dpi=dpi)
            ax = figure.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1))
            ax.axis("off")
            ax.text(begin - beside, 0.55, name, ha="right", va="center", fontsize=11)
            ax.plot([begin, 0.82], [0.55, 0.55], color=style.GHOST, lw=3, solid_capstyle="round")
            ax.plot(
                [begin + (0.82 - begin) * k / (len(shown) - 1)], [0.55], "o", color=style.KEY, ms=10
            )
            ax.text(
                0.82 + beside,
                0.55,
                style.written(at[name]),
                va="center",
                fontsize=11,
                fontweight="bold",
            )
            canvas = FigureCanvasAgg(figure)
            canvas.draw()
        yield np.asarray(canvas.buffer_rgba())[..., :3]
