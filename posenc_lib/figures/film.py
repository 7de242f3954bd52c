"""Films: frames as what differs from the first, in few colours, and what shows them on a page without a kernel."""

import base64
import hashlib
import html
import io
import json
from collections.abc import Sequence
from string import Template

import numpy as np
from PIL import Image, ImageColor

from posenc_lib.figures.registry import part
from posenc_lib.views import style

COLORS = 256  # that all frames share: few enough to stay small, enough for smooth scales


def shared_colors(pictures: Sequence[np.ndarray], count: int = COLORS) -> Image.Image:
    """Return an image whose palette suits all pictures, so that nothing flickers and little changes between them."""
    shared = Image.fromarray(np.vstack(pictures)).quantize(count, method=Image.Quantize.MAXCOVERAGE)
    colors, paper = np.reshape(shared.getpalette(), (-1, 3)), ImageColor.getrgb(style.PAPER)
    colors[np.argmin(np.square(colors - paper).sum(axis=1))] = paper
    shared.putpalette(colors.ravel().tolist())
    return shared


def in_colors(picture: np.ndarray, shared: Image.Image) -> Image.Image:
    """Return a picture in the colours of another; paper stays paper."""
    image = Image.fromarray(picture).quantize(palette=shared, dither=Image.Dither.NONE)
    paper = ImageColor.getrgb(style.PAPER)
    blank = int(np.argmax((np.reshape(shared.getpalette(), (-1, 3)) == paper).all(axis=1)))
    image.paste(blank, mask=Image.fromarray((picture == paper).all(axis=2)))  # near is not enough: it is the page's
    return image


class Film:
    """Frames, each a patch over the first one: the pixels that differ from it.

    Args:
        some: pictures that have all the colours, shape (height, width, 3); the first of them is the first frame.
        dark: the same pictures on dark paper; each colour then has one for dark pages, the mean of what stands there.
        told: what the first frame shows: words and, where they are others, alt and caption.
    """

    def __init__(self, some: Sequence[np.ndarray], dark: Sequence[np.ndarray] = (), **told: str):
        self._shared = shared_colors(some, COLORS - 1)  # the last one is see-through
        self.colors = np.reshape(self._shared.getpalette(), (-1, 3)).astype(np.uint8)
        self.first, self.frames = self.reduced(some[0]), [{"at": (0, 0), "data": "", **told}]
        places = np.concatenate([self.reduced(picture).ravel() for picture in some])
        self._count, self.dark = np.bincount(places, minlength=len(self.colors)), self.colors.copy()
        if dark:
            pixels, seen = np.concatenate([picture.reshape(-1, 3) for picture in dark]), self._count > 0
            sums = np.transpose([np.bincount(places, channel, len(seen)) for channel in pixels.T])
            self.dark[seen] = np.round(sums[seen] / self._count[seen, None])

    def reduced(self, picture: np.ndarray) -> np.ndarray:
        """Return the number of the colour that each pixel of a picture has in this film."""
        return np.asarray(in_colors(picture, self._shared))

    def add(self, picture: np.ndarray, **told: str) -> int:
        """Take in a frame and what it shows; return its number."""
        frame = self.reduced(picture)
        differs = frame != self.first
        left, top, right, bottom = Image.fromarray(differs).getbbox() or (0, 0, 0, 0)
        patch = np.dstack([self.colors[frame], np.full(frame.shape, 255, np.uint8)]) * differs[..., None]
        data = webp(patch[top:bottom, left:right]) if right else ""
        self.frames.append({"at": (left, top), "data": data, **told})
        return len(self.frames) - 1

    def html(self, sliders: list[dict], width: float, cells: list | None = None, together: Sequence[dict] = ()) -> str:
        """Return what stands on a page, whose script is `player.js`; without scripts it is the first frame.

        Args:
            sliders: each a dict: name, help, values as they are written, their frames, start (which one), choice.
            width: in pixels of the page.
            cells: left, bottom, width and height of each view in fractions; they part where there is no room.
            together: named frames at which several sliders stand elsewhere: name, frame, at (places by slider).
        """
        high, wide = self.first.shape
        first = {name: html.escape(text) for name, text in self.frames[0].items() if isinstance(text, str)}
        colors = np.stack([_pixels(self.colors), _pixels(self.dark)], axis=1)
        colors = colors[np.argsort(self._count)].tolist()  # of two that are the same, the last one counts
        told = {"sliders": sliders, "together": together, "frames": self.frames, "colors": colors}
        told |= {"scale": wide / width, "cuts": [_cut(cell, wide, high) for cell in cells or [(0, 0, 1, 1)]]}
        data = json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")
        size = f'width="{round(width)}" height="{round(high * width / wide)}"'
        caption = f"<figcaption>{first['caption']}</figcaption>" if "caption" in first else ""
        return f"""<figure class="film">
<img src="{webp(self.colors[self.first])}" {size} alt="{first.get("alt", first["words"])}">
<p class="words" role="status">{first["words"]}</p>{caption}
<script type="application/json">{data}</script>
</figure>"""


def webp(pixels: np.ndarray) -> str:
    """Return pixels as a picture that a page can hold, not one of them changed."""
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "WEBP", lossless=True, quality=75)
    return f"data:image/webp;base64,{_base64(data.getvalue())}"


def _pixels(colors: np.ndarray) -> np.ndarray:
    """Return each colour as a canvas keeps it in 32 bits."""
    return 255 << 24 | colors.astype(np.int64) @ [1, 1 << 8, 1 << 16]


def _cut(cell: tuple, wide: int, high: int) -> list[int]:
    """Return left, top, width and height in pixels of a part of a picture; neighbours share their edge."""
    left, bottom, across, up = cell
    edges = [round(x) for x in (left * wide, (1 - bottom - up) * high, (left + across) * wide, (1 - bottom) * high)]
    return [edges[0], edges[1], edges[2] - edges[0], edges[3] - edges[1]]


def whole(shell: str, css: str, **parts: str) -> str:
    """Return a page that loads nothing: its frame, its look and parts, with the player, and what it may do."""
    ours = _variables()
    with style.themed("dark" if style.theme() == "light" else style.theme()):  # as the page around it may be
        css = f"{ours}\n@media (prefers-color-scheme: dark) {{ {_variables()} }}\n{css}"
    code = {"style": css, "script": part("player.js")}
    hashes = {f"{kind}_hash": _base64(hashlib.sha256(text.encode()).digest()) for kind, text in code.items()}
    return Template(shell).substitute(parts | code | hashes)


def _variables() -> str:
    """Return the colours of the theme in use for a page."""
    colors = "; ".join(
        f"--{role.lower()}: {getattr(style, role)}" for role in ("PAPER", "INK", "CURVE", "LINE", "TINT")
    )
    return f":root {{ color-scheme: {'dark' if style.theme() == 'dark' else 'light'}; {colors} }}"


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
