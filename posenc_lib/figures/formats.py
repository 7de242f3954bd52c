"""A figure's bytes, in each format: the same command gives the same bytes."""

import html
import io
from collections.abc import Iterator

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from posenc_lib.figures.film import Film, both, in_colors, shared_colors, whole
from posenc_lib.figures.registry import FRAMES, BlogFigure, part
from posenc_lib.views import style
from posenc_lib.views.style import CSS_DPI

FORMATS = ("png", "svg", "pdf", "gif", "html")
MOVING = ("gif", "html")
DPI = {"png": 200, "svg": CSS_DPI, "pdf": CSS_DPI, "gif": 85, "html": 150}
MILLISECONDS, REST = 140, 1200  # per frame, and for the last one
STRIP = 0.42  # inches below a moving picture, for a slider that says where it stands


def render(figure: BlogFigure, values: dict, suffix: str, *, dpi=None, width=None, frames: int = FRAMES) -> bytes:
    """Return a figure as a file's bytes, in the theme in use.

    Args:
        figure: a record of the registry.
        values: all its parameters, as `BlogFigure.values` gives them.
        suffix: one of FORMATS.
        dpi: dots per inch; None means what suits the format.
        width: in px; None means the figure's own.
        frames: how many pictures a moving format has, at most.
    """
    dpi = dpi or DPI[suffix]
    if suffix in MOVING:
        return {"gif": gif, "html": page}[suffix](figure, values, dpi, width, frames)
    drawn = figure.draw(values, width)
    title, description = figure.words(values, drawn)
    return drawn.picture(suffix, dpi, title=title, description=description)


def filmed(figure: BlogFigure, values: dict, dpi: float, width, frames: int) -> Iterator[tuple]:
    """Yield a frame for each value of the parameter that moves.

    That is: all values, what it shows in words, caption, alt text, and its pixels, shape (height, width, 3).
    """
    drawn = None
    for shown in figure.frames(values, frames):
        drawn = figure.redraw(drawn, shown) if drawn else figure.draw(shown, width, dpi)
        yield shown, drawn.text, *figure.words(shown, drawn), drawn.pixels()[..., :3].copy()


def gif(figure: BlogFigure, values: dict, dpi: float, width, frames: int) -> bytes:
    """Return a film that goes round and round, with a strip that shows where the parameter stands."""
    shown, *_, pictures = zip(*filmed(figure, values, dpi, width, frames), strict=True)
    strips = _strips(figure.moves, [at[figure.moves] for at in shown], pictures[0].shape[1] / dpi, dpi)
    pictures = [np.vstack(parts) for parts in zip(pictures, strips, strict=True)]
    shared = shared_colors(pictures[:: max(len(pictures) // 6, 1)])
    first, *rest = (in_colors(picture, shared) for picture in pictures)
    times = [MILLISECONDS] * len(rest) + [REST]
    return _saved(first, "GIF", save_all=True, append_images=rest, duration=times, loop=0)


def _strips(name: str, values: list, width: float, dpi: float) -> Iterator[np.ndarray]:
    """Yield the pixels of a slider below each frame: the parameter's name, how far it is, its value."""
    with style.styled():
        figure = Figure(figsize=(width, STRIP), dpi=dpi)
        canvas = FigureCanvasAgg(figure)
        ax = figure.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1))
        ax.axis("off")
        ax.text(0.16, 0.55, name, ha="right", va="center", fontsize=11)
        ax.plot([0.18, 0.82], [0.55, 0.55], color=style.GHOST, lw=3, solid_capstyle="round")
        (knob,) = ax.plot([], [], "o", color=style.KEY, ms=10)
        text = ax.text(0.84, 0.55, "", va="center", fontsize=11, fontweight="bold")
    for k, value in enumerate(values):
        knob.set_data([0.18 + 0.64 * k / (len(values) - 1)], [0.55])
        text.set_text(style.written(value))
        with style.styled():
            canvas.draw()
        yield np.array(canvas.buffer_rgba())[..., :3]


def page(figure: BlogFigure, values: dict, dpi: float, width, frames: int) -> bytes:
    """Return an HTML page with every frame inside and a slider to choose one; it loads nothing."""
    body = film_of(figure, values, dpi, width, frames)
    return whole(part("film.html"), part("player.css"), title=html.escape(figure.id), body=body).encode()


def film_of(figure: BlogFigure, values: dict, dpi: float = DPI["html"], width=None, frames: int = FRAMES) -> str:
    """Return the part of a page that has every frame of a figure and a slider to choose one."""
    shown, words, captions, alts, pictures = zip(*filmed(figure, values, dpi, width, frames), strict=True)
    told = [{"words": w, "caption": c, "alt": a} for w, c, a in zip(words, captions, alts, strict=True)]
    start = _nearest([at[figure.moves] for at in shown], values[figure.moves])
    order = sorted(range(len(shown)), key=lambda k: k != start)  # a film begins where the figure does
    dark = [None] * len(pictures)
    if style.theme() == "light":  # as the page around it may not be
        with style.themed("dark"):
            dark = [each[-1] for each in filmed(figure, values, dpi, width, frames)]
    pictures = [*map(both, pictures, dark)]
    film = Film([pictures[k] for k in order[:: max(len(order) // 6, 1)]], **told[start])
    places = {start: 0} | {k: film.add(pictures[k], **told[k]) for k in order[1:]}
    slider = {"name": figure.moves, "help": figure.parameters[figure.moves].help, "choice": False, "start": start}
    slider["values"] = [style.written(at[figure.moves]) for at in shown]
    slider["frames"] = [places[k] for k in range(len(shown))]
    cells = getattr(figure.draw(values, width), "cells", None)
    return film.html([slider], pictures[0].shape[1] / dpi * CSS_DPI, cells)


def _nearest(steps: list, value) -> int:
    """Return the frame that shows a value, or comes nearest to it; the first where there is none."""
    if value is None or isinstance(value, str | bool):
        return steps.index(value) if value in steps else 0
    return min(range(len(steps)), key=lambda k: abs(steps[k] - value))


def _saved(image: Image.Image, suffix: str, **options) -> bytes:
    data = io.BytesIO()
    image.save(data, suffix, **options)
    return data.getvalue()
