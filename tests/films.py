"""The films of a page, taken apart again as a browser does it."""

import base64
import io
import json
import re

from PIL import Image

FILM = r'class="film">\n<img src="data:image/webp;base64,([^"]*)".*?<script type="application/json">(.*?)</script>'


def films(page: str) -> list[dict]:
    """Return what a page holds of each film, with its first picture."""
    told = zip(re.findall(FILM, page, re.S), re.findall('class="frames">(.*?)</script>', page), strict=True)
    return [json.loads(data) | {"first": first, "frames": json.loads(frames)} for (first, data), frames in told]


def opened(data: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data.removeprefix("data:image/webp;base64,"))))


def frames(film: dict) -> list[Image.Image]:
    """Return every frame of a film: its patch over the first picture."""
    made = []
    for frame in film["frames"]:
        made.append(opened(film["first"]).convert("RGB"))
        if frame["data"]:
            patch = opened(frame["data"])
            made[-1].paste(patch, tuple(frame["at"]), patch)
    return made


def along(film: dict, name: str) -> list:
    """Return something of the frames that the first slider goes through, in its order."""
    return [film["frames"][k][name] for k in film["sliders"][0]["frames"]]
