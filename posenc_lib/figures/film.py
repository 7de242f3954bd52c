"""Films: one object of JSON with every frame of a panel; `film.js` shows it, on a page or as a widget, without a kernel.

A frame is the pixels that differ from the first one. Colours are rounded, and each stands for a pair: what it is on
light paper and on dark, drawn there, too, so that a page need only look it up. Beside its picture a frame has where its
plots lie, their limits and the numbers of their curves.
"""

import base64
import hashlib
import html
import io
import json
from importlib.resources import files
from string import Template

import numpy as np
from PIL import Image, ImageColor

from posenc_lib.views import style

SHARPNESS = 2  # pixels of a picture for each pixel of a page
STEP = 16  # from one level of red, green or blue to the next
POINTS = 100  # of a curve, at most


class Film:
    """Frames of one panel: a dict that is JSON in `.told`, and its place on a page by `.html()`."""

    def __init__(self):
        self.frames: list[dict] = []
        self._codes: dict[int, tuple[int, int, int]] = {}
        self._rounded = [_levels(theme) for theme in ("light", "dark")]

    def add(self, light, dark, **told: str) -> int:
        """Take in a frame and what it shows, words and perhaps alt and caption; return its number.

        Args:
            light, dark: the same frame on two papers, sheets or what has pixels, pens, cells and a size as they have.
            **told: what is said of it.
        """
        picture, axes = self._coded(light.pixels()[..., :3], dark.pixels()[..., :3]), [*map(drawn, light.pens)]
        if not self.frames:
            self._first, self._axes, self.width = picture, axes, light.size[0]
            self.cells = [_cut(cell, *picture.shape[1::-1]) for cell in light.cells]
            frame = {"at": (0, 0), "data": webp(picture), "axes": axes}
        else:
            same = [None if one == first else one for one, first in zip(axes, self._axes, strict=True)]
            frame = self._patch(picture) | {"axes": same}
        self.frames.append(frame | told)
        return len(self.frames) - 1

    def _coded(self, *papers: np.ndarray) -> np.ndarray:
        """Return a picture whose colours are the light ones, a little apart where they differ on dark paper."""
        both = np.dstack([levels[pixels] for levels, pixels in zip(self._rounded, papers, strict=True)])
        pairs, where = np.unique(both.reshape(-1, 6).astype(int) @ (1 << np.arange(0, 48, 8)), return_inverse=True)
        codes, known = [], set(self._codes.values())
        for pair in pairs.tolist():
            red, green, blue = (pair >> shift & 255 for shift in (0, 8, 16))
            free = ((red, green, abs(blue - k)) for k in range(STEP))
            code = self._codes.get(pair) or next((one for one in free if one not in known), (red, green, blue))
            known.add(self._codes.setdefault(pair, code))
            codes.append(code)
        return np.array(codes, np.uint8)[where].reshape(papers[0].shape)

    def _patch(self, picture: np.ndarray) -> dict:
        """Return the pixels that differ from the first picture, and where they are."""
        differs = (picture != self._first).any(axis=2)
        left, top, right, bottom = Image.fromarray(differs).getbbox() or (0, 0, 0, 0)
        patch = np.dstack([picture, np.full(differs.shape, 255, np.uint8)]) * differs[..., None]
        return {"at": (left, top), "data": webp(patch[top:bottom, left:right]) if right else ""}

    def told(self, sliders: list[dict], stops: list[dict]) -> dict:
        """Return the film as `film.js` reads it.

        Args:
            sliders: each a dict: name, help, values as they are written, their frames, start (which one), choice.
            stops: frames with a name at which several sliders are elsewhere: name, frame, at (places by slider).
        """
        pairs = np.array([*self._codes]), np.array([*self._codes.values()])
        dark = np.stack([pairs[0] >> shift & 255 for shift in (24, 32, 40)], axis=1)
        colors = np.stack([_pixels(pairs[1]), _pixels(dark)], axis=1).tolist()
        made = {"width": self.width, "cells": self.cells, "colors": colors, "frames": self.frames}
        return made | {"scale": self._first.shape[1] / self.width, "sliders": sliders, "stops": stops}

    def html(self, sliders: list[dict] = (), stops: list[dict] = ()) -> str:
        """Return what stands on a page: the film as data, and its first frame for who runs no scripts."""
        first, *rest = self.frames
        told = self.told([*sliders], [*stops]) | {"frames": [first | {"data": ""}, *rest]}  # its picture is there
        data = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        words, alt, caption = (html.escape(first.get(name, "")) for name in ("words", "alt", "caption"))
        high, wide = self._first.shape[:2]
        size = f'width="{self.width}" height="{round(self.width * high / wide)}"'
        told = f'<p class="words" role="status">{words}</p>' * bool(words) + f"<figcaption>{caption}</figcaption>"
        return f"""<figure class="film">
<img src="{first["data"]}" {size} alt="{alt or words}">
{told}
<script type="application/json">{data}</script>
</figure>"""


