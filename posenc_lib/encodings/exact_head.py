"""The best head that reads positions only: which scores an encoding lets it give, and what becomes of them beyond.

A head that knows nothing but where a key stands gives it the score w·φ. The encoding says what φ can be, training
chooses w. To look k tokens back, or evenly at some patches, is a convex aim, so there is one best w: no seed, no
training noise. Run on a longer text, with the same w, the head shows what its encoding does there.

In a plane φ is cos and sin of dy·f_y + dx·f_x. If no pair looks anywhere but down or to the right, attention is
p(dx)·q(dy), and for a diagonal the loss is least where p and q are flat: such a head can pick one patch of a diagonal,
but if it is to look at all of them, it looks everywhere.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import catalog, validate
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.validate import checked

Floats = npt.NDArray[np.float64]
ANYWHERE = "anywhere"
STEPS = 60  # of Newton's method; the hardest head met took 24
ENOUGH = 1e-9  # the length of the gradient, in ridges, at which the fit ends: the best w is no farther away than that
REACH = 6  # patches to each side: the window of the lesson is 13 × 13
RING = 3  # patches from the middle to the ring, ± 0.5


@dataclass(frozen=True)
class ExactHead:
    """The best head of an encoding for one aim, made by `exact_head`; weights are w, shape (features,) or (d, d)."""

    encoding: Encoding
    look_back: int | str
    weights: Floats

    @checked("length", length=validate.integer)
    def score(self, length: int, inv_freq: npt.ArrayLike | None = None) -> Floats:
        """Return the score of each distance 0 … length − 1 for the last query of a text, shape (length,).

        inv_freq are frequencies that a rotary encoding turns by there, if they are others than those of the fit.
        """
        if not _is_table(self.encoding):
            return features(self.encoding, length, inv_freq) @ self.weights
        _no_frequencies(self.encoding, inv_freq)
        longer = self.encoding.at(seq_len=length)
        if length > longer.max_positions:
            raise ValueError(f"length must be at most {longer.max_positions}, where the table ends, got {length}")
        rows = longer.queries_and_keys(length)[0].astype(np.float64)
        return (rows @ (rows[-1] @ self.weights))[::-1]

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


@checked()
def exact_head(
    encoding: str | Encoding, *, look_back: int | str, seq_len: int, ridge: float = 1e-3, **parameters
) -> ExactHead:
    """Return the head of an encoding that best looks k tokens back, or cares least about distance.

    It sees positions only. For k it minimises the mean, over the queries k … seq_len − 1 of a causal text, of
    −log(attention on the token k before) + (ridge/2)·|w|², without a division by √d. For "anywhere" it minimises the
    mean of (s(Δ) − 1)² over Δ = 0 … seq_len − 1, + ridge·|w|²: a head that goes by content must score all alike.

    >>> head = exact_head("rope", look_back=3, seq_len=64, head_dim=16)
    >>> round(head.mass(64), 2), round(head.mass(256), 2)
    (0.97, 0.64)

    Args:
        encoding: a name of the catalog, or an object. φ(Δ) is cos and sin of Δθ for a rotary one (times its decay), a
            feature for each bucket where there are buckets, else the bias of its first head, scaled to −1 at Δ = 1; a
            table has p_iᵀ W p_j with every entry of W free. FIRE, CoPE and Transformer-XL have no scores of Δ alone.
        look_back: k, from 0 to seq_len − 1, or "anywhere" for encodings whose scores depend on the distance alone.
        seq_len: how many tokens the texts of the fit have.
        ridge: above 0; smaller allows a sharper head.
        **parameters: of the encoding, if it is given by its name.

    Returns: an `ExactHead`; .mass(length), .attention(length) and .score(length) run it on texts of other lengths.
    Source: multinomial logistic regression with a ridge; Newton's method, as in Boyd & Vandenberghe 2004, section 9.5.
    """
    encoding = _opened(encoding, parameters).at(seq_len=seq_len)
    table = _is_table(encoding)
    validate.size("seq_len", (seq_len, seq_len if table else 2 * encoding.num_dims))
    encoding.check()
    if isinstance(look_back, str):
        if look_back != ANYWHERE or table:
            rule = "for a table, whose scores are not of the distance" if table else "of tokens or 'anywhere'"
            raise ValueError(f"look_back must be a number {rule}, got {validate.show(look_back)}")
        return ExactHead(encoding, ANYWHERE, _alike(features(encoding, seq_len), ridge))
    look_back = validate.integer("look_back", look_back, low=0, high=seq_len - 1)
    aim = _ByTable(encoding, look_back, ridge) if table else _ByDistance(features(encoding, seq_len), look_back, ridge)
    return ExactHead(encoding, look_back, _least(aim))


def _opened(encoding, parameters: dict) -> Encoding:
    """Return the encoding that is meant by a name and parameters, or given as an object."""
    if isinstance(encoding, str):
        return catalog.ENCODINGS[validate.known("encoding", encoding, catalog.ENCODINGS)].at(**parameters)
    if parameters or not isinstance(encoding, Encoding):
        rule = "a name where parameters are given" if parameters else "a name or an encoding object"
        raise TypeError(f"encoding must be {rule}, got {validate.show(encoding)}")
    return encoding


def reads_positions(encoding: Encoding) -> bool:
    """Return whether a head can learn the scores of an encoding by position alone: `exact_head` takes no other."""
    turned = encoding.kind == "rotary" and encoding.has("frequencies")
    return encoding.of_text and (_is_table(encoding) or turned or encoding.has("buckets") or encoding.has("biases"))


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
    waves = _cos_sin(np.multiply.outer(np.arange(length), np.frombuffer(theta)))
    waves.setflags(write=False)
    return waves


def _cos_sin(angles: Floats) -> Floats:
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)


def _is_table(encoding: Encoding) -> bool:
    return encoding.kind == "additive"


def _no_frequencies(encoding: Encoding, inv_freq) -> None:
    if inv_freq is not None:
        raise ValueError(f"inv_freq must be None for an encoding that turns nothing, got one for {encoding.name}")


def _alike(phi: Floats, ridge: float) -> Floats:
    """Return the w that makes all scores as near to 1 as the ridge allows."""
    n, many = phi.shape
    return np.linalg.solve(phi.T @ phi / n + ridge * np.eye(many), phi.mean(axis=0))


def _least(aim) -> Floats:
    """Return where a convex aim is least: steps of Newton's method, halved while they do not go down.

    An aim has a shape, a ridge, at(w) → (its value, its gradient) and newton(gradient) → H⁻¹·gradient at the last w.
    """
    w = np.zeros(aim.shape)
    loss, gradient = aim.at(w)
    for _ in range(STEPS):
        if np.linalg.norm(gradient) < ENOUGH * aim.ridge:
            break
        step, before = aim.newton(gradient), loss
        slope = float((step * gradient).sum())
        for part in 0.5 ** np.arange(30):
            loss, gradient = aim.at(w - part * step)
            if loss <= before - 1e-4 * part * slope or part * slope < 1e-13:
                break
        w = w - part * step
    return w


class _ByDistance:
    """The mean loss of heads whose scores depend on the distance: running sums stand for the L × L matrix."""

    def __init__(self, phi: Floats, look_back: int, ridge: float):
        self.phi, self.k, self.ridge, self.shape = phi, look_back, ridge, phi.shape[1:]

    def at(self, w: Floats) -> tuple[float, Floats]:
        s = self.phi @ w
        totals = np.logaddexp.accumulate(s)[self.k :]  # log of the sum of each row's weights
        reached = np.logaddexp.accumulate(-totals[::-1])[::-1]  # of 1/sum, over this row and all later ones
        first = np.concatenate([np.full(self.k, reached[0]), reached])
        self.mean = np.exp(s + first) / len(totals)  # the attention of each distance, mean over rows
        self.s, self.totals = s, totals
        gradient = self.phi.T @ self.mean - self.phi[self.k] + self.ridge * w
        return float(totals.mean() - s[self.k] + self.ridge / 2 * w @ w), gradient

    def newton(self, gradient: Floats) -> Floats:
        """Return H⁻¹·gradient: H is the mean over rows of the covariance of φ under the row's attention."""
        high = self.s.max()
        sums = np.cumsum(np.exp(self.s - high)[:, None] * self.phi, axis=0)[self.k :]
        expected = sums * np.exp(np.minimum(high - self.totals, 700.0))[:, None]
        hessian = (self.phi * self.mean[:, None]).T @ self.phi - expected.T @ expected / len(expected)
        return np.linalg.solve(hessian + self.ridge * np.eye(len(hessian)), gradient)


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


