"""The gallery: every figure with its words and the command that makes it, as Markdown."""

from itertools import groupby

from posenc_lib.figures.registry import FIGURES, BlogFigure, part

HEAD = """# Figures

Take what you like: the licence is the project's, MIT. A picture leads to its caption, its files and the command that
draws it. What else the command can do is said at the end.
"""
WIDE = 150  # px of a small picture


def gallery() -> bytes:
    """Return the gallery, a file of text: small pictures by lesson, every figure, the views, the commands."""
    rows = [_row(lesson, list(some)) for lesson, some in groupby(FIGURES.values(), key=lambda one: one.lesson)]
    return "\n".join([HEAD, *rows, *map(_entry, FIGURES.values()), part("gallery.md")]).encode()


def _row(lesson: str, some: list[BlogFigure]) -> str:
    """Return the figures of a lesson as small pictures that lead to them."""
    small = (f'[<img src="{_shown(one)}" alt="{one.id.replace("_", " ")}" width="{WIDE}">](#{one.id})' for one in some)
    return f"**{_from(lesson)}**\n\n{' '.join(small)}\n"


def _entry(one: BlogFigure) -> str:
    caption, alt = one.words(one.defaults)
    drawn = one.draw(one.defaults)
    links = " · ".join(f"[{suffix.upper()}]({one.id}.{suffix})" for suffix in one.formats)
    command = f"python -m posenc_lib figures make {one.id} --format {','.join(one.formats)}"
    return f"""## {one.id}

<img src="{_shown(one)}" alt="{alt}" width="{drawn.size[0]}">

**{caption}**

What is seen: {alt}

In numbers: {drawn.text}

{links} · from {_from(one.lesson)} · `{command}`
"""


def _shown(one: BlogFigure) -> str:
    return f"{one.id}.{one.formats[0]}"


def _from(lesson: str) -> str:
    """Return a link to a lesson."""
    name = f"lesson {lesson[:2]}" if lesson[:2].isdigit() else f"the {lesson}"
    return f"[{name}](../notebooks/{lesson}.ipynb)"
