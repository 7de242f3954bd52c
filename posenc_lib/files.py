"""Writing files so that no interruption leaves half of one."""

import errno
import stat
import time
import uuid
from contextlib import suppress
from pathlib import Path


def atomic_write(path: Path, data: bytes) -> None:
    """Write data to path: afterwards the file is wholly the new one or, if anything went wrong, still the old one.

    Raises:
        OSError: the folder or the file cannot be written, or the disk is full.
    """
    path = Path(path).resolve()  # through a link to what it stands for
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "No such folder", str(path.parent))
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    if mode is not None and not mode & stat.S_IWUSR:  # asked of the mode, for root may write everything
        raise PermissionError(errno.EACCES, "The file is read-only", str(path))
    aside = path.with_name(f".posenc_lib-{uuid.uuid4().hex}.part")  # path's own name may be as long as can be
    try:
        aside.write_bytes(data)
        if mode is not None:
            aside.chmod(mode)  # who could read the old file can read the new one, and nobody else
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
        for left in path.parent.glob(".posenc_lib-*.part"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > 600:  # of a run that was killed; nothing takes so long to write
                    left.unlink()
