"""The commands of the project: python -m posenc_lib --help."""

import os
import signal
import sys
from pathlib import Path


def main(arguments=None) -> int:
    """Run one command and return its exit status."""
    import argparse  # here, so that Ctrl-C is heard as early as can be

    import posenc_lib
    from posenc_lib.figures import command  # matplotlib takes a while to load
    from posenc_lib.training import command as training

    parser = argparse.ArgumentParser(prog="python -m posenc_lib", description="The commands of the project.")
    parser.add_argument("--version", action="version", version=f"posenc_lib {posenc_lib.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    notebooks = commands.add_parser("notebooks", help="run notebooks from a clean kernel and store their outputs")
    notebooks.add_argument("paths", nargs="*", type=_path, help="notebooks or folders (default: notebooks/)")
    command.add_to(commands)
    training.add_to(commands)
    site = commands.add_parser("site", help="write notebooks as a web site whose sliders move without a kernel")
    site.add_argument("out", type=_path, help="folder to write to; pages in it that nothing has changed stay")
    site.add_argument(
        "folder", nargs="?", type=_path, default=Path("notebooks"), help="of notebooks (default: notebooks/)"
    )
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    if options.command == "figures":
        return command.run(options)
    if options.command == "train":
        return training.run(options)
    return _with_an_extra(options)


def _with_an_extra(options) -> int:
    """Run a command whose modules come with an extra and take seconds to load."""
    what, extra = ("pages", "site") if options.command == "site" else ("notebooks", "lab")
    try:
        if extra == "site":
            from posenc_lib.site.build import build

            return build(options.out, options.folder)
        from posenc_lib.notebooks import store_all
    except ImportError as error:
        print(f"error: {what} need the extra {extra} (pip install 'posenc_lib[{extra}]'): {error}", file=sys.stderr)
        return 2
    return store_all(options.paths or [Path("notebooks")])


def _path(text: str) -> Path:
    if not text.strip():
        import argparse

        raise argparse.ArgumentTypeError("an empty name would mean this folder; write . for it")
    return Path(text)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as long as nothing has begun, Ctrl-C ends it without a word
    try:
        status = main()
        sys.stdout.flush()
    except OSError as error:  # nobody reads on, or the disk behind a redirection is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0 if isinstance(error, BrokenPipeError) else 1
        if status:
            print(f"error: {error.strerror}", file=sys.stderr)
    sys.exit(status)
