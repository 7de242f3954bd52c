"""The command: python -m posenc_lib figures [list | make]."""

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path

from posenc_lib.encodings import validate
from posenc_lib.encodings.validate import as_text
from posenc_lib.figures.film import part
from posenc_lib.figures.formats import FORMATS, MOVING, render
from posenc_lib.figures.registry import FIGURES, FRAMES, BlogFigure, find
from posenc_lib.files import write
from posenc_lib.views import style
from posenc_lib.views.style import CSS_DPI

FOLDER = Path("figures")
LIMITS = {"width": (360, 2000), "dpi": (50, 600), "frames": (2, 60)}
LIMITS_OF_FILMS = {"dpi": (50, 200)}  # sixty frames of more fill a gigabyte
WHICH = "an id that `figures list` shows, or any views of any encodings: rope+alibi:dot_product,similarity"
HEAD = """# Figures

Take what you like: the licence is the project's, MIT. A picture leads to its caption, its files and the command that
draws it. What else the command can do is said at the end.
"""


def add_to(commands) -> None:
    """Add the command to the project's others."""
    parser = commands.add_parser(
        "figures", help="write figures for a blog: all, or some with another length, size or look"
    )
    parser.set_defaults(run=run)
    verbs = parser.add_subparsers(dest="verb", metavar="list | make")
    parser.add_argument("--out", type=Path, help="folder to write to (default: figures/)")
    listing = verbs.add_parser("list", help="show id, lesson and caption; of the figures named, also what can be set")
    listing.add_argument("ids", nargs="*", metavar="ID", help=WHICH)
    add = verbs.add_parser("make", help="write some figures").add_argument
    add("ids", nargs="+", metavar="ID", help=WHICH)
    add("--format", default="png", metavar="|".join(FORMATS), help="one or several, joined by commas")
    add("--theme", default="light", metavar="|".join(style.THEMES))
    add("--width", type=int, help="in pixels of a page; a narrow figure puts its views one below the other")
    add("--dpi", type=int, help=f"pixels of the file per {CSS_DPI} pixels of width (default: 200 for png)")
    add("--frames", type=int, help=f"of a gif or html, at most (default: {FRAMES})")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter; again for more")
    add("--move", metavar="NAME=LOW:HIGH", help="what moves in a gif or html, if not the figure's own choice")
    add("--out", type=Path, default=argparse.SUPPRESS, help="folder to write to (default: this one)")


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises:
        TypeError, ValueError: what was asked cannot be. OSError: a file cannot be written.
    """
    sys.stdout.reconfigure(errors="replace")  # a terminal without × still gets the rest
    if options.verb == "list":
        print("\n".join(listed(options.ids)))
    elif options.verb == "make":
        write(jobs_for(options), options.out or Path())
    else:
        every = {f"{one.id}.{suffix}": partial(_make, one, one.defaults, suffix) for one, suffix in _files()}
        write(every | {"README.md": gallery}, options.out or FOLDER)


def _files() -> Iterator[tuple[BlogFigure, str]]:
    """Yield what fills the folder: pictures of still figures, films of moving ones."""
    yield from ((one, suffix) for one in FIGURES.values() for suffix in one.formats)


def _make(figure: BlogFigure, values: dict, suffix: str, theme: str = "light", **look) -> bytes:
    with style.themed(theme):
        return render(figure, values, suffix, **look)


def listed(ids: list[str]) -> Iterator[str]:
    """Yield what there is, line by line; of figures that are named, what can be set, too."""
    for one in [find(name) for name in ids] or FIGURES.values():
        caption, alt = one.words(one.defaults)
        yield f"{one.id:<24} {one.lesson:<20} {caption}"
        if ids:
            yield f"    seen: {alt}"
            for name, parameter in one.parameters.items():
                reach = ", ".join(map(str, parameter.options)) or f"{parameter.least:g} to {parameter.most:g}"
                moves = f"; moves from {one.low:g} to {one.high:g} in gif and html" if name == one.moves else ""
                yield f"    --set {name}={as_text(one.defaults[name])}  {parameter.help} ({reach}{moves})"


def jobs_for(options: argparse.Namespace) -> dict[str, Callable[[], bytes]]:
    """Return what makes each file that somebody asked for, checked before any work is done.

    A file that does not look as its figure does by default has in its name what was asked.

    Raises:
        TypeError, ValueError: an id, a parameter, a format or a number that cannot be; the message says what can.
    """
    suffixes = [validate.choice("--format", each, FORMATS) for each in dict.fromkeys(options.format.lower().split(","))]
    moving = not set(MOVING).isdisjoint(suffixes)
    for name in ("move", "frames"):
        if getattr(options, name) is not None and not moving:
            raise ValueError(f"--{name} is for {' and '.join(MOVING)}, got --format {options.format}")
    look = {"theme": validate.choice("--theme", options.theme.lower(), style.THEMES)}
    for name, (low, high) in (LIMITS | (LIMITS_OF_FILMS if moving else {})).items():
        if (given := getattr(options, name)) is not None:
            look[name] = validate.integer(f"--{name}", given, low=low, high=high)
    told = [look["theme"]] * (look["theme"] != "light") + options.set
    told += [f"{name}={value}" for name in (*LIMITS, "move") if (value := getattr(options, name))]
    jobs = {}
    for one in (_moved(find(name), options.move) for name in dict.fromkeys(options.ids)):
        values = one.values(**dict(_read(one, text) for text in options.set))
        if moving:
            one.frames(values, options.frames or FRAMES)
        if options.width:
            one.draw(one.defaults, options.width)
        jobs |= {f"{named(one.id, *told)}.{suffix}": partial(_make, one, values, suffix, **look) for suffix in suffixes}
    return jobs


def named(figure: str, *told: str) -> str:
    """Return the name of a figure's file, without its suffix: its id, and what was asked of it."""
    asked = (re.sub("[^A-Za-z0-9_.,]+", "-", text) for text in told)
    return "_".join([re.sub("[^A-Za-z0-9_]+", "-", figure), *asked])


def _read(one: BlogFigure, text: str) -> tuple[str, object]:
    """Return the name and the value out of NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set must be NAME=VALUE, got {text!r}")
    return name, one.parameter(name).read(value)


def _moved(one: BlogFigure, move: str | None) -> BlogFigure:
    """Return the figure with another parameter that moves, or another range: NAME, or NAME=LOW:HIGH."""
    if move is None:
        return one
    name, _, ends = move.partition("=")
    parameter = one.parameter(name)
    low, colon, high = ends.partition(":")
    if ends and not colon:
        raise ValueError(f"--move must be NAME or NAME=LOW:HIGH, got {move!r}")
    reach = [parameter.checked(parameter.read(end)) for end in (low, high)] if ends else [parameter.low, parameter.high]
    if not parameter.options and reach[0] >= reach[1]:
        raise ValueError(f"--move must lead from a low value to a high one, got {move!r}")
    return replace(one, moves=name, low=reach[0], high=reach[1])


def gallery() -> bytes:
    """Return the gallery, a file of text: small pictures by lesson, every figure, the views, the commands."""
    rows = []
    for lesson, some in groupby(FIGURES.values(), key=lambda one: one.lesson):
        small = (f'[<img src="{_shown(one)}" alt="{one.id.replace("_", " ")}" width="150">](#{one.id})' for one in some)
        rows.append(f"**{_from(lesson)}**\n\n{' '.join(small)}\n")
    return "\n".join([HEAD, *rows, *map(_entry, FIGURES.values()), part("gallery.md")]).encode()


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
