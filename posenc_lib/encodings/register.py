"""How views and puzzles are found by name, including those that only one page needs.

The library is what two pages share. Anything only one page needs is in that page's package in
`posenc_lib/lessons`, and the library never imports one. An unknown name is looked up in all of
them, folder by folder.
"""

import functools
import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Container
from pathlib import Path
from typing import TypeVar

LESSONS = "posenc_lib.lessons"
Thing = TypeVar("Thing")


def pages() -> list[str]:
    """Return the names of the pages' packages, by folder: lesson_00, lesson_01, …."""
    folder = Path(__file__).parents[1] / "lessons"
    names = [module.name for module in pkgutil.iter_modules([str(folder)]) if module.ispkg]
    return sorted(names, key=lambda name: (not name.startswith("lesson_"), name))


def last_lesson() -> int:
    """Return the number of the last lesson.

    >>> last_lesson() >= 16
    True
    """
    numbered = [name.removeprefix("lesson_") for name in pages() if name.startswith("lesson_")]
    return int(numbered[-1])


@functools.cache
def load(part: str = "") -> None:
    """Import this part of every page's package, if it has one.

    "pictures" has the page's views and "puzzles" its puzzles. The package itself, part "", has its
    encodings.
    """
    for page in pages():
        module = f"{LESSONS}.{page}.{part}" if part else f"{LESSONS}.{page}"
        if importlib.util.find_spec(module):
            importlib.import_module(module)


def place_at(module: str, line: int) -> str:
    """Return a line of a module in words. A notebook's cell has none, since it can run again."""
    return module if module == "__main__" else f"{module}, line {line}"


def place_of(function: Callable) -> str:
    """Return the place a function comes from."""
    return place_at(function.__module__, function.__code__.co_firstlineno)


# Parameters, views and figures that have a better name now: the old names still work
RENAMED = {
    "mended": "fixed",
    "neighbour_steps": "neighbor_steps",
    "push": "constant",
    "push_one_back": "constant_one_back",
    "query": "position",  # of views where nothing queries anything
}


def todays(name: str, names: Container[str]) -> str:
    """Return the name that something has among names today, or the name unchanged."""
    if not isinstance(name, str) or name not in RENAMED or name in names:
        return name
    return RENAMED[name] if RENAMED[name] in names else name


class Register(dict[str, Thing]):
    """A dict with unique names. If a name is missing, the pages' packages are searched for it.

    Iterating covers only what's loaded, so call `load` first if you need everything.

    >>> birds = Register("bird", part="puzzles")
    >>> birds.add("owl", "hoo", place="here")
    >>> birds.add("owl", "whoo", place="there")
    Traceback (most recent call last):
    ValueError: every bird needs a unique name: 'owl' is taken (here, and again in there)
    """

    def __init__(self, noun: str, part: str):
        self.noun, self.part = noun, part
        self._places: dict[str, str] = {}

    def add(self, name: str, thing: Thing, place: str) -> None:
        """Add a thing under its name. Loading the same place again replaces it.

        Raises:
            ValueError: something from a different place has this name.
        """
        first = self._places.get(name)
        if super().__contains__(name) and first != place:
            rule = f"every {self.noun} needs a unique name"
            raise ValueError(f"{rule}: {name!r} is taken ({first}, and again in {place})")
        self[name], self._places[name] = thing, place

    def load(self) -> "Register[Thing]":
        """Return the register, with everything the pages' packages add."""
        load(self.part)
        return self

    def __missing__(self, name: str) -> Thing:
        self.load()
        if super().__contains__(name):
            return self[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or dict.__contains__(self.load(), name)
