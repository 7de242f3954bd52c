"""Writing files so that no interruption leaves half of one."""

import errno
import os
import stat
import time
import uuid
import zlib
from contextlib import suppress
from pathlib import Path

LEFT_AFTER = 600  # seconds; no file takes that long to write


def write_whole(path: Path, data: bytes) -> None:
    """Write data to path: afterwards the file is the new one, or, if anything went wrong, still the old one.

    Raises:
        OSError: the folder or the file cannot be written, or the disk is full.
    """
    path = Path(path).resolve()  # through a link to what it stands for
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "No such folder", str(path.parent))
    mode = path.stat().st_mode if path.exists() else None
    if mode is not None and not mode & stat.S_IWUSR:  # asked of the mode, for root may write everything
        raise PermissionError(errno.EACCES, "The file is read-only", str(path))
    aside = path.with_name(f"{_mark(path)}{uuid.uuid4().hex}.part")
    try:
        aside.write_bytes(data)
        if mode is not None:
            aside.chmod(stat.S_IMODE(mode))  # who could read the old file can read the new one, and nobody else
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
        _tidy(path)


def _mark(path: Path) -> str:
    """Return how names of unfinished files of a path begin: short, for the path's own name may be as long as can be."""
    return f".{zlib.crc32(os.fsencode(path.name)):08x}-"


def _tidy(path: Path) -> None:
    """Remove what runs that were killed have left beside a file; what is young may belong to one that runs now."""
    for left in path.parent.glob(f"{_mark(path)}*.part"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > LEFT_AFTER:
                left.unlink()
