"""Python for the browser, Pyodide: what's needed from it, where it is, and what's loaded first.

`pyodide.json` has the version and the part of its lock file that's needed, with each hash.
"""

import hashlib
import shutil
import urllib.request
from pathlib import Path

from platformdirs import user_cache_path

from posenc_lib.files import atomic_write, stored_data
from posenc_lib.tools.lite.wheels import entry
from posenc_lib.tools.write import tell

PINS = stored_data(Path(__file__).with_name("pyodide.json"), core=dict, packages=dict)
VERSION = PINS["info"]["version"]
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
# what the kernel would otherwise request one by one, and the library
FIRST = "micropip piplite ssl sqlite3 ipykernel comm pyodide_kernel jedi ipython posenc-lib".split()


def bring(folder: Path, copy: Path | None) -> None:
    """Copy each Pyodide file into a folder, and fetch the ones missing from the copy.

    Raises:
        OSError: a file can't be fetched, or isn't the pinned one.
    """
    copy = copy or user_cache_path("posenc_lib") / f"pyodide-{VERSION}"
    packages = PINS["packages"].values()
    pins = PINS["core"] | {package["file_name"]: package["sha256"] for package in packages}
    for name, pin in pins.items():
        if not (copy / name).exists():
            _fetch(name, pin, copy / name)
        if _hash((copy / name).read_bytes()) != pin:
            raise OSError(f"{copy / name} isn't from Pyodide {VERSION}. Delete it to refetch it")
        shutil.copy(copy / name, folder)
    tell(f"Pyodide {VERSION}: {len(pins)} files")


def _fetch(name: str, pin: str, to: Path) -> None:
    """Fetch a file atomically."""
    try:
        with urllib.request.urlopen(ADDRESS + name) as answer:  # noqa: S310  https, as above
            data = answer.read()
    except OSError as error:
        rule = "If you have a copy, use --pyodide FOLDER"
        raise OSError(f"{ADDRESS + name} can't be fetched ({error}). {rule}") from None
    if _hash(data) != pin:
        raise OSError(f"{ADDRESS + name} isn't the pinned file")
    atomic_write(to, data)


def lock(folder: Path, made: list[Path], address: str) -> dict:
    """Return the lock file, which makes `import posenc_lib` load everything it needs.

    Args:
        folder: where the files are.
        made: our own wheels there.
        address: see `build`; a lock file names files next to Pyodide, or full addresses.
    """
    packages = {name: dict(package) for name, package in PINS["packages"].items()}
    known = {*packages, *(entry(wheel, set())["name"] for wheel in made)}
    for package in packages.values():
        if (here := folder / package["file_name"]).exists():
            package["sha256"] = _hash(here.read_bytes())  # it could be compiled
    for wheel in made:
        package = entry(wheel, known) | {"sha256": _hash(wheel.read_bytes())}
        if address:
            package["file_name"] = f"{address.rstrip('/')}/pyodide/{wheel.name}"
        packages[package["name"]] = package
    return {"info": PINS["info"], "packages": packages}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
