"""The best head that sees only positions: the scores an encoding allows, at any length.

Such a head gives a key the score w·φ. The encoding determines φ, and training chooses w. The goals
here are convex, so there's a single best w, with no seed and no training noise, and the head can
run on other texts with the same w. In an image, φ is cos and sin of dy·f_y + dx·f_x.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.own import opened

Floats = npt.NDArray[np.float64]
ANYWHERE = "anywhere"
RIDGE = 1e-3  # the loss includes half of it times |w|²
# the fit ends at this gradient, in ridges: the best w is at most that far away
ENOUGH = 1e-9


@dataclass(frozen=True)
class ExactHead:
    """The best head of an encoding for one goal, made by `exact_head`.

    weights are w, shape (features,) or (d, d). Its methods take the length of a text, and inv_freq
    if a rotary encoding uses other frequencies there.
    """

    encoding: Encoding
    look_back: int | str
    weights: Floats = field(repr=False)

    @validate.checked(length=validate.integer)
    def score(self, length: int, inv_freq: npt.ArrayLike | None = None) -> Floats:
        """Return the last query's score at each distance 0 … length − 1, shape (length,)."""
        if inv_freq is not None and not _turns(self.encoding):
            rule = "inv_freq must be None for an encoding that isn't rotary"
            raise ValueError(f"{rule}, got one for {self.encoding}")
        if self.encoding.kind != "additive":
            return features(self.encoding, length, inv_freq) @ self.weights
        there = self.encoding.at(seq_len=length)
        if length > there.max_positions:
            raise ValueError(
                f"length must be at most {there.max_positions}, where the table ends, got {length}"
            )
        rows = there.table.astype(np.float64)
        return (rows @ (rows[-1] @ self.weights))[::-1]

    def attention(self, length: int, inv_freq: npt.ArrayLike | None = None) -> Floats:
        """Return the last token's attention to each key, shape (length,)."""
        return softmax(self.score(length, inv_freq))[::-1]

    def mass(self, length: int, inv_freq: npt.ArrayLike | None = None) -> float:
        """Return the last token's attention to the correct key, 0 … 1."""
        if self.look_back == ANYWHERE:
            rule = "mass needs a head that looks back"
            raise ValueError(f"{rule}. With 'anywhere' no key is the correct one, see score")
        if validate.integer("length", length) <= self.look_back:
            raise ValueError(
                f"length must be greater than look_back, {self.look_back}, got {length}"
            )
        return float(softmax(self.score(length, inv_freq))[self.look_back])


@validate.checked()
def exact_head(
    encoding: object, *, look_back: int | str, seq_len: int, ridge: float = RIDGE, **parameters
) -> ExactHead:
    """Return an encoding's best head for looking k tokens back, or for ignoring distance.

    For k, it minimizes −log(attention on the token k back) + (ridge/2)·|w|², averaged over the
    queries k … seq_len − 1 of a causal text, without dividing by √d. With "anywhere", a head that
    matches content should score all distances equally: it minimizes the mean of (s(Δ) − 1)² over
    Δ = 0 … seq_len − 1, + ridge·|w|².

    >>> head = exact_head("rope", look_back=3, seq_len=64, head_dim=16)
    >>> round(head.mass(64), 2), round(head.mass(256), 2)
    (0.97, 0.64)

    Args: encoding is a name or anything `explore` takes, with **parameters. φ(Δ) is cos and sin of
        Δθ for a rotary encoding (times its decay), one feature per bucket, or the bias of its
        `head`, scaled to −1 at Δ = 1. A table has p_iᵀ W p_j, with every entry of W free. FIRE,
        CoPE and Transformer-XL don't have scores that depend on Δ alone. look_back is k, from 0 to
        seq_len − 1, or "anywhere" if scores depend only on the distance. seq_len is the length of
        the texts in the fit. A smaller ridge, positive, allows a sharper head.
    Returns: an `ExactHead`. .mass(length), .attention(length) and .score(length) run it on texts of
        any length.
    Source: multinomial logistic regression with a ridge; Newton's method, as in Boyd & Vandenberghe
        2004, section 9.5.
    """
    (encoding,) = opened([encoding], called="encoding")
    for p in encoding.parameters:
        if p.name in parameters:
            p.checked(parameters[p.name])
    encoding = encoding.at(**parameters).at(seq_len=seq_len)
    rows = seq_len if encoding.kind == "additive" else 1
    validate.fit_memory(seq_len * max(rows, encoding.num_dims), seq_len=seq_len)
    encoding.check()
    if encoding.of_text and _turns(encoding) and not _turns_as_it_says(encoding, seq_len):
        name = encoding.name or type(encoding).__name__
        rule = f"encoding must rotate queries and keys by its frequencies, which {name} doesn't"
        raise ValueError(f"{rule}. A head is fitted to their cos and sin only")
    anywhere = isinstance(look_back, str) and look_back == ANYWHERE
    if anywhere and encoding.kind == "additive":
        rule = "look_back must be a number for a table, whose scores don't depend on distance alone"
        raise ValueError(f"{rule}, got 'anywhere'")
    k = ANYWHERE if anywhere else validate.integer("look_back", look_back, low=0, high=seq_len - 1)
    if encoding.kind == "additive":
        rows = encoding.table.astype(np.float64)
        d = rows.shape[1]
        return ExactHead(encoding, k, least(_by_table(rows, k, ridge), (d, d), ridge))
    phi = features(encoding, seq_len)
    if anywhere:
        moments = phi.T @ phi / seq_len + ridge * np.eye(phi.shape[1])
        w = np.linalg.solve(moments, phi.mean(axis=0))
    else:
        w = least(loss_by_distance(phi, phi[k], k, ridge), phi.shape[1:], ridge)
    return ExactHead(encoding, k, w)


