"""All encodings, in the order of the lessons.

Explorers, figures, the scorecard and the tests read these lists. Each encoding has a file of its
own in this folder, with its functions, parameters and limits, and is found there.
"""

import importlib
import pkgutil
from collections import ChainMap

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


def _by_name(found: list[Encoding]) -> dict[str, Encoding]:
    """Return encodings by name, or refuse a name that two of them have."""
    named: dict[str, Encoding] = {}
    for encoding in found:
        first = named.setdefault(encoding.name, encoding)
        if first is not encoding:
            both = [f"{kind.__module__}.{kind.__name__}" for kind in map(type, (first, encoding))]
            rule = "name must be that of one encoding"
            raise ValueError(f"{rule}, got {encoding.name!r} for {' and '.join(both)}")
    return named


FOUND = _by_name(_found())
ENCODINGS: dict[str, Encoding] = {name: one for name, one in FOUND.items() if one.of_text}
ELSEWHERE: dict[str, Encoding] = {
    name: one for name, one in FOUND.items() if not one.of_text
}  # in pictures, in space
KNOWN: ChainMap[str, Encoding] = ChainMap(
    REAL_HEADS, SHIPPED, ELSEWHERE, ENCODINGS
)  # what is right
NAMED: ChainMap[str, Encoding] = ChainMap(CASES, *KNOWN.maps)  # all that a line may name
