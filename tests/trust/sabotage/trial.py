"""Calls that have a known fault each, to see that it is found."""

import os
import sys
import time
import warnings

import numpy as np

from .case import Case


def endless() -> None:
    while True:
        pass


def recursive() -> None:
    recursive()


def slow() -> None:
    end = time.process_time() + 2  # of CPU, on any machine
    while time.process_time() < end:
        pass


def refused(words: str) -> None:
    raise ValueError(words)


def huge() -> np.ndarray:
    return np.ones(10**9)


def failing() -> None:
    raise KeyError("runs")


# what is called, and with which word its fault begins; nothing where there is none
TRIALS = {
    "a good answer": (lambda: 4, ""),
    "a good refusal": (lambda: refused("base must be greater than 0, got -1"), ""),
    "a refusal that names nothing": (lambda: refused("must be greater than 0"), "names nothing"),
    "raw words": (lambda: refused("base: The truth value of an array …"), "raw words"),
    "an endless error": (lambda: refused("base " * 10_000), "endless error"),
    "a KeyError": (failing, "raw error"),
    "a recursion": (recursive, "raw error"),
    "an exit": (lambda: sys.exit(0), "raw error"),
    "no end": (endless, "late"),
    "too slow": (slow, "late"),
    "8 GB": (huge, "raw error"),
    "a warning": (lambda: warnings.warn("overflow", RuntimeWarning, stacklevel=2), "warning"),
    "NumPy's warning": (lambda: np.float64(1e308) * 10, "warning"),
    "a command": (lambda: os.system("true"), "code run"),
    "a file": (lambda: open("sabotaged", "w").close(), "code run"),
    "a folder": (lambda: os.mkdir("sabotaged too"), "code run"),
    "a process that ends": (lambda: os._exit(3), "raw error"),
    "a process that falls": (os.abort, "raw error"),
    "a good answer after all": (lambda: 4, ""),
}


def trial() -> list[Case]:
    """Return a case for each."""
    return [Case(what, call, ("base",)) for what, (call, _) in TRIALS.items()]
