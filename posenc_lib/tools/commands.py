"""The commands of the project: python -m posenc_lib --help."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST = 2000  # characters in an error, which can quote its input


def main(arguments=None) -> int:
    """Run one command and return its exit status.

    2 means the request was wrong, 1 that something couldn't be written.
    """
    try:
        options = _parser().parse_args(arguments)
        return options.run(options) or 0
    except BaseException as error:
        if _is_stop(error):
            print("stopped: every file is complete, either new or unchanged", file=sys.stderr)
            return 130
        if not isinstance(error, (TypeError, ValueError, OSError)):
            raise
        words = str(error)
        print("error:", words if len(words) <= LONGEST else f"{words[:LONGEST]}…", file=sys.stderr)
        return 1 if isinstance(error, OSError) else 2


def _is_stop(error: BaseException | None) -> bool:
    """Return whether it's Ctrl-C, or an error other code raised because of it."""
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the commands."""
    import posenc_lib
    from posenc_lib.tools import figures, train  # matplotlib takes a while to load

    parser = argparse.ArgumentParser(
        prog="python -m posenc_lib", description="The commands of the project."
    )
    parser.add_argument(
        "--version", action="version", version=f"posenc_lib {posenc_lib.__version__}"
    )
    parser.set_defaults(run=lambda options: parser.print_help())
    commands = parser.add_subparsers(dest="command", metavar="command")
    notebooks = commands.add_parser(
        "notebooks", help="run notebooks in a clean kernel and store their outputs"
    )
    notebooks.add_argument(
        "paths", nargs="*", type=Path, help="notebooks or folders (default: notebooks/)"
    )
    notebooks.add_argument(
        "--language",
        default="",
        help="write the lessons in this language to a folder instead: --language zh OUT",
    )
    notebooks.set_defaults(run=_notebooks)
    figures.add_to(commands)
    train.add_to(commands)
    site = commands.add_parser(
        "site", help="turn notebooks into a website whose sliders work without a kernel"
    )
    site.add_argument(
        "--lite",
        default="",
        metavar="ADDRESS",
        help="link each page to the browser edition at this address",
    )
    site.set_defaults(run=_site)
    lite = commands.add_parser(
        "lite", help="turn notebooks into a website that runs them in the browser, without a server"
    )
    for pages in (site, lite):
        pages.add_argument("out", type=Path, help="folder to write to")
        pages.add_argument(
            "folder", nargs="?", type=Path, default=Path("notebooks"), help="default: notebooks/"
        )
    lite.add_argument("--open", action="store_true", help="open it in your browser when it's done")
    lite.add_argument(
        "--site", default="", metavar="ADDRESS", help="link each lesson to its page on the website"
    )
    lite.add_argument(
        "--pyodide", type=Path, metavar="FOLDER", help="Pyodide's files, if you already have them"
    )
    lite.add_argument(
        "--cdn",
        default="",
        metavar="ADDRESS",
        help="leave Pyodide where it's published, and publish OUT at this address",
    )
    lite.set_defaults(run=_lite)
    return parser


def _notebooks(options) -> int:
    with _extra("lab"):
        from posenc_lib.tools.notebooks import store_all
    paths = options.paths or [Path("notebooks")]
    if options.language:
        from posenc_lib.tools.parallel import write

        if len(paths) > 1:
            raise ValueError(f"--language takes one folder to write to, got {len(paths)}")
        paths = write(options.language, Path("notebooks"), paths[0])
    return store_all(paths)


def _site(options) -> None:
    with _extra("site"):
        from posenc_lib.tools.site.build import build
    build(options.out, options.folder, options.lite)


def _lite(options) -> None:
    with _extra("lite"):
        from posenc_lib.tools.lite.build import build
        from posenc_lib.tools.lite.serve import serve
    build(options.out, options.folder, options.pyodide, options.cdn, options.site)
    if options.open:
        serve(options.out)


@contextmanager
def _extra(name: str) -> Iterator[None]:
    """Say which extra is missing."""
    try:
        yield
    except ImportError as error:
        install = f"pip install 'posenc_lib[{name}]'"
        raise ValueError(f"this needs the {name} extra ({install}): {error}") from None
