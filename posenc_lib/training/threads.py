"""One thread for small matrices: where cores are busy, several wait for each other and take ten times as long."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import numpy as np

NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads")


@contextmanager
def one_thread() -> Iterator[None]:
    """Let NumPy multiply matrices on one thread within, where it brings OpenBLAS; elsewhere nothing changes."""
    before = [(put, get()) for get, put in _libraries()]
    try:
        for put, _ in before:
            put(1)
        yield
    finally:
        for put, many in before:
            put(many)


@cache
def _libraries() -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    """Return what asks and what sets the number of threads of each OpenBLAS that NumPy's wheel has brought."""
    home, found = Path(np.__file__).parent, []
    for path in [*home.with_name("numpy.libs").glob("*openblas*"), *home.glob(".dylibs/*openblas*")]:
        for name in NAMES:
            with suppress(OSError, AttributeError):
                library = ctypes.CDLL(str(path))
                found.append(tuple(getattr(library, name.format(verb)) for verb in ("get", "set")))
                break
    return found
