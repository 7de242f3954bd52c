"""How an encoding enters the tiny transformer, and which of its numbers are trained."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from posenc_lib.encodings.alibi import alibi
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.kerple import kerple
from posenc_lib.encodings.sinusoidal import sinusoidal
from posenc_lib.encodings.t5 import t5_bias, t5_bucket
from posenc_lib.lessons.training.trained_table import LENGTH

D_MODEL, HEADS = 32, 2
HEAD_DIM = D_MODEL // HEADS
BUCKETS = 32
# of tokens and learned rows: what the numbers of a sinusoidal row have, on average
SPREAD = 0.5**0.5


class Entered(NamedTuple):
    """What enters attention at one length; what an encoding does not use is None."""

    rows: np.ndarray | None = None  # (length, d_model), added to the tokens
    # complex, (length, head_dim/2): queries and keys are multiplied by it, pair by pair
    turn: np.ndarray | None = None
    bias: np.ndarray | None = None  # (heads, length, length), added to the scores


class Positions:
    """An encoding that enters nothing, of which nothing is trained; others say what differs."""

    longest = np.inf  # the longest text it says anything about

    def drawn(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Return the trained numbers as they are before training, by name."""
        return {}

    def enter(self, weights: dict, length: int, rope_type: str = "") -> Entered:
        """Return what enters attention, with these trained numbers."""
        return Entered()

    def back(self, weights: dict, drows: np.ndarray, dbias: np.ndarray) -> dict[str, np.ndarray]:
        """Return the gradients of the trained numbers, given those of what has entered."""
        return {}


class Fixed(Positions):
    """An encoding of which nothing is trained: made(length, rope_type) is what enters."""

    def __init__(self, made: Callable[[int, str], Entered]):
        self.made = cache(made)

    def enter(self, weights, length, rope_type=""):
        return self.made(length, rope_type)


class LearnedRows(Positions):
    """Rows that are trained, as many as a text of training has; at first as large as tokens are."""

    longest = LENGTH

    def drawn(self, rng):
        return {"rows": rng.normal(scale=SPREAD, size=(LENGTH, D_MODEL))}

    def enter(self, weights, length, rope_type=""):
        return Entered(rows=weights["rows"][:length])

    def back(self, weights, drows, dbias):
        return {"rows": drows}


class Buckets(Positions):
    """A trained number for each head and bucket of T5, alike in all layers, 0 before training."""

    def __init__(self, max_distance: int):
        self.how: dict[str, Any] = {"bidirectional": False, "max_distance": max_distance}

    def drawn(self, rng):
        return {"buckets": np.zeros((HEADS, BUCKETS))}

    def enter(self, weights, length, rope_type=""):
        return Entered(bias=t5_bias(weights["buckets"].T, length, **self.how))

    def back(self, weights, drows, dbias):
        offsets = -np.arange(dbias.shape[-1])
        buckets = t5_bucket(offsets, num_buckets=BUCKETS, **self.how).astype(np.intp)
        sums = [np.bincount(buckets, head, BUCKETS) for head in by_distance(dbias)]
        return {"buckets": np.array(sums, dbias.dtype)}


class Curves(Positions):
    """A curve of KERPLE for each head; logarithms of its two numbers are trained, 0 at first."""

    def drawn(self, rng):
        return {"a": np.zeros(HEADS), "p": np.zeros(HEADS)}

    def enter(self, weights, length, rope_type=""):
        return Entered(bias=kerple(np.exp(weights["a"]), np.exp(weights["p"]), length))

    def back(self, weights, drows, dbias):
        # of −p·log(1 + a·n), where d/d(log a) = a·d/da
        n, d = np.arange(dbias.shape[-1]), by_distance(dbias)
        a, p = (np.exp(weights[name])[:, None] for name in "ap")
        return {
            "a": (d * -p * a * n / (1 + a * n)).sum(axis=1),
            "p": (d * -p * np.log1p(a * n)).sum(axis=1),
        }


def by_distance(bias: np.ndarray) -> np.ndarray:
    """Return the sum over all pairs of query and key at each distance, shape (heads, n)."""
    return np.stack([np.trace(bias, -distance, 1, 2) for distance in range(bias.shape[-1])], axis=1)


def rotation(
    length: int, rope_type: str = "", base: float = 10000.0, turning: int = HEAD_DIM // 2
) -> Entered:
    """Return RoPE's turns, longer texts scaled as a rope_type says.

    So many of the fastest pairs are turning, all others stand still.
    """
    scaled = {}
    if rope_type:
        scaled = {"rope_type": rope_type, "factor": length / LENGTH, "trained": LENGTH}
    # each pair as the number 1: turned, it is the turn
    ones = np.tile([1.0, 0.0], (length, HEAD_DIM // 2))
    rope = ENCODINGS["rope"].at(seq_len=length, head_dim=HEAD_DIM, base=base, **scaled)
    turn = rope.rotate(ones, length).view(complex)
    turn[:, turning:] = 1
    return Entered(turn=turn)


POSITIONS: dict[str, Positions] = {
    "no_position": Positions(),
    "sinusoidal": Fixed(lambda length, _: Entered(rows=sinusoidal(length, D_MODEL))),
    "learned": LearnedRows(),
    "rope": Fixed(rotation),
    # of eight pairs two come round within 32 tokens at base 10 000, three at 100, six at 10
    "rope_10": Fixed(lambda length, _: rotation(length, base=10.0)),
    "rope_100": Fixed(lambda length, _: rotation(length, base=100.0)),
    # as at 10, but three pairs stand still
    "p_rope": Fixed(lambda length, _: rotation(length, base=10.0, turning=5)),
    "alibi": Fixed(lambda length, _: Entered(bias=alibi(HEADS, length))),
    # with the two steepest of eight heads' slopes, and with the steepest and the flattest:
    # those of two are nearly flat
    "alibi_steep": Fixed(lambda length, _: Entered(bias=alibi(8, length)[[0, 1]])),
    "alibi_mixed": Fixed(lambda length, _: Entered(bias=alibi(8, length)[[0, 7]])),
    # as T5 has them; those beyond 31 tokens stay as they were drawn, 0
    "t5": Buckets(max_distance=128),
    # all beyond the trained length reads the last bucket, which was trained
    "t5_near": Buckets(max_distance=LENGTH),
    "kerple": Curves(),
    "kerple_fixed": Fixed(
        lambda length, _: Entered(bias=kerple(np.ones(HEADS), np.ones(HEADS), length))
    ),
}
