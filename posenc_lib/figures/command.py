"""The command: python -m posenc_lib figures [list | make]."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from posenc_lib.encodings.validate import as_text
from posenc_lib.figures import FIGURES
from posenc_lib.figures.formats import FORMATS, MOVING
from posenc_lib.figures.gallery import gallery
from posenc_lib.figures.registry import FRAMES, BlogFigure, find
from posenc_lib.figures.writing import Job, job, write
from posenc_lib.views import style
from posenc_lib.views.style import CSS_DPI

FOLDER = Path("figures")
WIDTHS, DPIS, COUNTS = (360, 2000), (50, 600), (2, 60)
WHICH = "an id that `figures list` shows, or any views of any encodings: rope+alibi:dot_product,similarity"
MOVING_DPIS = (50, 150)  # sixty frames of two thousand pixels fill half a gigabyte already


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
        write([*all_jobs(), Job("README.md", gallery, ())], options.out or FOLDER)


def listed(ids: list[str]) -> Iterator[str]:
    """Yield what there is, line by line."""
    for one in [find(name) for name in ids] or FIGURES.values():
        yield f"{one.id:<24} {one.lesson:<20} {one.words(one.defaults)[0]}"
        if ids:
            yield from _details(one)


def _details(one: BlogFigure) -> Iterator[str]:
    yield f"    seen: {one.words(one.defaults)[1]}"
    for name, parameter in one.parameters.items():
        reach = ", ".join(map(str, parameter.options)) or f"{parameter.least:g} to {parameter.most:g}"
        moves = f"; moves from {one.low:g} to {one.high:g} in gif and html" if name == one.moves else ""
        yield f"    --set {name}={as_text(one.defaults[name])}  {parameter.help} ({reach}{moves})"


def all_jobs() -> list[Job]:
    """Return what fills the folder: pictures of still figures, films of moving ones."""
    return [job(one, one.defaults, suffix) for one in FIGURES.values() for suffix in one.formats]


def jobs_for(options: argparse.Namespace) -> list[Job]:
    """Return what somebody asked for, checked before any work is done.

    Raises:
        TypeError, ValueError: an id, a parameter, a format or a number that cannot be; the message says what can.
    """
    chosen = [_moved(find(name), options.move) for name in dict.fromkeys(options.ids)]
    suffixes = [_one_of("--format", part, FORMATS) for part in dict.fromkeys(options.format.lower().split(","))]
    theme = _one_of("--theme", options.theme.lower(), style.THEMES)
    moving = set(suffixes) & set(MOVING)
    for option, given in (("--move", options.move), ("--frames", options.frames)):
        if given is not None and not moving:
            raise ValueError(f"{option} is for {' and '.join(MOVING)}, got --format {options.format}")
    frames = _within("--frames", options.frames, COUNTS) or FRAMES
    dpi = _within("--dpi", options.dpi, DPIS)
    width = _within("--width", options.width, WIDTHS)
    jobs = []
    for one in chosen:
        values = one.values(**dict(_read(one, text) for text in options.set))
        if moving:
            one.frames(values, frames)
            _within("--dpi of a gif or html", dpi, MOVING_DPIS)
        if width:
            one.draw(one.defaults, width)
        jobs += [job(one, values, suffix, theme, dpi=dpi, width=width, frames=frames) for suffix in suffixes]
    return jobs


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


def _one_of(option: str, value: str, known: tuple) -> str:
    if value not in known:
        raise ValueError(f"{option} must be one of {', '.join(known)}, got {value!r}")
    return value


def _within(option: str, value: int | None, ends: tuple):
    if value is not None and not ends[0] <= value <= ends[1]:
        raise ValueError(f"{option} must be between {ends[0]} and {ends[1]}, got {value}")
    return value
