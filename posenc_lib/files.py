"""Writing files so that no interruption leaves half of one."""

import errno
import uuid
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write data to path: afterwards the file is the new one, or, if anything went wrong, still the old one.

    Raises:
        OSError: the folder cannot be written, or the disk is full.
    """
    path = Path(path).resolve()  # through a link to what it stands for
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "No such folder", str(path.parent))
    aside = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        aside.write_bytes(data)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
