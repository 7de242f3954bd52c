"""T5: one learned number per bucket of offsets and head."""

from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Bias
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import SEED, Parameter, head_of, seq_len_of

MOST_BUCKETS = 2**16
ROUNDING = 1e-9  # a logarithm that should be an integer can come out slightly lower
HEADS = 8  # seed of the untrained table in panels


@validate.checked(
    offset=validate.integers, num_buckets=partial(validate.integer, low=2, high=MOST_BUCKETS)
)
def t5_bucket(
    offset: npt.ArrayLike,
    *,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> npt.NDArray[np.int64]:
    """Return each offset's bucket: close offsets get their own, distant ones share.

    With B buckets for one direction, distances n < E = ⌊B/2⌋ get their own bucket n. Beyond, the
    bucket is E + ⌊(B − E) · log(n/E) / log(max_distance/E)⌋, at most B − 1.

    >>> t5_bucket([-1, 0, 1, -91, -128, -1000])
    array([ 1,  0, 17, 15, 15, 15])

    Args: offset contains integers, in any shape. With bidirectional, earlier keys get the first
        half of the buckets and later keys the second; otherwise every later key gets bucket 0.
        num_buckets is 2 … 2**16, and with bidirectional, even and at least 4. From max_distance on
        (or earlier), all offsets share the last bucket.
    Returns: int64 array with the shape of offset.
    Source: Raffel et al. 2020, "T5", section 2.1. The formula is only in the authors' code.
    """
    if bidirectional and (num_buckets % 2 or num_buckets < 4):
        raise ValueError(
            f"num_buckets must be even, half for each direction, and at least 4, got {num_buckets}"
        )
    buckets = num_buckets // 2 if bidirectional else num_buckets
    exact = buckets // 2
    if max_distance <= exact:
        rule = f"the {exact} distances that have a bucket of their own"
        raise ValueError(f"max_distance must be greater than {rule}, got {max_distance}")
    distance = np.abs(offset) if bidirectional else np.maximum(-offset, 0)
    logs = np.log(np.maximum(distance, exact) / exact)
    place = (buckets - exact) * logs / np.log(max_distance / exact)
    far = exact + np.floor(place + ROUNDING).astype(np.int64)
    bucket = np.where(distance < exact, distance, np.minimum(far, buckets - 1))
    return np.asarray(bucket + buckets * (offset > 0) if bidirectional else bucket)


@validate.checked(
    lambda weights, q_len, k_len: weights.shape[1] * q_len * k_len,
    weights=partial(validate.data, ndim=2),
)
def t5_bias(
    weights: npt.ArrayLike,
    q_len: int,
    k_len: int | None = None,
    *,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> npt.NDArray[np.float64]:
    """Return what T5 adds to the scores: one learned number per head and bucket.

    T5 doesn't divide its scores by √d: `attention(q, k, v, bias=t5_bias(…), scale=1.0)`.

    >>> t5_bias([[0.0], [1.0], [2.0], [3.0]], 3, max_distance=8)[0]
    array([[0., 3., 3.],
           [1., 0., 3.],
           [1., 1., 0.]])

    Args: weights have shape (num_buckets, num_heads). bidirectional is for encoders, not decoders.
        For it and max_distance, see `t5_bucket`.
    Returns: float64 array of shape (num_heads, q_len, k_len).
    Source: Raffel et al. 2020, "T5", section 2.1.
    """
    offsets = relative_offsets(q_len, k_len)
    buckets = t5_bucket(
        offsets, bidirectional=bidirectional, num_buckets=len(weights), max_distance=max_distance
    )
    return np.moveaxis(weights[buckets], -1, 0)


class T5(Bias):
    """An untrained number per bucket and head, for 8 heads. Scores are divided by √d here."""

    name, title = "t5", "T5 buckets"
    lesson = 7.2
    parameters = (
        seq_len_of(64),
        Parameter("num_buckets", "numbers each head learns", 32, 4, 64, 4, least=2),
        Parameter(
            "max_distance",
            "from here on, offsets share the last bucket",
            128,
            33,
            512,
            least=2,
        ),
        Parameter(
            "bidirectional", "whether later keys also have buckets", True, options=(True, False)
        ),
        head_of(high=HEADS - 1),
        SEED,
    )
    views = ("bucket_by_offset", "head_biases")
    continuous = False

    @property
    def highest(self):
        most = (self.max_distance - 1) * (4 if self.bidirectional else 2)
        return {"num_buckets": most, "head": HEADS - 1}

    def buckets(self, offsets):
        kind = {"bidirectional": self.bidirectional, "max_distance": self.max_distance}
        return t5_bucket(offsets, num_buckets=self.num_buckets, **kind)

    def biases(self, offsets):
        weights = np.random.default_rng(self.seed).normal(size=(self.num_buckets, HEADS))
        return weights[self.buckets(offsets)].T
