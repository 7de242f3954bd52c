"""One record per encoding: what it is, what can be turned, and within which limits.

Explorers, figures, the scorecard and the tests all read this one place.
Adding an encoding is one function and one record.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from posenc_lib.encodings import absolute, rotary, validate


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
    value that other values leave to a parameter, by name. shown holds what the views begin with where
    their own defaults would miss the point: sinusoidal dims 0 and 1 do not feel the base, 16 and 17 do.
    """

    name: str
    title: str
    kind: str
    function: Callable
    parameters: tuple[Parameter, ...]
    source: str
    rows: Callable
    limits: Callable = lambda values: {}
    shown: dict = field(default_factory=dict)

    @property
    def defaults(self) -> dict:
        """Return the default of every parameter, by name."""
        return {p.name: p.default for p in self.parameters}

    @property
    def width(self) -> str:
        """Return the name of the parameter that says how many dims there are."""
        return "head_dim" if self.kind == "rotary" else "d_model"

    def tables(self, **parameters) -> tuple[np.ndarray, np.ndarray]:
        """Return (queries, keys) for the positions 0 … seq_len − 1."""
        return self.rows(parameters["seq_len"], **parameters)


def _seq_len(default: int) -> Parameter:
    return Parameter("seq_len", "how many positions", default, 2, 256, least=1)


def _d_model(default: int, high: int) -> Parameter:
    return Parameter("d_model", "how many dims each position has", default, 2, high, least=1, most=1024)


def _base(default, start=None) -> Parameter:
    meaning = "how far apart the wavelengths lie"
    return Parameter("base", meaning, default, 2, 1e6, 0.05, "log", start=start, least=1e-6, most=1e12)


def _even(default: int, name: str) -> Parameter:
    return Parameter(name, "how many dims each position has", default, 2, 512, 2, "power of two", least=2, most=1024)


def _same(function: Callable) -> Callable:
    """Make the rows of an additive encoding: one table, read by queries and keys alike."""

    def rows(positions, seq_len, d_model, **rest):
        table = function(positions, d_model, **rest)
        return table, table

    return rows


def _normalized(positions, seq_len: int, d_model: int, *, endpoint: bool):
    if isinstance(positions, np.ndarray):  # any position of a sequence of this length
        table = absolute.integer(positions, d_model) / (seq_len - endpoint)
    else:
        table = absolute.normalized(positions, d_model, endpoint=endpoint)
    return table, table


def _learned(positions, seq_len: int, d_model: int, *, seed: int):
    table = absolute.learned(seq_len, d_model, rng=np.random.default_rng(seed))
    if isinstance(positions, np.ndarray):
        table = table[positions]
    return table, table


def _turned(positions, seq_len: int, head_dim: int, *, content: str, base: float, pairing: str):
    """Make the rows of RoPE: one query and one key, set down at every position and turned there."""
    head_dim = validate.whole("head_dim", head_dim, low=2, even=True)
    validate.choice("content", content, ("ones", "random"))
    positions = validate.count_or_positions(positions, 2 * head_dim)
    qk = np.ones((2, head_dim)) if content == "ones" else np.random.default_rng(0).normal(size=(2, head_dim))
    turn = partial(rotary.rope, positions=positions, base=base, pairing=pairing)
    return tuple(turn(np.broadcast_to(x, (positions.size, head_dim))) for x in qk)


_SLOW_PAIR = {"x_dim": 16, "y_dim": 17, "z_dim": 20}  # of 64 dims: about one turn in 64 positions

_RECORDS = (
    Encoding(
        name="integer",
        title="Integers",
        kind="additive",
        function=absolute.integer,
        parameters=(_seq_len(16), _d_model(2, 64)),
        source="no paper: the first idea anyone has",
        rows=_same(absolute.integer),
    ),
    Encoding(
        name="normalized",
        title="Fractions of the length",
        kind="additive",
        function=absolute.normalized,
        parameters=(
            _seq_len(16),
            _d_model(2, 64),
            Parameter("endpoint", "whether the last position reaches 1", False, options=(False, True)),
        ),
        source="no paper: the second idea anyone has",
        rows=_normalized,
    ),
    Encoding(
        name="binary",
        title="Binary digits",
        kind="additive",
        function=absolute.binary,
        parameters=(_seq_len(8), _d_model(3, 10)),
        source="no paper: the way computers count",
        rows=_same(absolute.binary),
        limits=lambda values: {"seq_len": 2 ** values["d_model"]},
    ),
    Encoding(
        name="sine",
        title="Sines alone",
        kind="additive",
        function=absolute.sine,
        parameters=(_seq_len(32), _d_model(2, 64), _base(None, start=10_000.0)),
        source="no paper: the step between binary digits and Vaswani et al. 2017",
        rows=_same(absolute.sine),
    ),
    Encoding(
        name="sinusoidal",
        title="Sinusoidal",
        kind="additive",
        function=absolute.sinusoidal,
        parameters=(
            _seq_len(64),
            _even(64, "d_model"),
            _base(10_000.0),
            Parameter("layout", "where the cosines stand", "interleaved", options=absolute.LAYOUTS),
        ),
        source="Vaswani et al. 2017, Attention Is All You Need, section 3.5",
        rows=_same(absolute.sinusoidal),
        shown=_SLOW_PAIR,
    ),
    Encoding(
        name="learned",
        title="Learned table, untrained",
        kind="additive",
        function=absolute.learned,
        parameters=(_seq_len(64), _d_model(64, 512), Parameter("seed", "which random draw", 0, 0, 99)),
        source="Devlin et al. 2019, BERT",
        rows=_learned,
    ),
    Encoding(
        name="rope",
        title="Rotary (RoPE)",
        kind="rotary",
        function=rotary.rope,
        parameters=(
            _seq_len(64),
            _even(64, "head_dim"),
            _base(10_000.0),
            Parameter("pairing", "which dims turn together", "interleaved", options=rotary.PAIRINGS),
            Parameter("content", "the query and the key that are turned", "ones", options=("ones", "random")),
        ),
        source="Su et al. 2021, RoFormer, section 3.2",
        rows=_turned,
        shown=_SLOW_PAIR,
    ),
)

ENCODINGS: dict[str, Encoding] = {record.name: record for record in _RECORDS}


def encoding(name: str) -> Encoding:
    """Return the record of an encoding by name.

    Raises:
        ValueError: there is no such encoding; the message lists those there are.
    """
    validate.choice("name", name, tuple(ENCODINGS))
    return ENCODINGS[name]
