"""A picture as a notebook shows and stores it, with what it shows in words."""

import base64
import html

from posenc_lib.views import style

# JupyterLab gives this class to a picture whose metadata ask for light paper. In the dark it's
# turned: white paper becomes the page's, and blue stays blue. So are the answers that are kept.
LIGHT = "jp-needs-light-background"
IN_THE_DARK = f"""<style>[data-jp-theme-light="false"] :is(.{LIGHT}, .jp-MarkdownOutput details img)
{{ filter: invert(0.93) hue-rotate(180deg); }}</style>"""


def bundle(png: bytes, words: str, alt: str, width: int, caption: str = "") -> tuple[dict, dict]:
    """Return data and metadata, as `_repr_mimebundle_` does, of a picture `width` px wide.

    Of all that an output holds a page shows one thing, so the HTML has the picture, its caption
    and, folded, what it shows. A notebook that is stored has the bare picture, which every exporter
    can keep, in an output of its own (see `apart`).

    Args:
        png: the picture, in the theme in use.
        words: what stands for it where there are no pictures.
        alt: what it shows, for who cannot see it.
        width: in px of a page.
        caption: what stands below it.
    """
    picture = base64.b64encode(style.small(png)).decode()
    metadata = {"image/png": {"width": width, "alt": alt}}
    if style.theme() != "dark":
        metadata["needs_background"] = "light"
    page = f"{IN_THE_DARK}{image(picture, metadata)}\n{said(caption, alt)}"
    data = {"text/html": page, "image/png": picture, "text/plain": words}
    return data, metadata


def image(png: str, metadata: dict) -> str:
    """Return a picture in base64 as HTML, as its metadata have it."""
    about = metadata.get("image/png", {})
    look = f' class="{LIGHT}"' if "needs_background" in metadata else ""
    size = f' width="{about["width"]}"' if "width" in about else ""
    alt = html.escape(about.get("alt", ""))
    return f'<img src="data:image/png;base64,{png}"{size}{look} alt="{alt}">'


def said(caption: str, alt: str) -> str:
    """Return a caption and, folded, what a picture shows, as HTML."""
    below = f"<p>{html.escape(caption)}</p>" if caption else ""
    return f"{below}<details><summary>In words</summary><p>{html.escape(alt)}</p></details>"


def apart(data: dict, metadata: dict) -> list[tuple[dict, dict]]:
    """Return what `bundle` made as two outputs: the picture, and below it the words."""
    _, _, below = data["text/html"].partition(">\n")
    picture = {"image/png": data["image/png"]}, metadata
    return [picture, ({"text/html": below, "text/plain": data["text/plain"]}, {})]
