"""The gallery: every figure with its words and the command that makes it, as Markdown."""

from importlib.resources import files

from posenc_lib.figures.registry import FIGURES, BlogFigure
from posenc_lib.views.panel import CSS_DPI


def gallery() -> str:
    """Return the text of the gallery."""
    head = files("posenc_lib.figures").joinpath("gallery.md").read_text(encoding="utf-8")
    return f"{head}\n" + "\n".join(map(_entry, FIGURES.values()))


def _entry(one: BlogFigure) -> str:
    caption, alt = one.words(one.defaults)
    drawn = one.draw(one.defaults)
    formats = " --format gif,html" if one.moving else " --format png,svg"
    suffixes = ("gif", "html") if one.moving else ("png", "svg")
    links = " · ".join(f"[{suffix.upper()}]({one.id}.{suffix})" for suffix in suffixes)
    command = f"python -m posenc_lib figures make {one.id}{formats}"
    return f"""## {one.id}

<img src="{one.id}.{suffixes[0]}" alt="{alt}" width="{round(drawn.size[0] * CSS_DPI)}">

**{caption}**

What is seen: {alt}

In numbers: {drawn.describe()}

{links} · from [lesson {one.lesson[:2]}](../notebooks/{one.lesson}.ipynb) · `{command}`
"""