def reads_positions(encoding: Encoding) -> bool:
    """Return whether a head can learn an encoding's scores by position."""
    by_offset = _turns(encoding) or encoding.has("buckets") or encoding.has("biases")
    learns = encoding.of_text and (encoding.kind == "additive" or by_offset)
    return learns and (
        not _turns(encoding) or _turns_as_it_says(encoding, min(encoding.seq_len, 64))
    )


def _turns(encoding: Encoding) -> bool:
    return encoding.kind == "rotary" and encoding.has("frequencies")


def _turns_as_it_says(encoding: Encoding, length: int) -> bool:
    """Return whether the last query scores keys of ones as the frequencies predict.

    Then a pair's score at a distance is its score at 0 times the cosine.
    """
    back, ones = np.arange(length), np.ones((length, encoding.num_dims))
    waves = np.cos(np.multiply.outer(back, np.asarray(encoding.frequencies, np.float64)))
    if encoding.has("decay"):
        waves *= encoding.decay(back)
    said = 2 * waves.sum(axis=1) * getattr(encoding, "attention_factor", 1.0) ** 2
    turned = encoding.relate(ones, ones)
    ways = [(turned["q"], turned["k"])]  # views use both forms
    if not encoding.given:
        ways += [encoding.with_content(ones[0], ones[0]).queries_and_keys(length)]
    scores = np.array([np.asarray(k, float)[::-1] @ np.asarray(q[-1], float) for q, k in ways])
    off = (
        scores - scores[:, :1] - (said - said[0])
    )  # dims that don't rotate add the same everywhere
    return bool(np.abs(off).max() <= 1e-3 * (1 + np.abs(said[0])))


