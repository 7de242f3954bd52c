"""The wheels that Pyodide doesn't bring: the library's, made from its clone, and those that it asks for."""

import hashlib
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PIP = [sys.executable, "-m", "pip"]
ANY = "--platform any --python-version 3.12 --implementation py --abi none --only-binary :all:"
PYPI = "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi"


def gather(root: Path, folder: Path) -> list[Path]:
    """Return all wheels."""
    wanted = Path(__file__).with_name("wheels.txt")
    _pip("download", "--no-deps", "--require-hashes", *ANY.split(), "-r", str(wanted), "-d", str(folder))
    copy = folder.with_name("copy")
    shutil.copytree(root / "posenc_lib", copy / "posenc_lib", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, copy)
    _pip("wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(copy))
    for name in "piplite pyodide_kernel ipykernel".split():
        (found,) = Path(sys.prefix, PYPI).glob(f"{name}-*.whl")
        shutil.copy(found, folder)
    return sorted(folder.glob("*.whl"))


def entry(wheel: Path, known: set[str] = frozenset()) -> dict:
    """Return a wheel's part of the lock file."""
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(opened.read(about).decode())
    needs = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    needs = {canonicalize_name(one.name) for one in needs if not one.marker or one.marker.evaluate({"extra": ""})}
    tops = {name.split("/")[0].removesuffix(".py") for name in names}
    return {
        "name": canonicalize_name(metadata["Name"]),
        "version": metadata["Version"],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": sorted(top for top in tops if top.isidentifier()),
        "depends": sorted(needs & {*known}),
        "unvendored_tests": False,
    }


def _pip(*arguments: str) -> None:
    done = subprocess.run([*PIP, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"pip {arguments[0]}: {done.stderr.strip()[-800:]}")
