"""Is everything in place for the sliders to move? Said in words, with what to do about it."""

import platform
from importlib import import_module, metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

INSTALL = "in the folder of the README  pip install"
MEND = "Mend it: in the folder of the README run  pip install -r requirements.txt  then restart the kernel."


def check_environment() -> None:
    """Print whether this kernel has all that the lessons need, from the package's own requirements, or what to do."""
    found, needed = [], metadata.metadata("posenc_lib")["Requires-Python"]
    if not SpecifierSet(needed).contains(platform.python_version(), prereleases=True):
        found.append(f"Python {platform.python_version()} runs here, {needed} is needed.")
    for one in map(Requirement, metadata.requires("posenc_lib")):
        if one.marker and not one.marker.evaluate({"extra": ""}):
            continue
        try:
            version = metadata.version(one.name)
            if not one.specifier.contains(version, prereleases=True):
                found.append(f"{one.name} {version} is here, {one.specifier} is needed.")
        except metadata.PackageNotFoundError:
            found.append(f"{one.name} is missing.")
    print("\n".join([*found, MEND]) if found else "Everything is in place: the sliders below will move.")


def with_torch():
    """Return PyTorch and posenc_lib's modules for it; without PyTorch None twice, and say how to get it."""
    try:
        return import_module("torch"), import_module("posenc_lib.pytorch")
    except ImportError:
        print(f'To run this cell: {INSTALL} -e ".[torch]"  then restart. Or just read it.')
        return None, None
