"""Texts longer than in training: new angles, and best heads."""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from posenc_lib.encodings.exact_head import exact_head
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import view

TIMES = Parameter(
    "times",
    "length of the text, in training lengths",
    4,
    1,
    16,
    1,
    "power of two",
    least=1,
    most=16,
)
LOOK_BACK = Parameter("look_back", "how many tokens back the head attends", 16, 0, 128, most=128)
PARTS = (0, 0.25, 0.5, 0.75, 1)  # of attention, on an axis
HEADS_KEPT = 4096  # at most, with their results
LONGER = {
    "needs": "training_length as_trained frequencies",
    "ignores": "seq_len pairing content draw",
}


def longer(encoding, times: int) -> tuple[int, int, np.ndarray, np.ndarray]:
    """Return the training length, the text's length, and θ as trained and on this text."""
    trained = encoding.training_length
    length = times * trained
    return trained, length, encoding.as_trained.frequencies, encoding.at(seq_len=length).frequencies


@view("free", "Angles from training and new ones", **LONGER, square=True)
def angles_seen(pen, encoding, times=TIMES):
    """Draw the angles each pair saw in training, in gray, and those a longer text shows it for
    the first time.
    """
    trained, length, theta, now = longer(encoding, times)
    turn, pairs = 2 * np.pi, len(theta)
    window = encoding.window or length  # no offset is longer
    before, after = min(trained, window), min(length, window)
    seen, last, none = (
        np.minimum(before * theta, turn),
        np.minimum(after * now, turn),
        np.zeros(pairs),
    )
    # An angle within a step of a trained one isn't new: squeezed ones land in between.
    new = (seen < turn) & (after * now - seen > theta)
    side = math.ceil(math.sqrt(pairs))
    rows = {row: str(row * side) for row in range(0, side, 1 + side // 10)}
    pen.axes((-0.6, side - 0.4), (side - 0.4, -0.6), xticks=(), yticks=rows)
    pen.unit("↓ pair; gray: seen in training,", ("new angles", style.KEY))
    whole, met = (none, none + turn, seen < turn, style.GRID), (none, seen, seen > 0, style.GHOST)
    for begin, end, there, color in (whole, met, (seen, last, new, style.KEY)):
        arcs = []
        for pair in np.flatnonzero(there):  # counter-clockwise, on axes whose y runs down
            a = np.linspace(begin[pair], end[pair], 2 + int(5.0 * (end[pair] - begin[pair])))
            arcs.append(
                np.array(divmod(pair, side)[::-1])
                + 0.4 * np.stack([np.cos(a), -np.sin(a)], axis=-1)
            )
        pen.strokes(arcs, color=color, lw=min(3.4, 27 / side), capstyle="butt")
    count, full = int(new.sum()), int((seen == turn).sum())
    meet = f"{count} of {style.plural(pairs, 'pair')} {'sees' if count == 1 else 'see'} new angles"
    pen.title(meet if count else "No new angles")
    told = f"In {trained:,} positions of training, {full} of {pairs} pairs completed a turn (gray)"
    if window < trained:
        told = f"In a window of {window:,} tokens, {full} of {pairs} pairs complete a turn (gray)"
    return f"{told}. A text of {length:,} takes {count} of the others to new angles (blue)."


@lru_cache(HEADS_KEPT)
def fitted(kind, values: tuple, aim):
    """Return the best head of an encoding of this class and these values."""
    one = kind(**dict(values))
    made = exact_head(one, look_back=aim, seq_len=one.seq_len)
    # without the table made for its check
    return replace(made, encoding=made.encoding.at())


def share(part: float) -> str:
    """Return a share of attention for a sentence; the digits of a tiny one mean nothing."""
    return number(part) if part >= 0.001 else "under 0.001"


BACK = replace(LOOK_BACK, default=3)
BY_LENGTH = {
    "x": "tokens in the text",
    "log": "x",
    "ends": lambda width, seq_len: {"look_back": seq_len - 1},
}


def lengths_from(fitted: int, doublings: int, steps: int) -> np.ndarray:
    """Return text lengths from the fitted one up, with so many steps per doubling."""
    return np.rint(fitted * 2 ** (np.arange(steps * doublings + 1) / steps)).astype(int)