class _Evenly:
    """The loss of a head that is to look evenly at some patches: −log(attention), the mean over them."""

    def __init__(self, phi: Floats, wish: npt.NDArray[np.bool_], ridge: float):
        self.phi, self.ridge, self.shape = phi, ridge, phi.shape[1:]
        self.wanted = phi[wish].mean(axis=0)

    def at(self, w: Floats) -> tuple[float, Floats]:
        s = self.phi @ w
        total = np.logaddexp.reduce(s)
        self.seen = np.exp(s - total)
        self.mean = self.seen @ self.phi
        return float(total - self.wanted @ w + self.ridge / 2 * w @ w), self.mean - self.wanted + self.ridge * w

    def newton(self, gradient: Floats) -> Floats:
        """Return H⁻¹·gradient: H is the covariance of φ under the attention, and the ridge."""
        hessian = (self.phi * self.seen[:, None]).T @ self.phi - np.outer(self.mean, self.mean)
        return np.linalg.solve(hessian + self.ridge * np.eye(len(hessian)), gradient)


@dataclass(frozen=True)
class ExactHead2D:
    """The best head for a wish; made by `exact_head_2d`.

    directions are radians of each pair per step down and to the right, shape (2, pairs); wish says which patches of
    the window the head was to look at, bool; query is the row and the column of the patch that asks; weights are w,
    shape (2·pairs,), of cosines and then of sines.
    """

    directions: Floats
    wish: npt.NDArray[np.bool_]
    query: tuple[int, int]
    weights: Floats

    @property
    def attention(self) -> Floats:
        """What the query gives each patch of its window, the shape of the wish; sums to 1."""
        return self.attention_at(*self.query, *self.wish.shape)

    @property
    def mass(self) -> float:
        """The share of its attention that lies on the wish, 0 … 1."""
        return float(self.attention[self.wish].sum())

    @property
    def chance(self) -> float:
        """The share of the patches that are wished for: the mass of a head that looks at all of them alike."""
        return float(self.wish.mean())

    @checked("height", "width")
    def attention_at(self, row: int, column: int, height: int, width: int) -> Floats:
        """Return what the head gives each patch of a picture, (height, width), for a query at this row and column."""
        row = validate.integer("row", row, low=0, high=height - 1)
        column = validate.integer("column", column, low=0, high=width - 1)
        scores = _plane_features(self.directions, (row, column), (height, width)) @ self.weights
        return softmax(scores).reshape(height, width)


