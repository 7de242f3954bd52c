"""How an encoding enters a layer of the tiny transformer, and which of its numbers are trained."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from posenc_lib.encodings.base import Additive, Encoding, Rotary
from posenc_lib.encodings.kerple import kerple
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.t5 import t5_bias, t5_bucket
from posenc_lib.lessons.training.trained_table import LENGTH

BUCKETS = 32
# The spread of token vectors before training. A sinusoidal row has the same, on average.
SPREAD = 0.5**0.5
SMALL = 0.02  # how GPT-2 starts its table


class Size(NamedTuple):
    """How large a model is."""

    d_model: int = 32
    heads: int = 2
    head_dim: int = 16
    hidden: int = 64


USUAL = Size()


class Entered(NamedTuple):
    """What enters a layer's attention at one length. What an encoding doesn't use is None."""

    rows: np.ndarray | None = None  # (length, d_model), added to the tokens before the first layer
    # complex, (length, head_dim/2): each pair of a query or key is multiplied by it
    turn: np.ndarray | None = None
    bias: np.ndarray | None = None  # (heads or 1, length, length), added to the scores
    # (length, head_dim): a query's product with the vector of each distance is added to its scores
    vectors: np.ndarray | None = None


class Positions:
    """No positions, and nothing to train. Subclasses say what differs."""

    kind = ""  # as in `Encoding`
    longest = np.inf  # the longest text it has positions for

    def drawn(self, rng: np.random.Generator, size: Size) -> dict[str, np.ndarray]:
        """Return its trained numbers as they are before training, by name."""
        return {}

    def enter(self, weights: dict, length: int, size: Size, rope_type: str = "") -> Entered:
        """Return what enters attention. With a rope_type, RoPE is scaled to this length."""
        return Entered()

    def back(self, weights: dict, d: Entered) -> dict[str, np.ndarray]:
        """Return the gradients of its trained numbers, from those of what entered."""
        return {}


class Fixed(Positions):
    """An Additive, Rotary, or Bias without trained numbers, yours included.

    Its own methods say what enters.

    d_model, head_dim and num_heads become those of the model. `heads` picks some of its heads.
    """

    def __init__(self, encoding: Encoding, heads: tuple[int, ...] = ()):
        self.encoding, self.heads, self.kind = encoding, heads, encoding.kind
        self.longest = encoding.highest.get("seq_len", np.inf)
        self._entered = cache(self._enter)

    def enter(self, weights, length, size, rope_type=""):
        return self._entered(length, size, rope_type)

    def sized(self, length: int, size: Size, rope_type: str = "") -> Encoding:
        """Return the encoding for a text of this length, with the model's widths."""
        values: dict[str, Any] = {"d_model": size.d_model, "head_dim": size.head_dim}
        if not self.heads:
            values["num_heads"] = size.heads
        if rope_type:
            values |= {"rope_type": rope_type, "factor": length / LENGTH, "trained": LENGTH}
        known = {name: value for name, value in values.items() if name in self.encoding.values}
        return self.encoding.at(seq_len=length, **known)

    def each_head(self, encoding: Encoding) -> list[Encoding]:
        """Return an encoding once for each of the heads it has, or those picked."""
        if "head" not in encoding.values:
            return [encoding]
        heads = self.heads or range(encoding.highest["head"] + 1)
        return [encoding.at(head=head) for head in heads]

    def _enter(self, length: int, size: Size, rope_type: str) -> Entered:
        encoding = self.sized(length, size, rope_type)
        if isinstance(encoding, Additive):
            return Entered(rows=_rows(encoding, size))
        if isinstance(encoding, Rotary):
            return Entered(turn=_turn(encoding, size))
        return Entered(bias=_bias(self.each_head(encoding), size))


def _rows(encoding: Additive, size: Size) -> np.ndarray:
    """Return what an encoding adds to the tokens."""
    if encoding.num_dims != size.d_model:
        rule = f"encoding must have {size.d_model} dims, like the model's tokens"
        raise ValueError(f"{rule}, got {encoding.num_dims}")
    return encoding.table


