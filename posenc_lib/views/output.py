"""A picture as a notebook shows and stores it, with what it shows in words."""

import base64
import html

from posenc_lib.views import style

# JupyterLab's class for a picture on light paper. On a dark page it's turned, and blue stays blue;
# so is a panel's until it's drawn anew.
LIGHT = "jp-needs-light-background"
IN_THE_DARK = f"""<style>:is([data-jp-theme-light="false"], .jp-NotebookPanel:has(.posenc-dark))
:is(.{LIGHT}, .jp-MarkdownOutput details img, [data-drawn="light"] canvas)
{{ filter: invert(0.93) hue-rotate(180deg); }}</style>"""


def bundle(png: bytes, words: str, alt: str, width: int, caption: str = "") -> tuple[dict, dict]:
    """Return data and metadata, as `_repr_mimebundle_` does, of a picture `width` px wide.

    Of all that an output holds a page shows one thing, so the HTML has the picture, a caption, and
    in a fold what it shows. What is stored is the bare picture, which every exporter keeps, and the
    HTML below it (see `tools/notebooks.py`).
    """
    picture = base64.b64encode(style.small(png)).decode()
    light, alt_html = style.theme() != "dark", html.escape(alt)
    look = f'width="{width}"' + f' class="{LIGHT}"' * light
    page = f'{IN_THE_DARK}<img src="data:image/png;base64,{picture}" {look} alt="{alt_html}">\n'
    page += f"<p>{html.escape(caption)}</p>" if caption else ""
    page += f"<details><summary>In words</summary><p>{alt_html}</p></details>"
    metadata = {"image/png": {"width": width, "alt": alt}}
    metadata |= {"needs_background": "light"} if light else {}
    return {"text/html": page, "image/png": picture, "text/plain": words}, metadata
