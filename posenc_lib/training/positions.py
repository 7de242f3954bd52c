"""How an encoding enters the model, by its own methods, and which of its numbers are trained."""

from typing import NamedTuple

import numpy as np

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.kerple import kerple
from posenc_lib.encodings.offsets import relative_offsets

D_MODEL, HEADS = 32, 2
HEAD_DIM = D_MODEL // HEADS
LENGTH = 32  # of the texts that a model is trained on
SPREAD = 0.5**0.5  # of tokens and learned rows: what the numbers of a sinusoidal row have, on average


class Entered(NamedTuple):
    """What enters attention at one length; what an encoding does not use is None.

    rows: (length, d_model), added to the tokens. turn: complex, (length, head_dim/2), by which queries and keys are
    multiplied, pair by pair. bias: (heads, length, length), added to the scores.
    """

    rows: np.ndarray | None = None
    turn: np.ndarray | None = None
    bias: np.ndarray | None = None


class Positions:
    """How an encoding enters.

    Attributes of the class:
        trains: whether it has numbers that are trained; scales: whether a rope_type changes it.
    """

    trains = scales = False

    def __init__(self, encoding: Encoding):
        self.encoding = encoding

    def drawn(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Return the trained numbers as they are before training, by name."""
        return {}

    def reaches(self, length: int) -> bool:
        """Return whether it says anything about a text of this length."""
        return True

    def enter(self, weights: dict, length: int, rope_type: str = "") -> Entered:
        """Return what enters attention, with these trained numbers."""
        return Entered()

    def back(self, weights: dict, rows: np.ndarray | None, bias: np.ndarray | None) -> dict[str, np.ndarray]:
        """Return the gradients of the trained numbers, given those of what has entered."""
        return {}


class Added(Positions):
    """Rows of a fixed table."""

    def enter(self, weights, length, rope_type=""):
        return Entered(rows=self.encoding.at(seq_len=length, d_model=D_MODEL).table)


class Trained(Positions):
    """Rows that are trained, as many as a text of training has; at first as large as tokens are."""

    trains = True

    def drawn(self, rng):
        return {"rows": rng.normal(scale=SPREAD, size=(LENGTH, D_MODEL))}

    def reaches(self, length):
        return length <= LENGTH

    def enter(self, weights, length, rope_type=""):
        return Entered(rows=weights["rows"][:length])

    def back(self, weights, rows, bias):
        gradient = np.zeros_like(weights["rows"])
        gradient[: len(rows)] = rows
        return {"rows": gradient}


class Turned(Positions):
    """Queries and keys are turned, in longer texts as a rope_type says whose factor is length over trained length."""

    scales = True

    def enter(self, weights, length, rope_type=""):
        scaled = {"rope_type": rope_type, "factor": length / LENGTH, "trained": LENGTH} if rope_type else {}
        encoding = self.encoding.at(seq_len=length, head_dim=HEAD_DIM, **scaled)
        first = np.tile([1.0, 0.0], (length, HEAD_DIM // 2))  # each pair as the number 1: turned, it is the turn
        return Entered(turn=encoding.rotate(first, length).view(complex))


class Biased(Positions):
    """A number for each head and offset, untrained."""

    def enter(self, weights, length, rope_type=""):
        return Entered(bias=_matrix(self.encoding.at(num_heads=HEADS).biases(-np.arange(length))))


class Steep(Biased):
    """The same with the two steepest of eight heads' slopes, for those of two heads are nearly flat."""

    heads: tuple[int, ...] = (0, 1)

    def enter(self, weights, length, rope_type=""):
        return Entered(bias=_matrix(self.encoding.at(num_heads=8).biases(-np.arange(length))[list(self.heads)]))


class Mixed(Steep):
    """The same with the steepest and the flattest of eight heads' slopes."""

    heads = (0, 7)


class Buckets(Positions):
    """A trained number for each head and bucket, the same in all layers, 0 before training."""

    trains = True
    others: dict = {}  # noqa: RUF012

    def drawn(self, rng):
        return {"buckets": np.zeros((HEADS, self.encoding.num_buckets))}

    def _of(self, length: int) -> np.ndarray:
        return self.encoding.at(bidirectional=False, **self.others).buckets(-np.arange(length))

    def enter(self, weights, length, rope_type=""):
        return Entered(bias=_matrix(weights["buckets"][:, self._of(length)]))

    def back(self, weights, rows, bias):
        buckets, most = self._of(bias.shape[-1]), weights["buckets"].shape[1]
        summed = [np.bincount(buckets, head, most) for head in _by_distance(bias)]
        return {"buckets": np.array(summed, bias.dtype)}


class Curved(Positions):
    """A curve for each head whose two numbers are trained by their logarithms, the same in all layers; 1 at first."""

    trains = True

    def drawn(self, rng):
        return {"a": np.zeros(HEADS), "p": np.zeros(HEADS)}

    def enter(self, weights, length, rope_type=""):
        return Entered(bias=kerple(np.exp(weights["a"]), np.exp(weights["p"]), length))

    def back(self, weights, rows, bias):
        d, summed = np.arange(bias.shape[-1]), _by_distance(bias)
        a, p = np.exp(weights["a"])[:, None], np.exp(weights["p"])[:, None]  # −p·log(1 + a·d), and d/d(log a) = a·d/da
        return {"a": (summed * -p * a * d / (1 + a * d)).sum(axis=1), "p": (summed * -p * np.log1p(a * d)).sum(axis=1)}


class Fixed(Curved):
    """The same curve for both heads, whose numbers stay 1."""

    trains = False

    def drawn(self, rng):
        return {}

    def enter(self, weights, length, rope_type=""):
        return Entered(bias=kerple(np.ones(HEADS), np.ones(HEADS), length))

    def back(self, weights, rows, bias):
        return {}


class NearBuckets(Buckets):
    """The same where all that lies beyond the trained length reads the last bucket, so that each has been trained."""

    others = {"max_distance": LENGTH}  # noqa: RUF012


def _matrix(by_distance: np.ndarray) -> np.ndarray:
    """Return a bias for each query and key, shape (heads, n, n), of one for each distance; 0 for later keys."""
    distance = np.maximum(-relative_offsets(by_distance.shape[1]), 0)
    return np.tril(by_distance[:, distance])


def _by_distance(bias: np.ndarray) -> np.ndarray:
    """Return the sum over all pairs of query and key at each distance, shape (heads, n)."""
    return np.stack([np.trace(bias, -distance, 1, 2) for distance in range(bias.shape[-1])], axis=1)


WAYS: dict[str, type[Positions]] = {
    "no_position": Added,
    "sinusoidal": Added,
    "learned": Trained,
    "rope": Turned,
    "alibi": Biased,
    "alibi_steep": Steep,
    "alibi_mixed": Mixed,
    "t5": Buckets,  # 32 buckets up to 128 tokens, as T5 has them: those beyond 31 tokens stay as they were drawn, 0
    "t5_near": NearBuckets,
    "kerple": Curved,
    "kerple_fixed": Fixed,
}


def positions(name: str) -> Positions:
    """Return how an encoding of the catalog enters the model."""
    own = next(one for one in ENCODINGS if name == one or name.startswith(f"{one}_"))
    return WAYS[name](ENCODINGS[own])
