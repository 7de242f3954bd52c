"""KERPLE: a bias that falls with distance along a curve with two learned numbers per head."""

from functools import partial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Bias
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import Parameter, seq_len_of

Kind = Literal["log", "power"]
KINDS = get_args(Kind)
# the authors' code limits the exponent to these; above 2 it isn't a kernel
POWERS = (0.01, 2.0)
EACH_HEAD = partial(validate.array, ndim=1, above=0, dtype=np.float64)


@validate.checked(lambda a, q_len, k_len: len(a) * q_len * k_len, a=EACH_HEAD, p=EACH_HEAD)
def kerple(
    a: npt.ArrayLike, p: npt.ArrayLike, q_len: int, k_len: int | None = None, *, kind: Kind = "log"
) -> npt.NDArray[np.float64]:
    """Return −p · log(1 + a·n) or −a · n^p for each head, where n = query − key.

    Use it as a bias: `attention(q, k, v, bias=kerple(…))`.

    >>> kerple([1.0], [2.0], 3).round(2)
    array([[[ 0.  ,  0.  ,  0.  ],
            [-1.39,  0.  ,  0.  ],
            [-2.2 , -1.39,  0.  ]]])

    Args: a and p are one positive number per head, shape (num_heads,). As a power, p is limited to
        0.01 … 2, as in the authors' code. kind is "log", the best in the paper, or "power", which
        is ALiBi for p = 1.
    Returns: float64 array of shape (num_heads, q_len, k_len), 0 at later keys: hide them with a
        mask.
    Source: Chi et al. 2022, "KERPLE", section 4. Its r₁ and r₂ are p and a here for "log", a and p
        for "power".
    """
    if len(a) != len(p):
        raise ValueError(f"a and p must have one number for each head, got {len(a)} and {len(p)}")
    return _biases(a[:, None, None], p[:, None, None], relative_offsets(q_len, k_len), kind)


def _biases(a, p, offsets: np.ndarray, kind: Kind) -> np.ndarray:
    distance = np.maximum(-offsets, 0.0)  # later keys get distance 0
    if kind == "log":
        return 0.0 - p * np.log1p(a * distance)
    return 0.0 - a * distance ** np.clip(p, *POWERS)


class Kerple(Bias):
    """One head with two learned numbers. It's made for causal models, so later keys get 0."""

    name, title = "kerple", "KERPLE"
    lesson = 13
    head = 0  # the only one
    parameters = (
        seq_len_of(64),
        Parameter("a", "how soon it falls", 1.0, 0.01, 10, 0.05, "log", least=1e-6, most=1e6),
        Parameter(
            "p", "how far it falls, or the power", 1.0, 0.01, 10, 0.05, "log", least=0.01, most=1e3
        ),
        Parameter("curve", "which curve: the kind of `kerple`", "log", options=KINDS),
    )

    @property
    def highest(self):
        return {"p": POWERS[1]} if self.curve == "power" else {}

    def biases(self, offsets):
        return _biases(self.a, self.p, offsets, self.curve)[None]
