"""Check that everything the sliders need is installed, and say what to do if it isn't."""

import platform
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module, metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from posenc_lib.files import in_browser
from posenc_lib.translation import said

INSTALL = "in the README's folder, run  pip install"
MEND = (
    "To fix that, run  pip install -r requirements.txt  in the README's folder, "
    "then restart the kernel."
)
SERVERS = "jupyter[-_]?(lab|notebook|server)|notebook|voila"
RELOAD = "save the notebook and reload the page."


class SetupError(ImportError):
    """What's missing, in words. A notebook shows them without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def check_environment() -> None:
    """Print whether this kernel and its page have everything the lessons need, or what to do."""
    if found := _found():
        words = "\n".join([*found, MEND])
    elif _server() and (mend := to_drag()) != RELOAD:
        words = f"Your sliders will move, but you can't drag in a picture yet: {mend}"
    elif not _said(metadata.requires, "posenc_lib"):
        words = "The sliders below should move. (This install doesn't list what posenc_lib needs.)"
    else:
        words = "Everything is in place: your sliders will move."
    print(said(words))


@cache
def require() -> None:
    """Raise an error if something live panels need is missing or too old."""
    if found := _found():
        raise SetupError("\n".join([*found, MEND]))


def to_drag() -> str:
    """Return how the page gets this kernel's anywidget, as the end of a sentence."""
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
    """Return the Python that serves the page, if this kernel can find out."""
    with suppress(Exception):  # no psutil, no parent, or no permission
        python, *rest = import_module("psutil").Process().parent().cmdline()
        program = rest[1] if rest[0] == "-m" else Path(rest[0]).name
        return shutil.which(python) if re.match(SERVERS, program) else None
    return None


def _said(ask: Callable, *about):
    """Return the answer of the metadata, or None, for example after a manual install."""
    with suppress(Exception):
        return ask(*about)
    return None


def _found() -> list[str]:
    """Return one sentence for each requirement that's missing or too old."""
    needed = _said(metadata.requires, "posenc_lib") or ()
    found = [_said(_python), *(_said(_lack, line) for line in needed)]
    return [sentence for sentence in found if sentence]


def _python() -> str:
    """Return what's wrong with this Python, or nothing if it's new enough."""
    python, needed = platform.python_version(), metadata.metadata("posenc_lib")["Requires-Python"]
    new = SpecifierSet(needed).contains(python, prereleases=True)
    return "" if new else f"This is Python {python}, and {needed} is needed."


def _lack(line: str) -> str:
    """Return what's wrong with a requirement, or nothing."""
    one = Requirement(line)
    if one.marker and not one.marker.evaluate({"extra": ""}):
        return ""
    try:
        version = metadata.version(one.name)
    except metadata.PackageNotFoundError:
        return f"{one.name} is missing."
    new = one.specifier.contains(Version(version), prereleases=True)
    return "" if new else f"This is {one.name} {version}, and {one.specifier} is needed."


def with_torch():
    """Return PyTorch and posenc_lib.pytorch, or two Nones after saying how to get PyTorch."""
    try:
        return import_module("torch"), import_module("posenc_lib.pytorch")
    except ImportError:
        get = f'To run this cell, {INSTALL} -e ".[torch]"  and restart. Or just read it.'
        print("PyTorch doesn't run in a browser: just read this cell." if in_browser() else get)
        return None, None
