"""The gallery: every figure with its words and the command that makes it, as Markdown."""

from posenc_lib.figures.registry import FIGURES, BlogFigure
from posenc_lib.views.panel import CSS_DPI

HEAD = """# Figures

Made by `python -m posenc_lib figures`; this page, too. Take what you like: the licence is the project's, MIT. Every
figure comes in other sizes, colours and formats, with other lengths and bases, and moving:

    python -m posenc_lib figures list sinusoidal_heatmap
    python -m posenc_lib figures make sinusoidal_heatmap --format svg --theme dark --width 640 --set base=500000
    python -m posenc_lib figures make sinusoidal_heatmap --format html,gif

The HTML ones hold a slider and all their pictures in one file that loads nothing. Put it beside your post:

    <iframe src="base_sweep.html" width="100%" height="520" style="border: 0" title="What the base does"></iframe>

"""


def gallery() -> str:
    """Return the text of the gallery."""
    return HEAD + "\n".join(map(_entry, FIGURES.values()))


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
