"""The two puzzles of lesson 14: frequencies for near and far, and a query turned by a quarter."""

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Rotary
from posenc_lib.encodings.exact_head import ANYWHERE, exact_head
from posenc_lib.live.puzzles import function_puzzle, value_puzzle
from posenc_lib.views.style import number

_FITTED, _BACK, _LONG_TEXT, _PAIRS = 32, 3, 256, 8
_SHARE, _SCORE = 0.95, 0.9


class _Tried(Rotary):
    """A reader's frequencies."""

    chosen: np.ndarray = np.zeros(_PAIRS)
    frequencies = property(lambda self: self.chosen)


def _again(fast: np.ndarray) -> tuple[int, float]:
    """Return how far on fast pairs first line up again, and the sum of their cosines there."""
    apart = np.arange(2 * _BACK, _LONG_TEXT)
    sums = np.cos(np.outer(apart, fast)).sum(axis=1)
    first = int((sums >= 0.95 * sums.max()).argmax())
    return int(apart[first]), float(sums[first])


def _frequencies_fail(choice) -> str:
    """Return what the best heads of these frequencies can't do, or nothing."""
    try:
        chosen = validate.array("your frequencies", choice, ndim=1).astype(np.float64)
    except (TypeError, ValueError) as error:
        return validate.ended(str(error))
    if len(chosen) != _PAIRS:
        return f"Pass {_PAIRS} frequencies, one for each pair. You passed {len(chosen)}."
    if not (chosen.min() >= 0 and chosen.max() <= np.pi):
        return "Frequencies must be from 0 to π. A pair that goes faster looks like a slower one."
    one = _Tried(head_dim=2 * _PAIRS).named("yours", "yours", chosen=chosen)
    near = exact_head(one, look_back=_BACK, seq_len=_FITTED).mass(_LONG_TEXT)
    far = float(exact_head(one, look_back=ANYWHERE, seq_len=_FITTED).score(_LONG_TEXT).min())
    fast = chosen[chosen * _FITTED >= 2 * np.pi]
    turns = len(fast)
    still = int((chosen == 0).sum())
    told = []
    stands = "stands" if still == 1 else "stand"
    if near < _SHARE:
        told.append(
            f"Looking back, your head keeps {near:.3f} at {_LONG_TEXT} tokens, and needs {_SHARE}. "
            f"{turns} of your pairs complete a turn in {_FITTED} tokens."
        )
        if turns > 1:
            apart, cosines = _again(fast)
            told.append(
                f"They nearly line up again {apart} positions on, "
                f"where their cosines add up to {cosines:.1f} of {turns}."
            )
    if far < _SCORE:
        told.append(
            f"Ignoring distance, its score goes down to {number(far)}, and {_SCORE} is the limit. "
            f"{still or 'None'} of your pairs {stands} still."
        )
    return " ".join(told)


# Which eight frequencies do both jobs?
value_puzzle(
    "near_and_far",
    [1.0, 0.87, 0.76, 0.66, 0.58, 0.5, 0.44, 0.0],
    "How many pairs does the far job need? "
    "And what do the near job's pairs have to do in training?",
    "One pair that stands still is enough for the far job. Give all seven others to the near one.",
    "The seven mustn't line up again within 256 positions. Try seven that are close together, "
    "between 0.4 and 1, and not all multiples of one number.",
    given=[1, 0.7, 0.5, 0.3, 0, 0, 0, 0],
    judge=_frequencies_fail,
    why="both heads keep what you asked of them at 256 tokens.",
    won="A pair that stands still and seven different fast ones do both jobs. "
    "Train it: does it do better than p_rope? And what about induction?",
)


def _half(q):
    first, second = np.split(q, 2, axis=1)
    return np.hstack([second, -first])


_LONG = np.array([[0.3, -1.2, 0.7, 2.0], [1.0, 1.0, -1.0, 0.5]])


# Which q gives an ordinary head RoPE++'s imaginary part as its score?
@function_puzzle(
    "Multiply z = x + iy by a number c so that the real part of c·z is y. Which c?",
    "c = −i. A score is the real part of q_i times something. What do you multiply by −i, then?",
    "Each pair (a, b) of q is a + ib, and −i·(a + ib) = b − ia.",
    cases=((np.array([[1.0, 0.0]]),), (np.array([[0.0, 2.0, 3.0, 0.0]]),), (_LONG,)),
    won="The imaginary head is RoPE with a different query, which a different W_q could have made. "
    "It saves weights and cache, but it can't say anything a head with RoPE couldn't.",
    mistakes={
        "you rotated the other way, which gives the wrong sign. Multiply by −i, not by i.": (
            lambda q: -quarter(q)
        ),
        "you returned q unchanged. Rotate each pair by a quarter turn.": lambda q: q,
        "you rotated by half a turn, −1. You need a quarter, −i.": lambda q: -q,
        "you swapped the two dims of each pair without changing a sign. "
        "That's a reflection, not a rotation.": (
            lambda q: q.reshape(len(q), -1, 2)[..., ::-1].reshape(q.shape)
        ),
        "you moved all dims along by one. Stay within each pair.": lambda q: np.roll(q, 1, axis=1),
        "you put all first dims before all second ones. Keep each pair together.": (
            lambda q: np.hstack([q[:, 1::2], -q[:, 0::2]])
        ),
        "you used the other pairing. Here, dims 0 and 1 make a pair, not 0 and d/2.": _half,
    },
)
def quarter(q):
    turned = np.empty_like(q)
    turned[:, 0::2], turned[:, 1::2] = q[:, 1::2], -q[:, 0::2]
    return turned
