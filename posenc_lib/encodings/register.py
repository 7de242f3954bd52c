"""Where views and puzzles are found by name, and how what one page alone needs is found, too.

The library is what two pages share. What one page alone needs is in that page's package in
`posenc_lib/lessons`, and no file of the library imports one: who is asked for a name that nobody
knows yet looks into all of them, folder by folder.
"""

import functools
import importlib
import importlib.util
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

LESSONS = "posenc_lib.lessons"
Thing = TypeVar("Thing")


def pages() -> list[str]:
    """Return the names of the pages' packages, by their folders: first lesson_00, lesson_01."""
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
    """Import this part of every page's package that has it.

    "pictures" brings the page's views and "puzzles" its puzzles; the package itself, part "",
    brings its encodings.
    """
    for page in pages():
        module = f"{LESSONS}.{page}.{part}" if part else f"{LESSONS}.{page}"
        if importlib.util.find_spec(module):
            importlib.import_module(module)


def place_at(module: str, line: int) -> str:
    """Return the words for a line of a module; a notebook's cell, which may run again, has none."""
    return module if module == "__main__" else f"{module}, line {line}"


def place_of(function: Callable) -> str:
    """Return where a function is from."""
    return place_at(function.__module__, function.__code__.co_firstlineno)


class Register(dict[str, Thing]):
    """Things by name, each name once; a name that isn't there is looked for in the pages' packages.

    Listed are only those that are loaded: whoever lists all calls `load` first.

    >>> birds = Register("bird", part="puzzles")
    >>> birds.add("owl", "hoo", place="here")
    >>> birds.add("owl", "whoo", place="there")
    Traceback (most recent call last):
    ValueError: a bird must have a name of its own: 'owl' is taken (here, and again in there)
    """

    def __init__(self, noun: str, part: str):
        self.noun, self.part = noun, part
        self._places: dict[str, str] = {}

    def add(self, name: str, thing: Thing, place: str) -> None:
        """Add a thing under its name; place says where it's from: what is loaded again is replaced.

        Raises:
            ValueError: something from elsewhere has this name.
        """
        first = self._places.get(name)
        if super().__contains__(name) and first != place:
            rule = f"every {self.noun} needs a unique name"
            raise ValueError(f"{rule}: {name!r} is taken ({first}, and again in {place})")
        self[name], self._places[name] = thing, place

    def load(self) -> "Register[Thing]":
        """Return the register with everything that the pages' packages add to it."""
        load(self.part)
        return self

    def __missing__(self, name: str) -> Thing:
        self.load()
        if super().__contains__(name):
            return self[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or dict.__contains__(self.load(), name)
