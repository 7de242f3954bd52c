"""A picture the way a notebook shows and stores it, with a description."""

import base64
import html
from pathlib import Path

from posenc_lib.files import stored_text
from posenc_lib.translation import said
from posenc_lib.views import style

LIGHT = "jp-needs-light-background"  # JupyterLab's class for a picture on light paper
IN_THE_DARK = f"<style>{stored_text(Path(__file__).with_name('output.css'))}</style>"


def bundle(
    png: bytes, words: str, alt: str, width: int, caption: str = "", dark: bytes = b""
) -> tuple[dict, dict]:
    """Return data and metadata, like `_repr_mimebundle_`, for a picture `width` px wide.

    A page shows only one part of an output, so the HTML has the picture, a caption, and a
    description in a fold. A notebook stores the bare picture, which every exporter keeps, and the
    HTML below it (see `tools/notebooks.py`). dark is the same for a dark page; it isn't stored.
    """
    words, alt, caption = said(words), said(alt), said(caption)
    picture, night = (base64.b64encode(one).decode() for one in (style.small(png), dark))
    light, alt_html = style.theme() != "dark", html.escape(alt)
    classes = " ".join([LIGHT] * light + ["posenc-large"] * bool(style.room))
    look = f'width="{width}"' + f' class="{classes}"' * bool(classes)
    look += f' style="--dark: url(data:image/png;base64,{night})"' * bool(dark and light)
    page = f'{IN_THE_DARK}<img src="data:image/png;base64,{picture}" {look} alt="{alt_html}">\n'
    page += f"<p>{html.escape(caption)}</p>" if caption else ""
    page += f"<details><summary>{said('In words')}</summary><p>{alt_html}</p></details>"
    metadata = {"image/png": {"width": width, "alt": alt}}
    metadata |= {"needs_background": "light"} if light else {}
    return {"text/html": page, "image/png": picture, "text/plain": words}, metadata
