"""A picture the way a notebook shows and stores it, with a description."""

import base64
import html

from posenc_lib.views import style

# JupyterLab's class for a picture on light paper. A dark page shows the dark one that it brings,
# or inverts it, and blue stays blue; a panel's too, until it's redrawn.
LIGHT = "jp-needs-light-background"
DARK = ':is([data-jp-theme-light="false"], .jp-NotebookPanel:has(.posenc-dark))'
IN_THE_DARK = f"""<style>{DARK}
:is(.{LIGHT}:not([style]), .jp-MarkdownOutput details img, [data-drawn="light"] canvas)
{{ filter: invert(0.93) hue-rotate(180deg); }}
{DARK} img[style*="--dark"] {{ content: var(--dark); }}</style>"""


def bundle(
    png: bytes, words: str, alt: str, width: int, caption: str = "", dark: bytes = b""
) -> tuple[dict, dict]:
    """Return data and metadata, like `_repr_mimebundle_`, for a picture `width` px wide.

    A page shows only one part of an output, so the HTML has the picture, a caption, and a
    description in a fold. A notebook stores the bare picture, which every exporter keeps, and the
    HTML below it (see `tools/notebooks.py`). dark is the same for a dark page; it isn't stored.
    """
    picture = base64.b64encode(style.small(png)).decode()
    night = f"--dark: url(data:image/png;base64,{base64.b64encode(dark).decode()})"
    light, alt_html = style.theme() != "dark", html.escape(alt)
    classes = " ".join([LIGHT] * light + ["posenc-large"] * bool(style.room))
    look = f'width="{width}"' + f' class="{classes}"' * bool(classes)
    look += f' style="{night}"' * bool(dark)
    page = f'{IN_THE_DARK}<img src="data:image/png;base64,{picture}" {look} alt="{alt_html}">\n'
    page += f"<p>{html.escape(caption)}</p>" if caption else ""
    page += f"<details><summary>In words</summary><p>{alt_html}</p></details>"
    metadata = {"image/png": {"width": width, "alt": alt}}
    metadata |= {"needs_background": "light"} if light else {}
    return {"text/html": page, "image/png": picture, "text/plain": words}, metadata
