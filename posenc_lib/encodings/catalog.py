"""All encodings, in the order of the lessons.

Explorers, figures, the scorecard and the tests read these lists. An encoding's file in this folder
has its functions, parameters and highest values. Encodings only one page needs, a real model's
heads and the clinic's cases, come with that page's package.
"""

import importlib
import pkgutil
from collections import ChainMap
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import FunctionType

from posenc_lib import encodings
from posenc_lib.encodings import register
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.models import SHIPPED


def _found() -> list[Encoding]:
    """Return every encoding defined in this folder, with its default values."""
    kinds: set[type] = set()
    for found in pkgutil.iter_modules(encodings.__path__):
        module = importlib.import_module(f"{encodings.__name__}.{found.name}")
        kinds |= {kind for kind in vars(module).values() if isinstance(kind, type)}
    made = [kind() for kind in kinds if issubclass(kind, Encoding) and kind.name]
    return sorted(made, key=lambda encoding: (encoding.lesson, encoding.name))


class Catalog(ChainMap[str, Encoding]):
    """Encodings by name, from several maps in order.

    A name none of them has is looked up in the pages' packages.
    """

    def include(self, encodings: Mapping[str, Encoding]) -> None:
        """Add the encodings of a page.

        Raises:
            ValueError: a name is taken.
        """
        for name in encodings:
            if any(name in known for known in self.maps):
                raise ValueError(f"every encoding needs a unique name: {name!r} is taken")
        self.maps.append(encodings)  # type: ignore[arg-type]

    def load(self) -> "Catalog":
        """Return the catalog, with the encodings of all pages.

        Raises:
            ValueError: an encoding has the name of a shipped model.
        """
        register.load()
        for name in FOUND.keys() & set(SHIPPED):
            raise ValueError(f"name must be unique, but {name!r} is also a model")
        return self

    def __missing__(self, name: str) -> Encoding:
        for known in self.load().maps:
            if name in known:
                return known[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        if any(name in known for known in self.maps):
            return True
        return any(name in known for known in self.load().maps)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for known in self.maps for name in known))


def _by_name(found: list[Encoding]) -> dict[str, Encoding]:
    """Return encodings by name, or refuse a name that's used twice."""
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
# in pictures, in space
ELSEWHERE: dict[str, Encoding] = {name: one for name, one in FOUND.items() if not one.of_text}
KNOWN = Catalog(ENCODINGS, ELSEWHERE, SHIPPED)  # correct ones
NAMED = Catalog(KNOWN)  # everything a line can name, including the clinic's cases


def meaning(need: str) -> str:
    """Return a view's need in words, taken from the first encoding that describes it."""
    known = NAMED.load().values()
    for parameter in (p for encoding in known for p in encoding.parameters):
        if parameter.name == need:
            return f"a parameter {need} ({parameter.help})"
    for kind in (kind for encoding in known for kind in type(encoding).mro()):
        method = vars(kind).get(need)
        if isinstance(method, (FunctionType, property, cached_property)) and method.__doc__:
            words = method.__doc__.partition("\n")[0].rstrip(".:").removeprefix("Return ")
            return f"{need} ({words[:1].lower()}{words[1:]})"
    return need
