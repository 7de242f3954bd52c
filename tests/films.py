"""The films of a page, taken apart again as a browser does it."""

import base64
import io
import json
import re

import numpy as np
from PIL import Image

FILM = r'class="film">\n<img src="([^"]*)".*?<script type="application/json">(.*?)</script>'


def films(page: str) -> list[dict]:
    """Return what a page holds of each film; the first picture stands outside."""
    found = []
    for first, data in re.findall(FILM, page, re.S):
        film = json.loads(data)
        film["frames"][0]["data"] = first
        found.append(film)
    return found


def opened(data: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data.removeprefix("data:image/webp;base64,"))))


def frames(film: dict) -> list[Image.Image]:
    """Return every frame of a film: its patch over the first picture."""
    made = []
    for frame in film["frames"]:
        made.append(opened(film["frames"][0]["data"]).convert("RGB"))
        if made[1:] and frame["data"]:
            patch = opened(frame["data"])
            made[-1].paste(patch, tuple(frame["at"]), patch)
    return made


def in_dark(film: dict, picture: Image.Image) -> Image.Image:
    """Return a frame as a dark page shows it: each color by the one it stands for."""
    opaque = np.full(picture.size[::-1], 255, np.uint8)
    pixels = np.dstack([np.asarray(picture), opaque]).view(np.uint32)
    codes, colors = np.array(film["colors"], np.uint32).T
    order = np.argsort(codes)
    where = order[np.searchsorted(codes, pixels[..., 0], sorter=order)]
    assert (codes[where] == pixels[..., 0]).all()
    return Image.fromarray(colors[where][..., None].view(np.uint8)[..., :3])


def along(film: dict, name: str) -> list:
    """Return something of the frames that the first slider goes through, in its order."""
    return [film["frames"][k][name] for k in film["sliders"][0]["frames"]]
