"""The command: python -m posenc_lib figures [list | make]."""

import argparse
import html
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import starmap
from pathlib import Path
from string import Template

from posenc_lib.encodings import validate
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.encodings.validate import as_text
from posenc_lib.figures.registry import FIGURES, Scene, find
from posenc_lib.files import stored_text
from posenc_lib.tools.formats import FORMATS, MOVING, render
from posenc_lib.tools.tiles import WIDE, lesson, telling, tile
from posenc_lib.tools.write import tell, write
from posenc_lib.views import VIEWS, style
from posenc_lib.views.style import CSS_DPI

FOLDER = Path("figures")
TILES_OF = {"light": "small/{}.webp", "dark": "small/{}_dark.webp"}
# Groups in the gallery: figures to start with, then the rest by lesson
FIRST = "dot_product_stem rope_rotation angles_seen base_sweep binary_odometer cliff_4097".split()
GROUPS = {"Counting": "01 02 03", "Waves and rotation": "04 05 06", "Distance": "07 08"}
GROUPS |= {"Real code and longer texts": "09 10 11 13 14 16", "Pictures and signals": "12 15"}
REST = "Bugs"
FOLDED = "Captions, alt texts, numbers, files and commands"
LIMITS = {"width": (360, 2000), "dpi": (50, 600)}
DPI_OF_FILMS = 200  # beyond that, sixty frames fill a gigabyte
WHICH = (
    "an id from `figures list`, or any views of any encodings: rope+alibi:dot_product,similarity"
)


def add_to(commands) -> None:
    """Add the command to the project's others."""
    parser = commands.add_parser(
        "figures", help="write figures for a blog: all, or some with your own length, size or look"
    )
    parser.set_defaults(run=run)
    verbs = parser.add_subparsers(dest="verb", metavar="list | make")
    parser.add_argument("--out", type=Path, help="folder to write to (default: figures/)")
    listing = verbs.add_parser(
        "list", help="show id, lesson and caption; for figures you name, also what you can set"
    )
    listing.add_argument("ids", nargs="*", metavar="ID", help=WHICH)
    add = verbs.add_parser("make", help="write some figures").add_argument
    add("ids", nargs="+", metavar="ID", help=WHICH)
    add(
        "--format",
        default="png",
        metavar="|".join(FORMATS),
        help="one or more, separated by commas",
    )
    add("--theme", default="light", metavar="|".join(style.THEMES))
    add(
        "--width",
        type=int,
        help="in page pixels; a narrow figure stacks its views",
    )
    usual = "default: 200 for png; for gif up to 150, or 100 with --width"
    add("--dpi", type=int, help=f"file pixels per {CSS_DPI} pixels of width ({usual})")
    add(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a parameter; repeat for more",
    )
    add(
        "--move",
        metavar="NAME[=FROM:TO]",
        help="what moves in a gif or html, and how far, instead of the figure's own choice",
    )
    add("--title", default="", help="the heading, instead of the encoding's name")
    add("--caption", default="", help="what a page or a screen reader says about it")
    add(
        "--out", type=Path, default=argparse.SUPPRESS, help="folder to write to (default: this one)"
    )


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises:
        TypeError, ValueError: the request is wrong.
        OSError: a file can't be written.
    """
    sys.stdout.reconfigure(errors="replace")  # a terminal without × still gets the rest
    if options.verb == "list":
        tell("\n".join(listed(options.ids)))
    elif options.verb == "make":
        some = list(asked(options))
        write(jobs_for(options, some), options.out or Path())
        tell("\n".join(line for one, values in some for line in one.words(values)))
    else:
        jobs = {}
        for one in FIGURES.values():
            for suffix in formats(one):
                jobs[f"{one.id}.{suffix}"] = partial(_make, one, one.values(), suffix)
            for theme, name in TILES_OF.items():
                jobs[name.format(one.id)] = partial(tile, one, theme)
        write(jobs | {"README.md": gallery}, options.out or FOLDER)


def formats(one: Scene) -> list[str]:
    """Return a figure's formats in the gallery."""
    return ["gif"] if one.moving else ["png", "svg"]


def _make(figure: Scene, values: dict, suffix: str, theme: str = "light", **look) -> bytes:
    with style.themed(theme):
        return render(figure, values, suffix, **look)


