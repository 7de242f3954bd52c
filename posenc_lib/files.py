"""Reading the library's own files, and writing files so that none is ever half written."""

import base64
import html
import json
import sys
import tomllib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CURE = "install posenc_lib again: pip install --force-reinstall posenc_lib"


@contextmanager
def blamed(path: Path, cure: str = CURE) -> Iterator[None]:
    """Turn any error in the block into an OSError about an installed file, with the cure."""
    try:
        yield
    except Exception as error:
        what = f"{type(error).__name__}: {error}"[:80]
        raise OSError(f"{path} is missing or damaged ({what}); {cure}") from None


@contextmanager
def stored(path: Path) -> Iterator[bytes]:
    """Give the bytes of one of the library's files, which is `blamed` in the block."""
    with blamed(path):
        data = path.read_bytes()
        if not data.strip():
            raise ValueError("empty")
        yield data


def stored_text(path: Path) -> str:
    """Return one of the library's texts."""
    with stored(path) as data:
        return data.decode()


def stored_data(path: Path, **kinds: type) -> dict[str, Any]:
    """Return the data in one of the library's .json or .toml files, and check these types."""
    with stored(path) as data:
        found = tomllib.loads(data.decode()) if path.suffix == ".toml" else json.loads(data)
        for name, kind in {next(iter(found)): object, **kinds}.items():
            if not isinstance(found[name], kind) or not found[name]:
                raise ValueError(f"no {name}")
        return found


def atomic_write(path: Path, data: bytes) -> None:
    """Write data next to path, then rename it, so the file is either the new one or the old.

    Creates a missing folder.

    Raises:
        OSError: the folder can't be written, or the disk is full.
        ValueError: a file can't have this name.
    """
    try:
        there = Path(path).resolve()  # follows a link
        # its own name may already have the maximum length
        aside = there.with_name(f".{uuid.uuid4().hex}.part")
    except ValueError:
        raise ValueError(f"path must be a valid file name, got {str(path)!a}") from None
    try:
        there.parent.mkdir(parents=True, exist_ok=True)
        try:
            aside.write_bytes(data)
            aside.replace(there)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:  # it names a file nobody asked for, or none
        why = error.strerror
        if isinstance(error, FileExistsError):
            why = f"{error.filename} is a file, not a folder"
        raise OSError(error.errno, why, str(path)) from None


def in_browser() -> bool:
    """Return whether Python runs in the reader's browser, where files vanish with the page."""
    return sys.platform == "emscripten"


def hand_over(path: Path) -> None:
    """Show a link that downloads a file, if Python runs in the reader's browser."""
    if in_browser():
        from IPython.display import HTML, display  # scripts may have none

        data, name = base64.b64encode(path.read_bytes()).decode(), html.escape(path.name)
        to = f"data:application/octet-stream;base64,{data}"
        display(HTML(f'<a download="{name}" href="{to}">Download {name}</a>'))