def features(encoding: Encoding, length: int, inv_freq: npt.ArrayLike | None = None) -> Floats:
    """Return φ(Δ) at the distances Δ = 0 … length − 1 to earlier keys, shape (length, features)."""
    validate.fit_memory(length * encoding.num_dims, length=length)
    back = np.arange(length)
    if _turns(encoding):
        if inv_freq is None:
            theta = np.asarray(encoding.frequencies)
        else:
            theta = validate.array("inv_freq", inv_freq, ndim=1)
        theta = theta.astype(np.float64)
        if encoding.has("decay"):
            waves = cos_and_sin(np.multiply.outer(back, theta))
            return waves * np.tile(encoding.decay(back), 2)
        # pairs without a frequency don't rotate
        theta = np.pad(theta, (0, max(encoding.num_dims // 2 - len(theta), 0)))
        return cos_and_sin(np.multiply.outer(back, theta))
    if encoding.has("buckets"):
        near_and_far = np.array([-(10**6), 0, 10**6])
        number = int(encoding.buckets(near_and_far).max()) + 1
        return np.eye(number)[encoding.buckets(-back)]
    if encoding.has("biases"):
        bias = np.asarray(encoding.biases(-np.arange(max(length, 2))))[encoding.head]
        if not np.isfinite(bias).all():
            raise ValueError("encoding must have finite biases for a best head")
        return (bias / np.abs(bias[1] - bias[0] or 1.0))[:length, None]
    rule = "encoding must have scores a head can learn by position"
    raise ValueError(f"{rule}, got {encoding.name or encoding!r}")


def cos_and_sin(angles: Floats) -> Floats:
    """Return cosines followed by sines."""
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)


# A loss takes w and returns its value, its gradient, and a solver for H·step = gradient.


def least(loss: Callable, shape: tuple[int, ...], ridge: float) -> Floats:
    """Minimize a convex loss with Newton steps, halved until they go down."""
    w = np.zeros(shape)
    value, gradient, solved = loss(w)
    for _ in range(60):  # the hardest head so far took 24
        if np.linalg.norm(gradient) < ENOUGH * ridge:
            break
        step, before = solved(gradient), value
        slope = float((step * gradient).sum())
        for part in 0.5 ** np.arange(30):
            value, gradient, solved = loss(w - part * step)
            if value <= before - 1e-4 * part * slope or part * slope < 1e-13:
                break
        w = w - part * step
    return w


def loss_by_distance(phi: Floats, wanted: Floats, first: int, ridge: float) -> Callable:
    """Return a loss, the mean over some queries of log Σ e^{w·φ} − w·wanted.

    The queries are i = first, first + 1, …, and each sees φ[0 … i]. Running sums replace the matrix
    of all queries and keys.
    """

    def loss(w: Floats):
        s = phi @ w
        totals = np.logaddexp.accumulate(s)[first:]  # log Σ e^s of each query
        # log Σ 1/e^total, over this query and all later ones
        shares = np.logaddexp.accumulate(-totals[::-1])[::-1]
        shares = np.concatenate([np.full(first, shares[0]), shares])
        mean = np.exp(s + shares) / len(totals)  # attention

        def solved(gradient):  # H is the mean covariance of φ under the attention, plus the ridge
            sums = np.cumsum(np.exp(s - s.max())[:, None] * phi, axis=0)[first:]
            expected = sums * np.exp(np.minimum(s.max() - totals, 700.0))[:, None]
            hessian = (phi * mean[:, None]).T @ phi - expected.T @ expected / len(expected)
            return np.linalg.solve(hessian + ridge * np.eye(len(w)), gradient)

        value = totals.mean() - wanted @ w + ridge / 2 * w @ w
        return value, phi.T @ mean - wanted + ridge * w, solved

    return loss


def _by_table(p: Floats, look_back: int, ridge: float) -> Callable:
    """Return the same for scores p_iᵀ W p_j. Conjugate gradients solve for W."""
    queries = p[look_back:]
    later = np.arange(len(p)) > np.arange(look_back, len(p))[:, None]
    right = np.eye(len(queries), len(p))

    def onto(scores):
        return queries.T @ scores @ p / len(queries)

    def loss(w: Floats):
        s = np.where(later, -np.inf, queries @ w @ p.T)
        totals = np.logaddexp.reduce(s, axis=1, keepdims=True)
        seen = np.exp(s - totals)

        def curved(v):  # H·v
            moved = queries @ v @ p.T
            expected = (seen * moved).sum(axis=1, keepdims=True)
            return onto(seen * (moved - expected)) + ridge * v

        def solved(gradient):
            step, left, along = np.zeros_like(w), gradient.copy(), gradient.copy()
            size = float((left * left).sum())
            goal = size * min(0.25, size**0.5) ** 2
            for _ in range(10 * len(p) + 100):
                moved = curved(along)
                part = size / float((along * moved).sum())
                step, left = step + part * along, left - part * moved
                size, before = float((left * left).sum()), size
                if size <= goal:
                    break
                along = left + size / before * along
            return step

        value = (totals - s[right > 0][:, None]).mean() + ridge / 2 * (w * w).sum()
        return float(value), onto(seen - right) + ridge * w, solved

    return loss