def listed(ids: list[str]) -> Iterator[str]:
    """Yield the figures, line by line; for named ones, also what you can set."""
    for one in [find(name) for name in ids] or FIGURES.values():
        values = one.values()
        caption, alt = one.words(values)
        yield f"{one.id:<24} {one.lesson:<20} {caption}"
        if ids:
            limits = one.limits(values)
            yield f"    {'what you see' if one.caption else 'in numbers'}: {alt}"
            for name, parameter in one.parameters.items():
                reach = ", ".join(map(str, parameter.options))
                if not reach:
                    most = min(parameter.most, limits.get(name, parameter.most))
                    reach = f"{parameter.least:g} to {most:g}"
                if name == one.moves:
                    reach += f"; moves from {one.low:g} to {one.high:g} in gif and html"
                yield f"    --set {name}={as_text(values[name])}  {parameter.help} ({reach})"


def jobs_for(options: argparse.Namespace, some: list) -> dict[str, Callable[[], bytes]]:
    """Return a job for each requested file, checked before any work is done.

    If a file differs from its figure's default, its name says how.
    """
    wanted = dict.fromkeys(options.format.lower().split(","))
    suffixes = [validate.choice("--format", suffix, FORMATS) for suffix in wanted]
    moving = not set(MOVING).isdisjoint(suffixes)
    if options.move and not moving:
        raise ValueError(f"--move is for {' and '.join(MOVING)}, got --format {options.format}")
    look = {"theme": validate.choice("--theme", options.theme.lower(), style.THEMES)}
    for name, (low, high) in LIMITS.items():
        if (given := getattr(options, name)) is not None:
            high = DPI_OF_FILMS if moving and name == "dpi" else high
            look[name] = validate.integer(f"--{name}", given, low=low, high=high)
    told = [] if look["theme"] == "light" else [look["theme"]]
    told += options.set
    named_so = (*LIMITS, "move", "title")
    told += [f"{name}={value}" for name in named_so if (value := getattr(options, name))]
    jobs = {}
    for one, values in some:
        if moving:
            steps = [at[one.moves] for at in one.frames(values)]
            if _is_set(one, options):
                _refuse_set(one, values, steps, suffixes)
        name = named(one.id, *told)
        for suffix in suffixes:
            jobs[f"{name}.{suffix}"] = partial(_make, one, values, suffix, **look)
    return jobs


def asked(options: argparse.Namespace) -> Iterator[tuple[Scene, dict]]:
    """Yield each requested figure, with what moves, and its values."""
    if wrong := [each for each in options.set if "=" not in each]:
        raise ValueError(f"--set takes NAME=VALUE, got {wrong[0]!r}")
    wanted = dict(each.split("=", 1) for each in options.set)
    for one in map(find, dict.fromkeys(options.ids)):
        if options.move:
            one = _moving(one, *options.move.partition("=")[::2])
        one = replace(one, title=options.title, told=options.caption)
        read = {name: one.parameter(name).read(text) for name, text in wanted.items()}
        values = one.values(**read)
        if options.move:
            values = _begun(one, values, options)
        yield one, values


def _begun(one: Scene, values: dict, options: argparse.Namespace) -> dict:
    """Return values within the range of a film; refuse a range it can't reach the end of."""
    name, frames = one.moves, one.frames(values)
    if one.parameters[name].options:
        return values
    first, last = frames[0][name], frames[-1][name]
    if ":" in options.move and last < one.high:
        rule = f"--move {name} must end at {as_text(last)} or before here"
        raise ValueError(f"{rule}, got {as_text(one.high)}")
    if _is_set(one, options):
        return values
    return one.values(**values | {name: min(max(values[name], first), last)})


def _moving(one: Scene, name: str, reach: str) -> Scene:
    """Return a figure in which another parameter moves, over its slider's range or from FROM:TO."""
    parameter = one.parameter(name)
    low, high = parameter.low, parameter.high
    if reach:
        ends = reach.split(":")
        if len(ends) != 2:
            example = f"{name}={as_text(low)}:{as_text(high)}"
            rule = f"--move takes NAME or NAME=FROM:TO, as in {example}"
            raise ValueError(f"{rule}, got {name}={reach}")
        low, high = (parameter.checked(parameter.read(end)) for end in ends)
        if not low < high:
            raise ValueError(f"--move {name}=FROM:TO must have FROM below TO, got {reach}")
    return replace(one, moves=parameter.name, low=low, high=high)


