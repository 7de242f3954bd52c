"""The best head that reads positions only: which scores an encoding lets it give, and what becomes of them beyond.

A head that knows nothing but the distance Δ between a query and a key gives the score s(Δ) = w·φ(Δ). The encoding
says what φ can be, training chooses w. To look k tokens back is a convex aim, so there is one best w: no seed, no
training noise. Run on a longer text, with the same w, the head shows what its encoding does there.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import catalog, validate
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.newton import least

Floats = npt.NDArray[np.float64]

ANYWHERE = "anywhere"


@dataclass(frozen=True)
class ExactHead:
    """The best head of an encoding for one aim; made by `exact_head`.

    Attributes:
        encoding: at the length that the head was fitted on.
        look_back: k, or "anywhere".
        weights: w, shape (features,), or (d, d) for a table.
    """

    encoding: Encoding
    look_back: int | str
    weights: Floats

    def score(self, length: int, inv_freq: npt.ArrayLike | None = None) -> Floats:
        """Return the score of each distance 0 … length − 1 for the last query of a text.

        Args:
            length: how many tokens the text has, at least 1.
            inv_freq: frequencies that a rotary encoding turns by there, if they are others than those of the fit.

        Returns: float64 array of shape (length,).
        """
        length = validate.integer("length", length)
        if _is_table(self.encoding):
            _no_frequencies(self.encoding, inv_freq)
            longer = self.encoding.at(seq_len=length)
            if length > longer.max_positions:
                raise ValueError(f"length must be at most {longer.max_positions}, where the table ends, got {length}")
            rows = longer.queries_and_keys(length)[0].astype(np.float64)
            return (rows @ (rows[-1] @ self.weights))[::-1]
        return features(self.encoding, length, inv_freq) @ self.weights

    def attention(self, length: int, inv_freq: npt.ArrayLike | None = None) -> Floats:
        """Return the attention of the last token of a text, key by key, shape (length,); arguments as in `score`."""
        return softmax(self.score(length, inv_freq))[::-1]

    def mass(self, length: int, inv_freq: npt.ArrayLike | None = None) -> float:
        """Return the attention of the last token on the right key, 0 … 1; arguments as in `score`."""
        if self.look_back == ANYWHERE:
            raise ValueError("look_back must be a number of tokens where one key is the right one, got 'anywhere'")
        if validate.integer("length", length) <= self.look_back:
            raise ValueError(f"length must be greater than look_back, {self.look_back}, got {length}")
        return float(softmax(self.score(length, inv_freq))[self.look_back])


def exact_head(
    encoding: str | Encoding, *, look_back: int | str, seq_len: int, ridge: float = 1e-3, **parameters
) -> ExactHead:
    """Return the head of an encoding that best looks k tokens back, or cares least about distance.

    It sees positions only, no words. For k it minimises the mean, over the queries k … seq_len − 1 of a causal text, of
    −log(attention on the token k before) + (ridge/2)·|w|², without a division by √d. For "anywhere" it minimises the
    mean of (s(Δ) − 1)² over Δ = 0 … seq_len − 1, + ridge·|w|²: a head that goes by content must score all alike.

    >>> head = exact_head("rope", look_back=3, seq_len=64, head_dim=16)
    >>> round(head.mass(64), 2), round(head.mass(256), 2)
    (0.97, 0.64)

    Args:
        encoding: a name of the catalog, or an object. φ(Δ) is cos and sin of Δθ for a rotary one (times its decay, if
            it has one), a feature for each bucket where there are buckets, else the bias of its first head as such,
            scaled to −1 at Δ = 1; a table has p_iᵀ W p_j with every entry of W free. FIRE looks at the query's place,
            too, CoPE and Transformer-XL at words: they have no scores of Δ alone.
        look_back: k, from 0 to seq_len − 1, or "anywhere" for encodings whose scores depend on the distance alone.
        seq_len: how many tokens the texts of the fit have.
        ridge: above 0; smaller allows a sharper head.
        **parameters: of the encoding, if it is given by its name.

    Returns: an `ExactHead`; .mass(length), .attention(length) and .score(length) run it on texts of other lengths.
    Source: multinomial logistic regression with a ridge; Newton's method, as in Boyd & Vandenberghe 2004, section 9.5.
    """
    seq_len = validate.integer("seq_len", seq_len)
    ridge = validate.real("ridge", ridge, above=0)
    if isinstance(encoding, str):
        encoding = catalog.ENCODINGS[validate.known("encoding", encoding, catalog.ENCODINGS)].at(**parameters)
    elif parameters:
        raise TypeError(f"encoding must be a name where parameters are given, got {validate.show(encoding)}")
    if not isinstance(encoding, Encoding):
        raise TypeError(f"encoding must be a name or an encoding object, got {validate.show(encoding)}")
    validate.size("seq_len", (seq_len, seq_len if _is_table(encoding) else 2 * encoding.num_dims))
    encoding = encoding.at(seq_len=seq_len)
    encoding.check()
    if look_back == ANYWHERE and isinstance(look_back, str):
        if _is_table(encoding):
            raise ValueError(
                f"look_back must be a number for a table, whose scores are not of the distance, got {ANYWHERE!r}"
            )
        return ExactHead(encoding, ANYWHERE, _alike(features(encoding, seq_len), ridge))
    if isinstance(look_back, str):
        raise ValueError(f"look_back must be a number of tokens or 'anywhere', got {validate.show(look_back)}")
    look_back = validate.integer("look_back", look_back, low=0, high=seq_len - 1)
    if _is_table(encoding):
        return ExactHead(encoding, look_back, least(_ByTable(encoding, look_back, ridge)))
    return ExactHead(encoding, look_back, least(_ByDistance(features(encoding, seq_len), look_back, ridge)))


def features(encoding: Encoding, length: int, inv_freq: npt.ArrayLike | None = None) -> Floats:
    """Return φ(Δ) for each distance Δ = 0 … length − 1 to an earlier key, shape (length, features)."""
    back = np.arange(length)
    if encoding.has("frequencies") and encoding.kind == "rotary":
        theta = encoding.frequencies if inv_freq is None else validate.array("inv_freq", inv_freq, ndim=1)
        if len(theta) != len(encoding.frequencies):
            raise ValueError(f"inv_freq must have {len(encoding.frequencies)} entries, got {len(theta)}")
        waves = _waves(length, theta.astype(np.float64).tobytes())
        return waves * np.tile(encoding.decay(back), 2) if encoding.has("decay") else waves
    _no_frequencies(encoding, inv_freq)
    if encoding.has("buckets"):
        return np.eye(int(encoding.buckets(np.array([-(10**6), 0, 10**6])).max()) + 1)[encoding.buckets(-back)]
    if encoding.has("biases"):
        bias = encoding.biases(np.minimum(-np.arange(max(length, 2)), 0))[0]
        return (bias / np.abs(bias[1] - bias[0] or 1.0))[:length, None]
    raise ValueError(f"encoding must have scores that a head can learn by position, got {encoding.name or encoding!r}")


@lru_cache(3)
def _waves(length: int, theta: bytes) -> Floats:
    angles = np.multiply.outer(np.arange(length), np.frombuffer(theta))
    waves = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    waves.setflags(write=False)
    return waves


def _is_table(encoding: Encoding) -> bool:
    return encoding.kind == "additive"


def _no_frequencies(encoding: Encoding, inv_freq) -> None:
    if inv_freq is not None:
        raise ValueError(f"inv_freq must be None for an encoding that turns nothing, got one for {encoding.name}")


def _alike(phi: Floats, ridge: float) -> Floats:
    """Return the w that makes all scores as near to 1 as the ridge allows."""
    n, many = phi.shape
    return np.linalg.solve(phi.T @ phi / n + ridge * np.eye(many), phi.mean(axis=0))


class _ByDistance:
    """The mean loss of heads whose scores depend on the distance: running sums stand for the L × L matrix."""

    def __init__(self, phi: Floats, look_back: int, ridge: float):
        self.phi, self.k, self.ridge, self.shape = phi, look_back, ridge, phi.shape[1:]

    def at(self, w: Floats) -> tuple[float, Floats]:
        s = self.phi @ w
        totals = np.logaddexp.accumulate(s)[self.k :]  # log of the sum of each row's weights
        rows = len(totals)
        reached = np.logaddexp.accumulate(-totals[::-1])[::-1]  # of 1/sum, over this row and all later ones
        first = np.concatenate([np.full(self.k, reached[0]), reached])
        self.mean = np.exp(s + first) / rows  # the attention of each distance, mean over rows
        self.s, self.totals = s, totals
        gradient = self.phi.T @ self.mean - self.phi[self.k] + self.ridge * w
        return float(totals.mean() - s[self.k] + self.ridge / 2 * w @ w), gradient

    def newton(self, gradient: Floats) -> Floats:
        """Return H⁻¹·gradient: H is the mean over rows of the covariance of φ under the row's attention."""
        high = self.s.max()
        sums = np.cumsum(np.exp(self.s - high)[:, None] * self.phi, axis=0)[self.k :]
        expected = sums * np.exp(np.minimum(high - self.totals, 700.0))[:, None]
        hessian = (self.phi * self.mean[:, None]).T @ self.phi - expected.T @ expected / len(expected)
        hessian[np.diag_indices(len(hessian))] += self.ridge
        return np.linalg.solve(hessian, gradient)