@checked()
def exact_head_2d(
    directions: npt.ArrayLike, wish: npt.ArrayLike, *, ridge: float = 1e-3, query: tuple[int, int] | None = None
) -> ExactHead2D:
    """Return the head of a RoPE in the plane that best looks evenly at some patches around its own.

    It minimises the mean of −log(attention) over the patches wished for, + (ridge/2)·|w|², without a division by √d.

    >>> turned = np.array([[1.0, 0.3, 1.0, 0.3], [1.0, 0.3, -1.0, -0.3]])
    >>> for wish in ("its row", "diagonal"):
    ...     head = exact_head_2d(turned, wished(wish, reach=3))
    ...     print(f"{wish}: {head.chance:.2f} by chance, {head.mass:.2f}")
    its row: 0.14 by chance, 0.28
    diagonal: 0.14 by chance, 0.98

    Args:
        directions: radians that each pair turns per step down and per step to the right, shape (2, pairs).
        wish: the patches that the head shall look at, bool, (rows, columns) of the window: it sees no other patches.
        ridge: above 0; smaller allows a sharper head.
        query: row and column of the patch that asks, from 0; None means the one in the middle of the window.

    Returns: an `ExactHead2D`.
    Source: as `exact_head`; scores as in RoPE-Mixed, Heo et al. 2024, "RoPE for Vision Transformer".
    """
    directions = validate.array("directions", directions, ndim=2).astype(np.float64)
    if directions.shape[0] != 2 or not directions.size:
        raise ValueError(f"directions must have shape (2, pairs), got {directions.shape}")
    wish = validate.as_array("wish", wish)
    if wish.dtype != bool:
        raise TypeError(f"wish must hold True and False, got dtype {wish.dtype}")
    if wish.ndim != 2:
        raise ValueError(f"wish must have 2 axes, got shape {wish.shape}")
    if not wish.any():
        raise ValueError(f"wish must hold at least one True, got none in shape {wish.shape}")
    query = _asking(query, wish.shape)
    validate.size("wish", (*wish.shape, 2 * directions.shape[1]))
    aim = _Evenly(_plane_features(directions, query, wish.shape), wish.ravel(), ridge)
    return ExactHead2D(directions, wish.copy(), query, _least(aim))


