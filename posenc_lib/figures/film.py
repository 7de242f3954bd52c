"""Films: all frames of a panel as one JSON object, which `film.js` shows without a kernel.

It's on a page or in a widget. A frame is the pixels that differ from the first one. Each color
stands for a pair, one on light paper and one on dark (both are drawn), so a page only has to look
it up. Pairs nobody can tell apart are merged. With its picture, a frame has where its plots are,
their limits and the numbers of their curves.
"""

import base64
import html
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from posenc_lib.files import stored_text
from posenc_lib.translation import said, script
from posenc_lib.views import style

SHARPNESS = 2  # image pixels per page pixel
STEP = 16  # of red, green or blue, on either side of paper: a step is one color
# 64 bits on every system
SHIFTS = np.arange(0, 48, 8, np.int64)  # of the six bytes of a pair, as one number
POINTS = 100  # per curve, at most


class Film:
    """Frames of one panel, and what moves them.

    Attributes:
        sliders: dicts of name, help, values as written, their frames, start (which), choice, at.
        stops: named frames with several sliders moved: name, frame, at (places by slider).
        question: what to draw, hidden in the first frame, see `guess.js`: plots, boxes, home, the
            frame that shows it.
    """

    def __init__(self):
        self.frames: list[dict] = []
        self.sliders: list[dict] = []
        self.stops: list[dict] = []
        self.question: dict | None = None
        # the color for a pair, by the step of each of its six bytes
        self._codes: dict[int, tuple] = {}
        self._dark: dict[tuple, tuple] = {}

    def add(self, light, dark, **told: str) -> int:
        """Add a frame and what it shows, words and perhaps alt and caption; return its number.

        Both sheets show the same, on light and on dark paper. Axes equal to the first frame's are
        None.
        """
        pixels = np.dstack([sheet.pixels()[..., :3] for sheet in (light, dark)])
        axes = [drawn(pen) for pen in light.pens]
        first = not self.frames
        if first:
            self._first, self._axes, self.width = pixels, axes, light.size[0]
            self.cells = [_cut(cell, *pixels.shape[1::-1]) for cell in light.cells]
        differs = (pixels != self._first).any(axis=2) | first
        left, top, right, bottom = Image.fromarray(differs).getbbox() or (0, 0, 0, 0)
        patch = np.zeros((*differs.shape, 4), np.uint8)
        patch[differs] = self._coded(pixels[differs])
        if not first:
            pairs = zip(axes, self._axes, strict=True)
            axes = [None if now == before else now for now, before in pairs]
        data = webp(patch[top:bottom, left:right]) if right else ""
        told = {name: said(words) for name, words in told.items()}
        self.frames.append({"at": (left, top), "data": data, "axes": axes} | told)
        return len(self.frames) - 1

    def _coded(self, pixels: np.ndarray) -> np.ndarray:
        """Return a code for each pixel, (n, 4): its light color, slightly off if it's taken."""
        numbers = pixels @ (1 << SHIFTS)
        runs = np.flatnonzero(np.diff(numbers, prepend=-1))  # neighbors are mostly equal
        lengths = np.diff(runs, append=len(numbers)).astype(np.intp)
        pairs, where = np.unique(numbers[runs], return_inverse=True)
        counts, where = np.bincount(where, lengths), np.repeat(where, lengths)
        colors = pairs[:, None] >> SHIFTS & 255
        paper = self._first[0, 0].astype(int)  # at the corner
        steps = np.round((colors - paper) / STEP).astype(np.int64)
        keys = (steps @ (1 << (6 * np.arange(6, dtype=np.int64)))).tolist()
        for k in np.argsort(-counts, kind="stable").tolist():  # most frequent first
            if keys[k] not in self._codes:
                red, green, blue, *dark = colors[k].tolist()
                code = next(
                    c for n in range(256) if (c := (red, green, blue ^ n)) not in self._dark
                )
                self._codes[keys[k]], self._dark[code] = code, (*dark,)
        return np.array([(*self._codes[key], 255) for key in keys], np.uint8).reshape(-1, 4)[where]

    def told(self) -> dict:
        """Return the film as `film.js` reads it."""
        colors = [
            [255 << 24 | red | green << 8 | blue << 16 for red, green, blue in pair]
            for pair in self._dark.items()
        ]
        names = ("width", "cells", "frames", "sliders", "stops", "question")
        film = {name: getattr(self, name) for name in names}
        return film | {"colors": colors, "scale": self._first.shape[1] / self.width}

    def html(self, narrow: "Film | None" = None) -> str:
        """Return the film for a page, as data, and a frame for readers without scripts.

        narrow: the same frames for phones.
        """
        first, *rest = self.frames
        frames = [first | {"data": ""}, *rest]  # the page already has its picture
        film = self.told() | {"frames": frames}
        if narrow:
            film["narrow"] = narrow.told()
        data = json.dumps(film, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        words, alt, caption = (
            html.escape(first.get(name, "")) for name in ("words", "alt", "caption")
        )
        high, wide = self._first.shape[:2]
        size = f'width="{self.width}" height="{round(self.width * high / wide)}"'
        said = "<details><summary>In words</summary></details>\n"
        said += f'<p class="words" role="status">{words}</p>\n'
        return f"""<figure class="film">
<img src="{first["data"]}" {size} alt="{alt or words}">
<figcaption>{caption}</figcaption>
{said * bool(words)}<script type="application/json">{data}</script>
</figure>"""

    def widget(self):
        """Return it as a widget for a notebook; it works without a kernel."""
        import anywidget
        import traitlets

        class Player(anywidget.AnyWidget):
            _esm, _css = part("film.js") + script(), part("film.css")
            film = traitlets.Dict(self.told()).tag(sync=True)

        return Player()


def on_papers(make: Callable) -> list:
    """Return what's made in the current theme, and in the theme for a dark page."""
    made = make()
    if style.theme() != "light":
        return [made, made]
    with style.themed("dark"):
        return [made, make()]


def drawn(pen) -> dict:
    """Return where a plot is in its picture, in fractions, its axes, and its curves as numbers.

    A curve is its kind, its x (two numbers if evenly spaced) and its y. Images and words are left
    out.
    """
    (left, bottom), (right, top) = pen.ax.get_position().get_points()
    plot = {"box": _numbers([left, 1 - top, right, 1 - bottom]), "title": pen.headline}
    plot["names"] = [*pen.names]
    plot |= {f"{axis}lim": _numbers(getattr(pen.ax, f"get_{axis}lim")()) for axis in "xy"}
    plot["log"] = "".join(pen.view.log)
    plot["curves"] = [[kind, *_points(np.array(points))] for kind, points in pen.traces]
    return plot


def _points(points: np.ndarray) -> tuple[list, list]:
    some = points[:: -(-len(points) // POINTS) or 1]
    even = len(some) > 2 and np.ptp(np.diff(some[:, 0])) <= 1e-9 * abs(np.ptp(some[:, 0]))
    return _numbers(some[[0, -1], 0] if even else some[:, 0]), _numbers(some[:, 1])


def _numbers(values) -> list:
    """Return numbers in four digits, None for those that aren't finite."""
    return [
        float(f"{value:.4g}") if np.isfinite(value) else None for value in np.asarray(values, float)
    ]


def webp(pixels: np.ndarray) -> str:
    """Return pixels as a lossless picture inside a data address."""
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "WEBP", lossless=True, quality=75)
    return f"data:image/webp;base64,{base64.b64encode(data.getvalue()).decode()}"


def _cut(cell: tuple, wide: int, high: int) -> list[int]:
    """Return left, top, width and height of a cell in pixels; neighbors share edges."""
    left, bottom, across, up = cell
    x, x_end = round(left * wide), round((left + across) * wide)
    y, y_end = round((1 - bottom - up) * high), round((1 - bottom) * high)
    return [x, y, x_end - x, y_end - y]


def part(name: str) -> str:
    """Return the text of a file in this folder."""
    return stored_text(Path(__file__).with_name(name))
