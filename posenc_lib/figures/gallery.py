"""The gallery: every figure with its words and the command that makes it, as Markdown."""

from posenc_lib.figures.registry import FIGURES, BlogFigure, part


def gallery() -> bytes:
    """Return the gallery, a file of text."""
    return "\n".join([part("gallery.md"), *map(_entry, FIGURES.values())]).encode()


def _entry(one: BlogFigure) -> str:
    caption, alt = one.words(one.defaults)
    drawn = one.draw(one.defaults)
    links = " · ".join(f"[{suffix.upper()}]({one.id}.{suffix})" for suffix in one.formats)
    lesson = f"lesson {one.lesson[:2]}" if one.lesson[:2].isdigit() else f"the {one.lesson}"
    command = f"python -m posenc_lib figures make {one.id} --format {','.join(one.formats)}"
    return f"""## {one.id}

<img src="{one.id}.{one.formats[0]}" alt="{alt}" width="{drawn.size[0]}">

**{caption}**

What is seen: {alt}

In numbers: {drawn.text}

{links} · from [{lesson}](../notebooks/{one.lesson}.ipynb) · `{command}`
"""
