"""Python for the browser, Pyodide: which files of it are needed, where they come from, and what is loaded when."""

import hashlib
import json
import urllib.request
from pathlib import Path

from posenc_lib.files import atomic_write, stored_data
from posenc_lib.tools.lite.wheels import entry

PINS = stored_data(Path(__file__).with_name("pyodide.json"), core=dict, packages=dict)
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{PINS['info']['version']}/full/"
# what the kernel would else install one by one, and the library
FIRST = "micropip piplite ssl sqlite3 ipykernel comm pyodide_kernel jedi ipython posenc-lib".split()


def files() -> dict[str, str]:
    """Return the hash of each file that is needed, by name."""
    packages = PINS["packages"].values()
    return PINS["core"] | {one["file_name"]: one["sha256"] for one in packages}


def lock(wheels: list[Path], address: str = "") -> dict:
    """Return the lock file."""
    packages = {name: dict(one) for name, one in PINS["packages"].items()}
    known = {*packages, *(entry(wheel)["name"] for wheel in wheels)}
    for wheel in wheels:
        one = entry(wheel, known)
        if address:
            one["file_name"] = f"{address.rstrip('/')}/pyodide/{one['file_name']}"
        packages[one["name"]] = one
    return {"info": PINS["info"], "packages": packages}


def bring(folder: Path, copy: Path | None) -> None:
    """Bring each file into a folder."""
    for name, wanted in files().items():
        there = folder / name
        if there.exists() and _hash(there.read_bytes()) == wanted:
            continue
        data = (copy / name).read_bytes() if copy else _fetched(ADDRESS + name)
        if _hash(data) != wanted:
            raise OSError(f"{copy or ADDRESS}{name} is not the file of Pyodide {PINS['info']['version']}")
        atomic_write(there, data)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _fetched(address: str) -> bytes:
    with urllib.request.urlopen(address) as answer:
        return answer.read()
