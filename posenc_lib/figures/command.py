"""The command: python -m posenc_lib figures [list | make]."""

import argparse
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from posenc_lib.encodings.record import setting
from posenc_lib.figures import FIGURES
from posenc_lib.figures.formats import FORMATS, MOVING, render
from posenc_lib.figures.gallery import gallery
from posenc_lib.figures.registry import FRAMES, BlogFigure, find, near
from posenc_lib.files import write_whole
from posenc_lib.views import style
from posenc_lib.views.panel import CSS_DPI

FOLDER = Path("figures")
STILL, FILM = ("png", "svg"), MOVING  # what the folder holds of each kind of figure
WIDTHS, DPIS, COUNTS = (360, 2000), (50, 600), (2, 100)
ALONE = 6  # jobs for which starting other processes takes longer than the work


class Job(NamedTuple):
    """One file to make: all that `render` needs, in words that another process understands."""

    id: str
    values: dict
    suffix: str
    theme: str
    options: dict

    def run(self) -> bytes:
        """Return the file's bytes."""
        with style.themed(self.theme):
            return render(FIGURES[self.id], self.values, self.suffix, **self.options)


def add_to(commands) -> None:
    """Add the command to the project's others."""
    parser = commands.add_parser(
        "figures", help="write figures for a blog: all, or some with another length, size or look"
    )
    verbs = parser.add_subparsers(dest="verb", metavar="list | make")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder to write to (default: figures/)")
    listing = verbs.add_parser("list", help="show id, lesson and caption; of the figures named, also what can be set")
    listing.add_argument("ids", nargs="*", metavar="ID")
    make = verbs.add_parser("make", help="write some figures")
    make.add_argument("ids", nargs="+", metavar="ID")
    make.add_argument("--format", default="png", metavar="|".join(FORMATS), help="one or several, joined by commas")
    make.add_argument("--theme", default="light", metavar="|".join(style.THEMES))
    make.add_argument(
        "--width", type=int, help="in pixels of a page; a narrow figure puts its views one below the other"
    )
    make.add_argument(
        "--dpi", type=int, help=f"pixels of the file per {CSS_DPI} pixels of width (default: 200 for png)"
    )
    make.add_argument("--frames", type=int, default=FRAMES, help="of a gif or html, at most")
    make.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter; again for more")
    make.add_argument("--out", type=Path, default=Path(), help="folder to write to (default: this one)")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status: 2 for what was asked wrongly, 1 for what could not be written."""
    try:
        if options.verb == "list":
            print("\n".join(listed(options.ids)))
            return 0
        if options.verb == "make":
            return write(jobs_for(options), options.out)
        return write(all_jobs(), options.out, {"README.md": gallery().encode()})
    except (TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


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
        yield f"    --set {name}={setting(one.defaults[name])}  {parameter.help} ({reach}{moves})"


def all_jobs() -> list[Job]:
    """Return what fills the folder: pictures of still figures, films of moving ones."""
    kinds = ((one, suffix) for one in FIGURES.values() for suffix in (FILM if one.moving else STILL))
    return [Job(one.id, one.defaults, suffix, "light", {}) for one, suffix in kinds]


def jobs_for(options: argparse.Namespace) -> list[Job]:
    """Return what somebody asked for, checked before any work is done.

    Raises:
        TypeError, ValueError: an id, a parameter, a format or a number that cannot be; the message says what can.
    """
    chosen = list(dict.fromkeys(map(find, options.ids)))
    suffixes = [_one_of("--format", part, FORMATS) for part in dict.fromkeys(options.format.lower().split(","))]
    theme = _one_of("--theme", options.theme.lower(), style.THEMES)
    looks = {"dpi": _within("--dpi", options.dpi, DPIS), "frames": _within("--frames", options.frames, COUNTS)}
    width = _within("--width", options.width, WIDTHS)
    looks["width"] = width and width / CSS_DPI
    jobs = []
    for one in chosen:
        values = one.values(**dict(_read(one, text) for text in options.set))
        if set(suffixes) & set(MOVING):
            one.frames(values, looks["frames"])
        jobs += [Job(one.id, values, suffix, theme, looks) for suffix in suffixes]
    return jobs


def _read(one: BlogFigure, text: str) -> tuple[str, object]:
    """Return the name and the value out of NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set must be NAME=VALUE, got {text!r}")
    if name not in one.parameters:
        raise TypeError(f"{one.id} has no parameter {name!r}{near(name, one.parameters)}")
    return name, one.parameters[name].read(value)


def _one_of(option: str, value: str, known: tuple) -> str:
    if value not in known:
        raise ValueError(f"{option} must be one of {', '.join(known)}, got {value!r}")
    return value


def _within(option: str, value: int | None, ends: tuple):
    if value is not None and not ends[0] <= value <= ends[1]:
        raise ValueError(f"{option} must be between {ends[0]} and {ends[1]}, got {value}")
    return value


def write(jobs: list[Job], folder: Path, more: dict[str, bytes] | None = None) -> int:
    """Make all files, replace each one whole, show how far it is, and return an exit status.

    Interrupted, it leaves the files it has not come to as they were.
    """
    written = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for done, (job, data) in enumerate(_made(jobs), 1):
            write_whole(folder / f"{job.id}.{job.suffix}", data)
            written = done
            _progress(done, len(jobs), f"{job.id}.{job.suffix}")
        for name, data in (more or {}).items():
            write_whole(folder / name, data)
    except KeyboardInterrupt:
        print(f"\nstopped: {written} of {len(jobs)} files are new, the others as they were", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"\nerror: {folder}: {error.strerror or error}; {written} of {len(jobs)} files are new", file=sys.stderr)
        return 1
    return 0


def _made(jobs: list[Job]) -> Iterator[tuple[Job, bytes]]:
    """Yield each job with its bytes as soon as they are there; many jobs share the machine's cores."""
    if len(jobs) <= ALONE:
        yield from ((job, job.run()) for job in jobs)
        return
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(os.cpu_count() or 1, 8), spawn, initializer=_ignore_interrupts)
    try:
        films_first = sorted(jobs, key=lambda job: job.suffix not in FILM)
        running = {pool.submit(job.run): job for job in films_first}
        for future in as_completed(running):
            yield running[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that writes the files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _progress(done: int, total: int, name: str) -> None:
    """Show a bar on a terminal, a line for each file elsewhere."""
    if sys.stderr.isatty():
        bar = ("#" * (30 * done // total)).ljust(30, ".")
        end = "\n" if done == total else ""
        print(f"\r[{bar}] {done}/{total} {name:<40}", end=end, file=sys.stderr, flush=True)
    else:
        print(f"{done}/{total} {name}", file=sys.stderr, flush=True)