def _asking(query, window: tuple[int, int]) -> tuple[int, int]:
    """Return the row and the column of the patch that asks, the middle one if none is given."""
    if query is None:
        if not all(side % 2 for side in window):
            shape = f"a {window[0]} × {window[1]} wish has no middle patch"
            raise ValueError(f"{shape}, so say where the query is: query=(row, column)")
        return window[0] // 2, window[1] // 2
    if not isinstance(query, (tuple, list, np.ndarray)) or len(query) != 2:
        raise ValueError(f"query must be a row and a column, got {validate.show(query)}")
    row = validate.integer("the query's row", query[0], low=0, high=window[0] - 1)
    return row, validate.integer("the query's column", query[1], low=0, high=window[1] - 1)


def _plane_features(directions: Floats, query: tuple[int, int], window: tuple[int, int]) -> Floats:
    """Return φ of each patch of a window, row by row, shape (rows·columns, 2·pairs)."""
    steps = np.indices(window).reshape(2, -1) - np.reshape(query, (2, 1))
    return _cos_sin(steps.T @ directions)


_MEANT = {  # a wish's patches, by dy and dx
    "one patch": lambda dy, dx: (dy == 1) & (dx == 2),
    "its row": lambda dy, dx: dy == 0,
    "its column": lambda dy, dx: dx == 0,
    "diagonal": lambda dy, dx: dy == dx,
    "anti-diagonal": lambda dy, dx: dy == -dx,
    "ring": lambda dy, dx: np.abs(np.hypot(dy, dx) - RING) <= 0.5,
    "cross": lambda dy, dx: (dy == 0) | (dx == 0),
    "turned cross": lambda dy, dx: np.abs(dy) == np.abs(dx),
}
WISHES = tuple(_MEANT)


@checked("reach", "reach", name=validate.one_of(*WISHES))
def wished(name: str, reach: int = REACH) -> npt.NDArray[np.bool_]:
    """Return which patches of a window one of WISHES means; "one patch" is 2 to the right and 1 down.

    >>> wished("turned cross", reach=2).astype(int)
    array([[1, 0, 0, 0, 1],
           [0, 1, 0, 1, 0],
           [0, 0, 1, 0, 0],
           [0, 1, 0, 1, 0],
           [1, 0, 0, 0, 1]])

    Args: reach is how many patches there are to each side of the middle, at least as many as the wish needs.
    Returns: bool array of shape (2·reach + 1, 2·reach + 1), rows down.
    """
    reach = validate.integer("reach", reach, low={"one patch": 2, "ring": RING}.get(name, 0))
    return _MEANT[name](*np.mgrid[-reach : reach + 1, -reach : reach + 1])
