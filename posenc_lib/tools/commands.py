"""The commands of the project: python -m posenc_lib --help."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST = 2000  # letters of an error: it may name what it was given


def main(arguments=None) -> int:
    """Run one command and return its exit status.

    It is 2 for what was asked wrongly, and 1 for what could not be written.
    """
    try:
        options = _parser().parse_args(arguments)
        return options.run(options) or 0
    except BaseException as error:
        if _is_stop(error):
            print("stopped: files are whole, new or as they were", file=sys.stderr)
            return 130
        if not isinstance(error, (TypeError, ValueError, OSError)):
            raise
        words = str(error)
        print("error:", words if len(words) <= LONGEST else f"{words[:LONGEST]}…", file=sys.stderr)
        return 1 if isinstance(error, OSError) else 2


def _is_stop(error: BaseException | None) -> bool:
    """Return whether it is Ctrl-C, or what other code has made of that."""
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _parser() -> argparse.ArgumentParser:
    """Return what reads the commands."""
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
        "notebooks", help="run notebooks from a clean kernel and store their outputs"
    )
    notebooks.add_argument(
        "paths", nargs="*", type=Path, help="notebooks or folders (default: notebooks/)"
    )
    notebooks.set_defaults(run=_notebooks)
    figures.add_to(commands)
    train.add_to(commands)
    site = commands.add_parser(
        "site", help="write notebooks as a web site whose sliders move without a kernel"
    )
    site.add_argument(
        "--lite", default="", metavar="ADDRESS", help="link each page to the browser edition there"
    )
    site.set_defaults(run=_site)
    lite = commands.add_parser(
        "lite", help="write notebooks as a web site that runs them in the browser, without a server"
    )
    for pages in (site, lite):
        pages.add_argument("out", type=Path, help="folder to write to")
        pages.add_argument(
            "folder", nargs="?", type=Path, default=Path("notebooks"), help="default: notebooks/"
        )
    lite.add_argument("--open", action="store_true", help="show it in your browser when written")
    lite.add_argument(
        "--site", default="", metavar="ADDRESS", help="link each lesson to its page without Python"
    )
    lite.add_argument(
        "--pyodide", type=Path, metavar="FOLDER", help="Pyodide's files, if you have them already"
    )
    lite.add_argument(
        "--cdn",
        default="",
        metavar="ADDRESS",
        help="leave Pyodide where it is published, and publish OUT at this address",
    )
    lite.set_defaults(run=_lite)
    return parser


def _notebooks(options) -> int:
    with _extra("lab"):
        from posenc_lib.tools.notebooks import store_all
    return store_all(options.paths or [Path("notebooks")])


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
    """Say which extra has what is missing."""
    try:
        yield
    except ImportError as error:
        install = f"pip install 'posenc_lib[{name}]'"
        raise ValueError(f"this needs the extra {name} ({install}): {error}") from None