class _ByTable:
    """The same for scores p_iᵀ W p_j, whose many unknowns are found by conjugate gradients."""

    def __init__(self, encoding: Encoding, look_back: int, ridge: float):
        self.p = encoding.queries_and_keys(encoding.seq_len)[0].astype(np.float64)
        self.rows = np.arange(look_back, len(self.p))
        self.right, self.ridge = self.rows - look_back, ridge
        self.later = np.arange(len(self.p)) > self.rows[:, None]
        self.shape = (self.p.shape[1],) * 2

    def at(self, w: Floats) -> tuple[float, Floats]:
        s = np.where(self.later, -np.inf, self.p[self.rows] @ w @ self.p.T)
        high = s.max(axis=1)
        totals = high + np.log(np.exp(s - high[:, None]).sum(axis=1))
        self.weights, own = np.exp(s - totals[:, None]), (np.arange(len(s)), self.right)
        miss = self.weights.copy()
        miss[own] -= 1
        return float((totals - s[own]).mean() + self.ridge / 2 * (w * w).sum()), self._back(miss) + self.ridge * w

    def _back(self, scores: Floats) -> Floats:
        return self.p[self.rows].T @ scores @ self.p / len(scores)

    def _curved(self, v: Floats) -> Floats:
        """Return H·v."""
        moved = self.p[self.rows] @ v @ self.p.T
        return self._back(self.weights * (moved - (self.weights * moved).sum(axis=1)[:, None])) + self.ridge * v

    def newton(self, gradient: Floats) -> Floats:
        step, left = np.zeros(self.shape), gradient.copy()
        along, size = left.copy(), float((left * left).sum())
        goal = size * min(0.25, math.sqrt(size)) ** 2
        for _ in range(10 * len(self.p) + 100):
            curved = self._curved(along)
            part = size / float((along * curved).sum())
            step += part * along
            left -= part * curved
            size, before = float((left * left).sum()), size
            if size <= goal:
                break
            along = left + size / before * along
        return step
