"""Reading what the library brings with it, and writing so that nothing leaves half a file."""

import json
import tomllib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CURE = "install posenc_lib again: pip install --force-reinstall posenc_lib"


@contextmanager
def blamed(path: Path, cure: str = CURE) -> Iterator[None]:
    """Blame an installed file for what goes wrong in the block, an OSError that names the cure."""
    try:
        yield
    except Exception as error:
        what = f"{type(error).__name__}: {error}"[:80]
        raise OSError(f"{path} is missing or damaged ({what}); {cure}") from None


@contextmanager
def stored(path: Path) -> Iterator[bytes]:
    """Give the bytes of a file of the library, which is `blamed` in the block."""
    with blamed(path):
        data = path.read_bytes()
        if not data.strip():
            raise ValueError("empty")
        yield data


def stored_text(path: Path) -> str:
    """Return a text of the library."""
    with stored(path) as data:
        return data.decode()


def stored_data(path: Path, **kinds: type) -> dict[str, Any]:
    """Return what a .json or .toml of the library holds, with something of these types by name."""
    with stored(path) as data:
        found = tomllib.loads(data.decode()) if path.suffix == ".toml" else json.loads(data)
        for name, kind in {next(iter(found)): object, **kinds}.items():
            if not isinstance(found[name], kind) or not found[name]:
                raise ValueError(f"no {name}")
        return found


def atomic_write(path: Path, data: bytes) -> None:
    """Write data beside path, then rename: afterwards the file is the new one or still the old.

    A folder that is missing is made.

    Raises:
        OSError: the folder cannot be written, or the disk is full.
        ValueError: no file can have this name.
    """
    try:
        there = Path(path).resolve()  # through a link to what it stands for
        # its own name may be as long as can be
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
    except OSError as error:  # it names a file that nobody has asked for, or none
        why = error.strerror
        if isinstance(error, FileExistsError):
            why = f"{error.filename} is a file, not a folder"
        raise OSError(error.errno, why, str(path)) from None
