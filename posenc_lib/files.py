"""Writing files so that no interruption leaves half of one."""

import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write data to path: afterwards the file is the new one, or, if anything went wrong, still the old one.

    Raises:
        OSError: the folder cannot be written, or the disk is full.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        aside.write_bytes(data)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
