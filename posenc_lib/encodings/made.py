"""Encodings made on demand: real heads and shipped models."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache

from posenc_lib.encodings.base import Encoding


class Made(Mapping[str, Encoding]):
    """Encodings by name, each made the first time it's needed."""

    def __init__(
        self, names: Callable[[], Collection[str]], make: Callable[[str], Encoding]
    ) -> None:
        self._names, self._make = names, cache(make)

    def __getitem__(self, name: str) -> Encoding:
        if name not in self._names():
            raise KeyError(name)
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())
