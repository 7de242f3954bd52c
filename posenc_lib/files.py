"""Writing files so that no interruption leaves half of one."""

import uuid
from pathlib import Path


def atomic_write(path: Path, data: bytes) -> None:
    """Write data beside path, then rename: afterwards the file is the new one or still the old.

    Raises:
        OSError: the folder cannot be written, or the disk is full.
    """
    path = Path(path).resolve()  # through a link to what it stands for
    aside = path.with_name(f".{uuid.uuid4().hex}.part")  # path's own name may be as long as can be
    try:
        aside.write_bytes(data)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
