"""Is everything in place for the sliders to move? Said in words, with what to do about it."""

import platform
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module, metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

INSTALL = "in the folder of the README  pip install"
MEND = (
    "Mend it: in the folder of the README run  pip install -r requirements.txt  "
    "then restart the kernel."
)
SERVERS = "jupyter[-_]?(lab|notebook|server)|notebook|voila"
RELOAD = "save the notebook and reload the page."


class SetupError(ImportError):
    """What is missing, in words; a notebook shows them without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def check_environment() -> None:
    """Print whether this kernel and its page have all that the lessons need, or what to do."""
    if found := _found():
        print("\n".join([*found, MEND]))
    elif _server() and (mend := to_drag()) != RELOAD:
        print(f"The sliders below will move, but you cannot drag in a picture: {mend}")
    elif not _said(metadata.requires, "posenc_lib"):
        print("The sliders below should move; what posenc_lib needs is not written down here.")
    else:
        print("Everything is in place: the sliders below will move.")


@cache
def require() -> None:
    """Raise what is missing or too old for anything live, with what to do."""
    if found := _found():
        raise SetupError("\n".join([*found, MEND]))


def in_browser() -> bool:
    """Return whether Python runs in the reader's browser, where files end with the page."""
    return sys.platform == "emscripten"


def to_drag() -> str:
    """Return how the page gets the anywidget of this kernel, as the end of a sentence."""
    version = _said(metadata.version, "anywidget")
    wanted = f"anywidget=={'.'.join(version.split('.')[:2])}.*" if version else "anywidget"
    python = _server()
    if python is None:
        where = "where Jupyter runs, perhaps not where this kernel does"
        return f'run  pip install "{wanted}"  {where}, then {RELOAD}'
    home, rooms = Path(python).parent.parent, ("lib/python*/*-packages", "Lib/site-packages")
    folders = [str(folder) for room in rooms for folder in home.glob(room)]
    copies = metadata.distributions(name="anywidget", path=folders)
    there = _said(lambda: next(copies).version)
    fits = there and _said(Requirement(wanted).specifier.contains, there, True)
    return RELOAD if fits else f'run  {python} -m pip install "{wanted}"  then {RELOAD}'


def _server() -> str | None:
    """Return the Python that serves the page, if this kernel can tell."""
    with suppress(Exception):  # no psutil, no parent, or nobody's business
        python, *rest = import_module("psutil").Process().parent().cmdline()
        program = rest[1] if rest[0] == "-m" else Path(rest[0]).name
        return shutil.which(python) if re.match(SERVERS, program) else None
    return None


def _said(ask: Callable, *about):
    """Return what metadata answer; None where they don't, as of an install made by hand."""
    with suppress(Exception):
        return ask(*about)
    return None


def _found() -> list[str]:
    """Return what is missing here or too old, by the package's requirements, a sentence each."""
    needed = _said(metadata.requires, "posenc_lib") or ()
    found = [_said(_python), *(_said(_lack, line) for line in needed)]
    return [sentence for sentence in found if sentence]


def _python() -> str:
    """Return what is wrong with this Python, nothing if it is new enough."""
    python, needed = platform.python_version(), metadata.metadata("posenc_lib")["Requires-Python"]
    new = SpecifierSet(needed).contains(python, prereleases=True)
    return "" if new else f"Python {python} runs here, {needed} is needed."


def _lack(line: str) -> str:
    """Return what is wrong with what a line of requirements names, nothing if all is well."""
    one = Requirement(line)
    if one.marker and not one.marker.evaluate({"extra": ""}):
        return ""
    try:
        version = metadata.version(one.name)
    except metadata.PackageNotFoundError:
        return f"{one.name} is missing."
    new = one.specifier.contains(Version(version), prereleases=True)
    return "" if new else f"{one.name} {version} is here, {one.specifier} is needed."


def with_torch():
    """Return PyTorch and posenc_lib's modules for it; or None twice, and say how to get PyTorch."""
    try:
        return import_module("torch"), import_module("posenc_lib.pytorch")
    except ImportError:
        get = f'To run this cell: {INSTALL} -e ".[torch]"  then restart. Or just read it.'
        print("PyTorch doesn't run in a browser: just read this cell." if in_browser() else get)
        return None, None
