"""The commands of the project: python -m posenc_lib --help."""

import argparse
import sys
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
    site.add_argument("out", type=Path, help="folder to write to")
    site.add_argument(
        "folder", nargs="?", type=Path, default=Path("notebooks"), help="default: notebooks/"
    )
    site.set_defaults(run=_site)
    return parser


def _notebooks(options) -> int:
    try:
        from posenc_lib.tools.notebooks import store_all
    except ImportError as error:
        raise ValueError(
            f"notebooks need the extra lab (pip install 'posenc_lib[lab]'): {error}"
        ) from None
    return store_all(options.paths or [Path("notebooks")])


def _site(options) -> None:
    try:
        from posenc_lib.tools.site.build import build
    except ImportError as error:
        raise ValueError(
            f"pages need the extra site (pip install 'posenc_lib[site]'): {error}"
        ) from None
    build(options.out, options.folder)
