"""All encodings, in the order of the lessons; explorers, figures, the scorecard and the tests read these lists.

Each encoding has a file of its own in this folder, with its functions, parameters and limits, and is found there.
"""

import importlib
import pkgutil
from collections import ChainMap
from pathlib import Path

from posenc_lib import encodings
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.cases import CASES
from posenc_lib.encodings.models import SHIPPED
from posenc_lib.encodings.real_heads import REAL_HEADS


def _found() -> list[Encoding]:
    """Return every encoding that a file of this folder defines, at its defaults."""
    names = [
        f"{encodings.__name__}.{module.name}" for module in pkgutil.iter_modules(encodings.__path__)
    ]
    classes = {
        one
        for name in names
        for one in vars(importlib.import_module(name)).values()
        if isinstance(one, type)
    }
    made = [one() for one in classes if issubclass(one, Encoding) and one.name]
    return sorted(made, key=lambda one: (one.lesson, one.name))


FOUND = {one.name: one for one in _found()}
ENCODINGS: dict[str, Encoding] = {name: one for name, one in FOUND.items() if one.of_text}
ELSEWHERE: dict[str, Encoding] = {
    name: one for name, one in FOUND.items() if not one.of_text
}  # in pictures, in space
KNOWN: ChainMap[str, Encoding] = ChainMap(
    REAL_HEADS, SHIPPED, ELSEWHERE, ENCODINGS
)  # what is right
NAMED: ChainMap[str, Encoding] = ChainMap(CASES, *KNOWN.maps)  # all that a line may name


def last_lesson() -> int:
    """Return the number of the last lesson: of the last lesson_NN among the lessons' packages."""
    lessons = Path(__file__).parents[1] / "lessons"
    found = pkgutil.iter_modules([str(lessons), str(lessons / "puzzles")])
    names = [module.name for module in found if module.name.startswith("lesson_")]
    return max(int(name.removeprefix("lesson_")) for name in names)
