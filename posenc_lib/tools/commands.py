"""The commands of the project: python -m posenc_lib --help."""

import argparse
import sys
from pathlib import Path


def main(arguments=None) -> int:
    """Run one command and return its exit status.

    It is 2 for what was asked wrongly, and 1 for what could not be written.
    """
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
    options = parser.parse_args(arguments)
    try:
        return options.run(options) or 0
    except KeyboardInterrupt:
        print("stopped: files are whole, new or as they were", file=sys.stderr)
        return 130
    except (TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


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
