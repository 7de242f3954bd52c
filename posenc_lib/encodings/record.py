"""What the catalog holds: one record per encoding, and the parameters that a reader can turn."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Parameter:
    """Something a reader can turn.

    A number has low, high, step and a scale: "linear", "log" or "power of two"; a reader may ask for
    another range within least … most. A choice has options instead. A default of None leaves a number
    fixed at None until somebody asks for a slider, which then begins at `start`. Where other values leave
    less room than a number needs, it goes to its fallback, or as far as it can.
    """

    name: str
    help: str
    default: object
    low: float = 0
    high: float = 0
    step: float = 1
    scale: str = "linear"
    options: tuple = ()
    start: float | None = None
    least: float = 0
    most: float = 4096
    fallback: float | None = None

    def usual(self, value) -> bool:
        """Return whether a value goes without saying: a choice left as it was, or a number nobody asked for."""
        return value is None or (bool(self.options) and value == self.default)

    def within(self, value: float, limit: float) -> float:
        """Return value, or where it goes if it is beyond the limit."""
        if value <= limit:
            return value
        return limit if self.fallback is None else min(self.fallback, limit)


@dataclass(frozen=True)
class Encoding:
    """An encoding as the rest of the library sees it.

    rows(positions, **parameters) returns (queries, keys), two arrays of shape (number of positions, d): what
    stands at each position when it asks and when it is asked. An additive encoding gives its rows twice; a
    rotary one gives one chosen query and key, turned at each position. limits(values) returns the highest
    value that other values leave to a parameter, by name. frequencies(**parameters) returns how fast each of
    its waves turns, for those that have waves; continuous says whether there is a position 1.5. shown holds
    what the views begin with where their own defaults would miss the point: sinusoidal dims 0 and 1 do not
    feel the base, 16 and 17 do.
    """

    name: str
    title: str
    kind: str
    function: Callable
    parameters: tuple[Parameter, ...]
    source: str
    rows: Callable
    limits: Callable = lambda values: {}
    frequencies: Callable | None = None
    continuous: bool = True
    shown: dict = field(default_factory=dict)

    @property
    def defaults(self) -> dict:
        """Return the default of every parameter, by name."""
        return {p.name: p.default for p in self.parameters}

    @property
    def width(self) -> str:
        """Return the name of the parameter that says how many dims there are."""
        return "head_dim" if self.kind == "rotary" else "d_model"

    @property
    def gives(self) -> set[str]:
        """Return what views can be fed from: a table always, some also waves or a rotation."""
        return {"table", self.kind} | ({"waves"} if self.frequencies else set())

    def tables(self, **parameters) -> tuple[np.ndarray, np.ndarray]:
        """Return (queries, keys) for the positions 0 … seq_len − 1."""
        return self.rows(parameters["seq_len"], **parameters)
