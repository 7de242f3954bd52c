"""Self-Extend: positions in groups, beyond a window of exact ones."""

from functools import partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.offsets import relative_offsets


@validate.checked(seq_len=partial(validate.integer, low=0))
def self_extend_offsets(seq_len: int, group_size: int, window: int) -> npt.NDArray[np.int64]:
    """Return the offsets, query − key, that Self-Extend turns by: exact within a window, beyond it by groups.

    >>> self_extend_offsets(6, 2, 2)[-1]
    array([3, 3, 2, 2, 1, 0])

    Args: group_size is G, how many positions share a number beyond the window; window is W, offsets below it are exact.
        Where G does not divide W, there is a seam.
    Returns: int64 array of shape (seq_len, seq_len): i − j where that is below W, else ⌊i/G⌋ + W − ⌊W/G⌋ − ⌊j/G⌋.
    Source: Jin et al. 2024, "LLM Maybe LongLM", and its authors' code.
    """
    exact, group = -relative_offsets(seq_len), np.arange(seq_len) // group_size
    return np.where(exact < window, exact, group[:, None] + window - window // group_size - group)
