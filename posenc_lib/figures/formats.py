"""A figure's bytes, in each format: the same command gives the same bytes."""

import base64
import hashlib
import html
import io
import json
from collections.abc import Iterator
from string import Template

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image, ImageColor

from posenc_lib.figures.registry import FRAMES, BlogFigure, part
from posenc_lib.views import style
from posenc_lib.views.panel import CSS_DPI

FORMATS = ("png", "svg", "pdf", "gif", "html")
MOVING = ("gif", "html")
DPI = {"png": 200, "svg": CSS_DPI, "pdf": CSS_DPI, "gif": 85, "html": 150}
COLORS = 256  # in the palette of a moving figure: few enough to stay small, enough for smooth scales
MILLISECONDS, REST = 140, 1200  # per frame, and for the last one
STRIP = 0.42  # inches below a moving picture, for a slider that says where it stands


def render(figure: BlogFigure, values: dict, suffix: str, *, dpi=None, width=None, frames: int = FRAMES) -> bytes:
    """Return a figure as a file's bytes, in the theme in use.

    Args:
        figure: a record of the registry.
        values: all its parameters, as `BlogFigure.values` gives them.
        suffix: one of FORMATS.
        dpi: dots per inch; None means what suits the format.
        width: in inches; None means the figure's own.
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
        drawn = figure.redraw(drawn, shown) if drawn else figure.draw(shown, width)
        yield shown, drawn.describe(), *figure.words(shown, drawn), _pixels(drawn.figure, dpi)


def _pixels(drawn: Figure, dpi: float) -> np.ndarray:
    """Return a figure as pixels, shape (height, width, 3)."""
    drawn.set_dpi(dpi)
    canvas = FigureCanvasAgg(drawn)
    with style.styled():
        canvas.draw()
    return np.array(canvas.buffer_rgba())[..., :3]  # a copy: the canvas draws the next frame over it


def gif(figure: BlogFigure, values: dict, dpi: float, width, frames: int) -> bytes:
    """Return a film that goes round and round, with a strip that shows where the parameter stands."""
    shown, *_, pictures = zip(*filmed(figure, values, dpi, width, frames), strict=True)
    strips = _strips(figure.moves, [at[figure.moves] for at in shown], pictures[0].shape[1] / dpi, dpi)
    first, *rest = _in_few_colors([np.vstack(parts) for parts in zip(pictures, strips, strict=True)])
    times = [MILLISECONDS] * len(rest) + [REST]
    return _saved(first, "GIF", save_all=True, append_images=rest, duration=times, loop=0)


def _in_few_colors(pictures: list[np.ndarray]) -> list[Image.Image]:
    """Return pictures that share one palette, so that nothing flickers and little changes between them."""
    some = pictures[:: max(len(pictures) // 6, 1)]
    palette = Image.fromarray(np.vstack(some)).quantize(COLORS, method=Image.Quantize.MAXCOVERAGE)
    colors, paper = np.reshape(palette.getpalette(), (-1, 3)), ImageColor.getrgb(style.PAPER)
    blank = int(np.argmin(np.square(colors - paper).sum(axis=1)))
    colors[blank] = paper
    palette.putpalette(colors.ravel().tolist())
    images = []
    for picture in pictures:
        image = Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)
        image.paste(blank, mask=Image.fromarray((picture == paper).all(axis=2)))  # near is not enough: it is the page's
        images.append(image)
    return images


def _strips(name: str, values: list, width: float, dpi: float) -> Iterator[np.ndarray]:
    """Yield the pixels of a slider below each frame: the parameter's name, how far it is, its value."""
    with style.styled():
        figure = Figure(figsize=(width, STRIP))
        ax = figure.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1))
        ax.axis("off")
        ax.text(0.16, 0.55, name, ha="right", va="center", fontsize=11)
        ax.plot([0.18, 0.82], [0.55, 0.55], color=style.GHOST, lw=3, solid_capstyle="round")
        (knob,) = ax.plot([], [], "o", color=style.CURVE, ms=10)
        text = ax.text(0.84, 0.55, "", va="center", fontsize=11, fontweight="bold")
    for k, value in enumerate(values):
        knob.set_data([0.18 + 0.64 * k / (len(values) - 1)], [0.55])
        text.set_text(style.written(value))
        yield _pixels(figure, dpi)


def page(figure: BlogFigure, values: dict, dpi: float, width, frames: int) -> bytes:
    """Return an HTML page with every frame inside and a slider to choose one; it loads nothing."""
    shown, words, captions, alts, pictures = zip(*filmed(figure, values, dpi, width, frames), strict=True)
    told = {
        "picture": [_base64(_saved(image, "PNG", optimize=True)) for image in _in_few_colors(pictures)],
        "value": [style.written(at[figure.moves]) for at in shown],
        "words": words,
        "caption": captions,
        "alt": alts,
    }
    start = _nearest([at[figure.moves] for at in shown], values[figure.moves])
    colors = {role.lower(): getattr(style, role) for role in ("PAPER", "INK", "CURVE", "LINE")}
    css = Template(part("slider.css")).substitute(colors, width=round(pictures[0].shape[1] / dpi * CSS_DPI))
    texts = {name: each[start] for name, each in told.items()}
    texts |= {"id": figure.id, "name": figure.moves, "help": figure.parameters[figure.moves].help}
    texts = {name: html.escape(text) for name, text in texts.items()}
    data = json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")
    script = part("slider.js")
    code = {"style": css, "script": script, "style_hash": _hash(css), "script_hash": _hash(script)}
    return Template(part("slider.html")).substitute(texts, start=start, last=len(shown) - 1, data=data, **code).encode()


def _nearest(steps: list, value) -> int:
    """Return the frame that shows a value, or comes nearest to it; the first where there is none."""
    if value is None or isinstance(value, str | bool):
        return steps.index(value) if value in steps else 0
    return min(range(len(steps)), key=lambda k: abs(steps[k] - value))


def _saved(image: Image.Image, suffix: str, **options) -> bytes:
    data = io.BytesIO()
    image.save(data, suffix, **options)
    return data.getvalue()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _hash(text: str) -> str:
    """Return what a Content-Security-Policy calls an inline text: the base64 of its SHA-256."""
    return _base64(hashlib.sha256(text.encode()).digest())
