"""M-RoPE: text, images and video in one sequence. Each token has a time, a row and a column."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.encodings.parameter import Parameter, seq_len_of

AXES = ("time", "row", "column")


class Vision(NamedTuple):
    """The settings of a model with M-RoPE.

    Without `films`, it reads each frame as an image, after words that give the time.
    """

    sections: tuple[int, int, int]
    base: float
    interleaved: bool
    films: bool


MODELS = {  # defaults of the configuration classes in transformers 5.23
    "Qwen2-VL": Vision((16, 24, 24), 1_000_000.0, interleaved=False, films=True),
    "Qwen3-VL": Vision((24, 20, 20), 5_000_000.0, interleaved=True, films=False),
}


def counts(name: str, value) -> npt.NDArray[np.int64]:
    """Return the number of pairs of each axis, if there are any."""
    many = validate.integers(name, value, ndim=1)
    if many.min(initial=0) < 0 or not many.any():
        raise ValueError(
            f"{name} must be nonnegative and contain at least one pair, got {many.tolist()}"
        )
    return many


@validate.checked(lambda sections: sections.sum(dtype=float), sections=counts)
def axis_of_pair(sections: npt.ArrayLike, *, interleaved: bool = False) -> npt.NDArray[np.int64]:
    """Return the axis of each pair of dims. In M-RoPE, 0 is time, 1 the row, 2 the column.

    >>> axis_of_pair([2, 3, 1]), axis_of_pair([2, 3, 1], interleaved=True)
    (array([0, 0, 1, 1, 1, 2]), array([0, 1, 2, 0, 1, 1]))

    Args: sections has the number of pairs of each axis, shape (axes,). With interleaved, the axes
        alternate until they've used up their pairs (Qwen3-VL); otherwise each gets a chunk
        (Qwen2-VL).
    Returns: int array of shape (pairs,), the fastest pair first.
    Source: Wang et al. 2024, "Qwen2-VL", section 2.1.
    """
    axis = np.repeat(np.arange(len(sections)), sections.astype(np.intp))  # not int64 in a browser
    rank = np.concatenate([np.arange(n) for n in sections])  # the pair's index within its axis
    return axis[np.argsort(rank, kind="stable")] if interleaved else axis


def mrope_positions(parts: Sequence[int | tuple[int, ...]]) -> npt.NDArray[np.int64]:
    """Return the time, row and column of each token in a mixed sequence.

    A word has the same number on all three axes, and so does the first patch of an image. From
    there, rows and columns count up, and the frames of a video count up in time. Whatever follows
    starts after the largest number so far.

    >>> mrope_positions([2, (2, 3), 1])
    array([[0, 1, 2, 2, 2, 2, 2, 2, 5],
           [0, 1, 2, 2, 2, 3, 3, 3, 5],
           [0, 1, 2, 3, 4, 2, 3, 4, 5]])

    Args: parts is a list in reading order: a number of words, (rows, columns) of an image, or
        (frames, rows, columns) of a video, in tokens (merged patches in most models).
    Returns: int64 array of shape (3, seq_len).
    Source: Wang et al. 2024, "Qwen2-VL", section 2.1 and figure 3.
    """
    # (24, 24) would be two runs of words, but an image may be meant
    if not isinstance(parts, list):
        raise TypeError(f"parts must be a list like [5, (4, 6), 3], got {validate.show(parts)}")
    places, start, count = [np.empty((3, 0), np.int64)], 0, 0
    for name, part in ((f"parts[{i}]", part) for i, part in enumerate(parts)):
        if not isinstance(part, (tuple, list)):
            shape = (validate.integer(name, part, low=0),)
        elif len(part) in (2, 3):
            shape = tuple(validate.integer(name, n) for n in (1, *part)[-3:])
        else:
            kinds = "a number of words, (rows, columns) or (frames, rows, columns)"
            raise ValueError(f"{name} must be {kinds}, got {validate.show(part)}")
        number = math.prod(shape)
        count += number
        validate.fit_memory(3 * count, **{name: number})
        within = np.indices(shape, np.int64).reshape(len(shape), number)
        places.append(start + np.broadcast_to(within, (3, number)))
        start += max(shape)
    return np.concatenate(places, axis=1)


class MRope(Encoding):
    """The rotation in models that read text, images and video as one sequence."""

    name, title = "mrope", "M-RoPE"
    lesson = 12.3
    kind, of_text = "rotary", False
    parameters = (
        seq_len_of(64),
        Parameter("model", "whose sections and base", "Qwen2-VL", options=tuple(MODELS)),
        Parameter("before", "number of words before the image", 5, 0, 12),
        Parameter("frames", "number of frames; 1 is an image", 1, 1, 4, least=1),
        Parameter("tall", "number of rows of patches", 4, 1, 8, least=1),
        Parameter("wide", "number of columns of patches", 6, 1, 8, least=1),
        Parameter("after", "number of words after it", 3, 0, 12),
    )
    views = ("axis_positions", "axis_of_pair")

    @property
    def vision(self) -> Vision:
        return MODELS[self.model]

    @property
    def highest(self) -> dict:
        return {} if self.vision.films else {"frames": 1}

    @property
    def frequencies(self) -> np.ndarray:
        """Radians per step along its axis for each pair, shape (64,)."""
        return inv_freq(2 * sum(self.vision.sections), self.vision.base)

    @property
    def axis_of_pair(self) -> np.ndarray:
        """The axis of each pair: 0 is time, 1 the row, 2 the column. Shape (pairs,)."""
        return axis_of_pair(self.vision.sections, interleaved=self.vision.interleaved)

    @property
    def axis_positions(self) -> np.ndarray:
        """Time, row and column of each token, integers of shape (3, tokens)."""
        return mrope_positions([self.before, (self.frames, self.tall, self.wide), self.after])

    @property
    def axis_steps(self) -> np.ndarray:
        """How far a step on each axis moves a vector of length 1 in each pair, shape (3,).

        That's the length of e^{iθ} − 1 over the axis's pairs.
        """
        moved = (2 * np.sin(self.frequencies / 2)) ** 2
        return np.sqrt([moved[self.axis_of_pair == axis].sum() for axis in range(3)])

    def check(self) -> None:
        self.axis_positions  # noqa: B018
