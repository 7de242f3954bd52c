"""One record per encoding: what it is, what can be turned, and within which limits.

Explorers, figures, the scorecard and the tests all read this one place.
Adding an encoding is one function and one record.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from posenc_lib.encodings import absolute, counting, rotary, validate
from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.encodings.record import Encoding, Parameter


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
        table = counting.integer(positions, d_model) / (seq_len - endpoint)
    else:
        table = counting.normalized(positions, d_model, endpoint=endpoint)
    return table, table


def _learned(positions, seq_len: int, d_model: int, *, seed: int):
    table = absolute.learned(seq_len, d_model, rng=np.random.default_rng(seed))
    if isinstance(positions, np.ndarray):
        table = table[positions]
    return table, table


def _turned(positions, seq_len: int, head_dim: int, *, content: str, base: float, pairing: str):
    """Make the rows of RoPE: one query and one key, set down at every position and turned there."""
    head_dim = validate.whole("head_dim", head_dim, low=2, even=True)
    positions = validate.count_or_positions(positions, 2 * head_dim)
    turn = partial(rotary.rope, positions=positions, base=base, pairing=pairing)
    return tuple(turn(np.broadcast_to(x, (positions.size, head_dim))) for x in query_and_key(head_dim, content))


def query_and_key(head_dim: int, content: str) -> np.ndarray:
    """Return one query and one key, shape (2, head_dim): all ones, or drawn at random, always the same."""
    validate.choice("content", content, ("ones", "random"))
    drawn = np.random.default_rng(44).normal(size=(2, head_dim))  # a seed whose first two dims make a clear picture
    return np.ones((2, head_dim)) if content == "ones" else drawn


def _sine_waves(d_model: int, base, **rest):
    return absolute.sine_frequencies(d_model, base)


def _pairs(base, d_model: int = 0, head_dim: int = 0, **rest):
    return inv_freq(d_model or head_dim, base)


_SLOW_PAIR = {"x_dim": 16, "y_dim": 17, "z_dim": 20}  # of 64 dims: about one turn in 64 positions

_RECORDS = (
    Encoding(
        name="no_position",
        title="No position",
        kind="additive",
        function=counting.no_position,
        parameters=(_seq_len(16), _d_model(8, 64)),
        source="Kazemnejad et al. 2023 (NoPE)",
        rows=_same(counting.no_position),
    ),
    Encoding(
        name="integer",
        title="Integers",
        kind="additive",
        function=counting.integer,
        parameters=(_seq_len(16), _d_model(2, 64)),
        source="no paper: the first idea anyone has",
        rows=_same(counting.integer),
    ),
    Encoding(
        name="normalized",
        title="Fractions of the length",
        kind="additive",
        function=counting.normalized,
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
        function=counting.binary,
        parameters=(_seq_len(8), _d_model(3, 10)),
        source="no paper: the way computers count",
        rows=_same(counting.binary),
        limits=lambda values: {"seq_len": 2 ** values["d_model"]},
        continuous=False,
    ),
    Encoding(
        name="sine",
        title="Sines alone",
        kind="additive",
        function=absolute.sine,
        parameters=(_seq_len(32), _d_model(2, 64), _base(None, start=10_000.0)),
        source="no paper: the step between binary digits and Vaswani et al. 2017",
        rows=_same(absolute.sine),
        frequencies=_sine_waves,
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
        frequencies=_pairs,
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
        continuous=False,
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
        frequencies=_pairs,
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