def drawn(pen) -> dict:
    """Return of a plot where it lies in the picture, in fractions, what its axes are, and its curves in numbers.

    A curve is its kind, its x, two numbers where these are evenly spaced, and its y; images and words are left out.
    """
    (left, bottom), (right, top) = pen.ax.get_position().get_points()
    told = {"box": _numbers([left, 1 - top, right, 1 - bottom]), "title": pen.headline, "names": [*pen.names]}
    told |= {f"{axis}lim": _numbers(getattr(pen.ax, f"get_{axis}lim")()) for axis in "xy"}
    return told | {"log": "".join(pen.view.log), "curves": [[kind, *_points(np.array(at))] for kind, at in pen.traces]}


def _points(points: np.ndarray) -> tuple[list, list]:
    some = points[:: -(-len(points) // POINTS) or 1]
    even = len(some) > 2 and np.ptp(np.diff(some[:, 0])) <= 1e-9 * abs(np.ptp(some[:, 0]))
    return _numbers(some[[0, -1], 0] if even else some[:, 0]), _numbers(some[:, 1])


def _numbers(values) -> list:
    """Return numbers in four digits, None where there is none."""
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in np.asarray(values, float)]


def _levels(theme: str) -> np.ndarray:
    """Return the level next to each of 0 … 255, shape (256, 1): the theme's paper is one, so that it stays."""
    with style.themed(theme):
        paper = ImageColor.getrgb(style.PAPER)[0]
    steps = np.round((np.arange(256) - paper) / STEP) * STEP
    return np.clip(paper + steps, 0, 255).astype(np.uint8)


def webp(pixels: np.ndarray) -> str:
    """Return pixels as a picture that a page can hold, not one of them changed."""
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "WEBP", lossless=True, quality=75)
    return f"data:image/webp;base64,{base64.b64encode(data.getvalue()).decode()}"


def _pixels(colors: np.ndarray) -> np.ndarray:
    """Return each colour as a canvas keeps it in 32 bits."""
    return 255 << 24 | colors @ [1, 1 << 8, 1 << 16]


def _cut(cell: tuple, wide: int, high: int) -> list[int]:
    """Return left, top, width and height in pixels of a part of a picture; neighbours share their edge."""
    left, bottom, across, up = cell
    edges = [round(x) for x in (left * wide, (1 - bottom - up) * high, (left + across) * wide, (1 - bottom) * high)]
    return [edges[0], edges[1], edges[2] - edges[0], edges[3] - edges[1]]


def widget(told: dict):
    """Return a film as a widget, for a notebook; it moves without its kernel, too."""
    import anywidget
    import traitlets

    class Shown(anywidget.AnyWidget):
        _esm, _css = part("film.js"), part("film.css")
        film = traitlets.Dict(told).tag(sync=True)

    return Shown()


def part(name: str, room: str = "figures") -> str:
    """Return the text of a file of this folder, or of another one of the library."""
    return files(f"posenc_lib.{room}").joinpath(name).read_text(encoding="utf-8")


def page(title: str, body: str, css: str = "", **more: str) -> bytes:
    """Return a page that loads nothing: its frame, its look, the player, and what it may do.

    Args:
        title: its name, as text.
        body: as HTML.
        css: its look beside that of films.
        **more: nav, links above the body, and head, more of its head; both as HTML.
    """
    ours = _variables()
    with style.themed("dark" if style.theme() == "light" else style.theme()):  # as the page around it may be
        css = f"{ours}\n@media (prefers-color-scheme: dark) {{ {_variables()} }}\n{part('film.css')}{part('page.css')}{css}"
    code = {"style": css, "script": part("film.js")}
    for kind, text in [*code.items()]:
        code[f"{kind}_hash"] = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    told = {"title": html.escape(title), "body": body, "nav": "", "head": ""} | more
    return Template(part("page.html")).substitute(told | code).encode()


def _variables() -> str:
    """Return the colours of the theme in use for a page."""
    colors = "; ".join(f"--{role.lower()}: {getattr(style, role)}" for role in ("PAPER", "INK", "KEY", "RULE", "TINT"))
    return f":root {{ color-scheme: {'dark' if style.theme() == 'dark' else 'light'}; {colors} }}"