def _turn(encoding: Rotary, size: Size) -> np.ndarray:
    """Return the complex number an encoding multiplies each pair by, at each position."""
    length, pairs = encoding.seq_len, np.arange(len(encoding.frequencies))
    if 2 * len(pairs) > size.head_dim:
        rule = f"frequencies must have at most {size.head_dim // 2} entries, one for each pair"
        raise ValueError(f"{rule}, got {len(pairs)}")
    real, imaginary = encoding.pair_dims(pairs)
    ones = np.zeros((length, size.head_dim))
    ones[:, real] = 1
    rotated = encoding.rotate(ones, np.arange(length))
    turn = np.ones((length, size.head_dim // 2), complex)
    turn[:, pairs] = rotated[:, real] + 1j * rotated[:, imaginary]

    def rotate(x):
        z = (x[:, real] + 1j * x[:, imaginary]) * turn[:, pairs]
        x = x.copy()
        x[:, real], x[:, imaginary] = z.real, z.imag
        return x

    q, k = np.random.default_rng(0).normal(size=(2, length, size.head_dim))
    scores, bias = encoding.scores_and_bias(q, k)
    if not np.allclose(scores + bias, rotate(q) @ rotate(k).T):
        rule = (
            "encoding must multiply each pair of q and k by the same complex number to be trained"
        )
        raise ValueError(f"{rule}, which {encoding.name or type(encoding).__name__} doesn't")
    return turn


def _bias(heads: list, size: Size) -> np.ndarray:
    """Return what each head of an encoding adds to the scores."""
    if len(heads) not in (1, size.heads):
        rule = f"biases must have 1 or {size.heads} heads, like the model"
        raise ValueError(f"{rule}, got {len(heads)}")
    zeros = np.zeros((heads[0].seq_len, size.head_dim))
    return np.stack([head.relate(zeros, zeros)["bias"] for head in heads])


class Window(Positions):
    """Another encoding in a layer that sees only the last few tokens. It's never scaled."""

    def __init__(self, width: int, inside: Positions):
        self.width, self.inside = width, inside

    def enter(self, weights, length, size, rope_type=""):
        entered = self.inside.enter(weights, length, size)
        hidden = np.where(-relative_offsets(length) < self.width, 0.0, -np.inf)
        return entered._replace(bias=hidden[None])


class LearnedRows(Positions):
    """A trained table with a row for each position of the training texts."""

    kind = "additive"
    longest = LENGTH

    def __init__(self, spread: float = SPREAD):
        self.spread = spread

    def drawn(self, rng, size):
        return {"rows": rng.normal(scale=self.spread, size=(LENGTH, size.d_model))}

    def enter(self, weights, length, size, rope_type=""):
        return Entered(rows=weights["rows"][:length])

    def back(self, weights, d):
        return {"rows": d.rows}


class Buckets(Positions):
    """T5's trained number for each head and bucket, the same in all layers, 0 before training."""

    kind = "bias"

    def __init__(self, max_distance: int):
        self.how: dict[str, Any] = {"bidirectional": False, "max_distance": max_distance}

    def drawn(self, rng, size):
        return {"buckets": np.zeros((size.heads, BUCKETS))}

    def enter(self, weights, length, size, rope_type=""):
        return Entered(bias=t5_bias(weights["buckets"].T, length, **self.how))

    def back(self, weights, d):
        offsets = -np.arange(d.bias.shape[-1])
        buckets = t5_bucket(offsets, num_buckets=BUCKETS, **self.how).astype(np.intp)
        sums = [np.bincount(buckets, head, BUCKETS) for head in by_distance(d.bias)]
        return {"buckets": np.array(sums, d.bias.dtype)}


class Curves(Positions):
    """KERPLE's curve for each head. The logs of its two numbers are trained, 0 at first."""

    kind = "bias"

    def drawn(self, rng, size):
        return {"a": np.zeros(size.heads), "p": np.zeros(size.heads)}

    def enter(self, weights, length, size, rope_type=""):
        return Entered(bias=kerple(np.exp(weights["a"]), np.exp(weights["p"]), length))

    def back(self, weights, d):
        # of −p·log(1 + a·n), where d/d(log a) = a·d/da
        n, by_n = np.arange(d.bias.shape[-1]), by_distance(d.bias)
        a, p = (np.exp(weights[name])[:, None] for name in "ap")
        return {
            "a": (by_n * -p * a * n / (1 + a * n)).sum(axis=1),
            "p": (by_n * -p * np.log1p(a * n)).sum(axis=1),
        }


class Vectors(Positions):
    """Shaw's trained vector for each clipped distance, the same in all heads and layers."""

    kind = "relative"

    def __init__(self, clip: int):
        self.clip = clip

    def drawn(self, rng, size):
        return {"vectors": np.zeros((self.clip + 1, size.head_dim))}

    def enter(self, weights, length, size, rope_type=""):
        return Entered(vectors=weights["vectors"][np.minimum(np.arange(length), self.clip)])

    def back(self, weights, d):
        clipped = d.vectors[: self.clip + 1].copy()
        clipped[-1] += d.vectors[self.clip + 1 :].sum(axis=0)
        return {"vectors": clipped}


def by_distance(bias: np.ndarray) -> np.ndarray:
    """Return the sum over all pairs of query and key at each distance, shape (heads, n)."""
    return np.stack([np.trace(bias, -distance, 1, 2) for distance in range(bias.shape[-1])], axis=1)
