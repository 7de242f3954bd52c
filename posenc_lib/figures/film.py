"""Films: frames as what differs from the first, in few colours, and what shows them on a page without a kernel."""

import base64
import hashlib
import html
import io
import json
import re
from collections.abc import Sequence
from string import Template

import numpy as np
from PIL import Image, ImageColor

from posenc_lib.figures.registry import part
from posenc_lib.views import style

COLORS = 256  # that all frames share: few enough to stay small, enough for smooth scales
FRAMES = '<script type="application/json" class="frames">{}</script>'
NEAR_ENOUGH = 900  # squared, over six channels: nobody sees so little, and fewer colours make smaller pages
MOST_COLORS = 6000  # of some pictures, that these are chosen from


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
        some: pictures that have all the colours, light and dark as `both` gives them; the first is the first frame.
        told: what the first frame shows: words and, where they are others, alt and caption.
    """

    def __init__(self, some: Sequence[np.ndarray], **told: str):
        self._pairs = _pairs(some)
        self.colors, self.dark = self._pairs[:, :3], self._pairs[:, 3:]
        self._first, self.first = some[0], self.reduced(some[0])
        self.frames = [{"at": (0, 0), "data": "", **told}]

    def reduced(self, picture: np.ndarray) -> np.ndarray:
        """Return the number of the colour that each pixel of a picture, or of some, has in this film."""
        packed, where = np.unique(_packed(picture), return_inverse=True)
        return _nearest(_unpacked(packed), self._pairs)[where].reshape(picture.shape[:-1])

    def add(self, picture: np.ndarray, **told: str) -> int:
        """Take in a frame and what it shows; return its number."""
        frame, other = self.first.copy(), (picture != self._first).any(axis=2)
        frame[other] = self.reduced(picture[other])
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
        colors = np.stack([_pixels(self.colors), _pixels(self.dark)], axis=1).tolist()
        told = {"sliders": sliders, "together": together, "colors": colors}
        told |= {"scale": wide / width, "cuts": [_cut(cell, wide, high) for cell in cells or [(0, 0, 1, 1)]]}
        data, frames = (json.dumps(x, ensure_ascii=False).replace("<", "\\u003c") for x in (told, self.frames))
        size = f'width="{round(width)}" height="{round(high * width / wide)}"'
        caption = f"<figcaption>{first['caption']}</figcaption>" if "caption" in first else ""
        return f"""<figure class="film">
<img src="{webp(self.colors[self.first])}" {size} alt="{first.get("alt", first["words"])}">
<p class="words" role="status">{first["words"]}</p>{caption}
<script type="application/json">{data}</script>
</figure>
{FRAMES.format(frames)}"""


def both(light: np.ndarray, dark: np.ndarray | None = None) -> np.ndarray:
    """Return a picture on light and on dark paper as one, shape (height, width, 6); without a dark one it stays."""
    return np.dstack([light, light if dark is None else dark])


def _packed(pictures: np.ndarray) -> np.ndarray:
    """Return each pair of colours as one number, shape (pixels,)."""
    return pictures.reshape(-1, 6).astype(np.int64) @ (1 << np.arange(0, 48, 8))


def _unpacked(packed: np.ndarray) -> np.ndarray:
    return (packed[:, None] >> np.arange(0, 48, 8) & 255).astype(np.uint8)


def _nearest(colors: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return for each colour which pair is nearest, on light and on dark paper together."""
    a, b = colors.astype(np.float32), pairs.astype(np.float32)
    return (np.square(b).sum(axis=1) - 2 * a @ b.T).argmin(axis=1)


def _pairs(some: Sequence[np.ndarray]) -> np.ndarray:
    """Return colours that suit all pictures, each on light and on dark paper, (colours, 6); paper is the first.

    Each next one is that which is farthest from all before, the more so the more pixels have it; then each moves to the
    middle of those that are nearest to it.
    """
    packed, counts = np.unique(np.concatenate([_packed(picture[::2, ::2]) for picture in some]), return_counts=True)
    most = np.argsort(-counts, kind="stable")[:MOST_COLORS]
    colors, weights = _unpacked(packed[most]), counts[most] ** 0.5
    paper = np.concatenate([ImageColor.getrgb(style.PAPER), some[0][0, 0, 3:]])
    pairs, off = [paper], np.full(len(colors), np.inf)
    for _ in range(COLORS - 2):  # the last one is see-through
        off = np.minimum(off, np.square(colors - pairs[-1].astype(float)).sum(axis=1))
        if off.max() < NEAR_ENOUGH:
            break
        pairs.append(colors[(off * weights).argmax()])
    pairs = np.array(pairs, np.uint8)
    nearest = _nearest(colors, pairs)
    for k in range(1, len(pairs)):
        own = nearest == k
        pairs[k] = np.round(np.average(colors[own], axis=0, weights=weights[own])) if own.any() else pairs[k]
    return _apart(pairs)


def _apart(pairs: np.ndarray) -> np.ndarray:
    """Return pairs of which no two have the same light colour: by that a page finds the dark one."""
    seen = set()
    for pair in pairs:
        step = iter([0, *(k for n in range(1, 256) for k in (n, -n))])
        blue = next(b for k in step if 0 <= (b := int(pair[2]) + k) < 256 and (pair[0], pair[1], b) not in seen)
        pair[2] = blue
        seen.add((pair[0], pair[1], blue))
    return pairs


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
    frames = re.compile(FRAMES.format(".*"))  # go to the end: sliders and words need not wait for them
    parts |= {"frames": "\n".join(frames.findall(parts["body"])), "body": frames.sub("", parts["body"])}
    code = {"style": css, "script": part("player.js")}
    hashes = {f"{kind}_hash": _base64(hashlib.sha256(text.encode()).digest()) for kind, text in code.items()}
    return Template(shell).substitute(parts | code | hashes)


def _variables() -> str:
    """Return the colours of the theme in use for a page."""
    colors = "; ".join(f"--{role.lower()}: {getattr(style, role)}" for role in ("PAPER", "INK", "KEY", "RULE", "TINT"))
    return f":root {{ color-scheme: {'dark' if style.theme() == 'dark' else 'light'}; {colors} }}"


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