def _is_set(one: Scene, options: argparse.Namespace) -> bool:
    """Return whether --set chooses what moves."""
    return any(one.parameter(each.split("=")[0]).name == one.moves for each in options.set)


def _refuse_set(one: Scene, values: dict, steps: list, suffixes: list) -> None:
    """Refuse to set what moves in a gif, or to start a film elsewhere than it goes."""
    name, (low, *_, high) = one.moves, steps
    farther = f"For another range: --move {name}=FROM:TO"
    if "gif" in suffixes:
        raise ValueError(f"{name} moves in this gif, so --set can't choose it. {farther}")
    if not (one.parameters[name].options or low <= values[name] <= high):
        rule = f"{name} moves from {as_text(low)} to {as_text(high)}"
        raise ValueError(f"{rule}, got {as_text(values[name])}. {farther}")


def named(figure: str, *told: str) -> str:
    """Return a figure's file name without its suffix: its id, and what was asked for."""
    asked = (re.sub(r"[^\w.,+-]+", "-", text) for text in told)  # offset-1, and offset--1
    return "_".join([re.sub(r"[^\w+-]+", "-", figure), *asked])


def groups() -> dict[str, list[Scene]]:
    """Return the figures in each group of the gallery."""
    found = {"Start with these": [FIGURES[name] for name in FIRST]}
    found |= {title: [] for title in (*GROUPS, REST)}
    for one in FIGURES.values():
        if one.id not in FIRST:
            own = (title for title, lessons in GROUPS.items() if one.lesson[:2] in lessons)
            found[next(own, REST)].append(one)
    return found


def gallery() -> bytes:
    """Return the gallery's text: tiles by group, the rest on a click, views, commands."""
    figures = starmap(_section, groups().items())
    parts = {"figures": figures, "views": map(_row, VIEWS.load().values())}
    texts = {name: "\n".join(lines) for name, lines in parts.items()}
    template = stored_text(Path(__file__).with_name("gallery.md"))
    return Template(template).substitute(texts).encode()


def _section(title: str, some: list[Scene]) -> str:
    """Return a group's tiles and, folded, the rest about its figures."""
    told = "\n".join(map(_told, some))
    fold = f"<details><summary>{FOLDED}</summary>\n\n{told}\n</details>\n"
    return f"## {title}\n\n{_tiles(some)}\n{fold}"


def _tiles(some: list[Scene]) -> str:
    """Return tiles that fill a page's rows, as links to what they show."""
    return "\n".join(["<p>", *map(_tile, some), "</p>\n"])


def _tile(one: Scene) -> str:
    """Return a figure's tile, light or dark like the page."""
    light, dark = (TILES_OF[theme].format(one.id) for theme in ("light", "dark"))
    source = f'<source media="(prefers-color-scheme: dark)" srcset="{dark}">'
    picture = f'<img src="{light}" alt="{html.escape(telling(one).line)}" width="{WIDE}">'
    return f'<a href="{one.id}.{formats(one)[0]}"><picture>{source}{picture}</picture></a>'


def _row(view) -> str:
    """Return a view's row in the table of views; its docstring starts with what it shows."""
    shows = " ".join(view.function.__doc__.partition("\n\n")[0].split())
    return f"| `{view.name}` | {shows} | {_fed(view)} |"


def _fed(view) -> str:
    """Say which encodings can feed a view."""
    kinds = ENCODINGS | ELSEWHERE
    fit = [f"`{name}`" for name, one in kinds.items() if view.fits(one)]
    if 2 * len(fit) < len(kinds):
        return ", ".join(fit)
    return "every table" if "table" in view.needs else "every encoding"


def _told(one: Scene) -> str:
    """Return what's folded below a figure's line."""
    values = one.values()
    caption, alt = map(html.escape, one.words(values))
    links = [f'<a href="{one.id}.{suffix}">{suffix.upper()}</a>' for suffix in formats(one)]
    links.append(f'<a href="../notebooks/{one.lesson}.ipynb">{lesson(one)}</a>')
    command = f"python -m posenc_lib figures make {one.id} --format {','.join(formats(one))}"
    return f"""<details><summary>{html.escape(telling(one).line)}</summary>
<p>{caption}</p>
<p>{" · ".join(links)}</p>
<p><i>What you see:</i> {alt}</p>
<p><i>In numbers:</i> {html.escape(one.draw(values).text)}</p>
<p><code>{command}</code></p>
</details>"""
