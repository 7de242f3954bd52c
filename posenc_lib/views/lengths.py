"""How long each step is, from one position to the next."""

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import view

BARS = 128  # more would be one block of colour
WIDEST = 20  # px of a bar
ABOUT = {"x": "from position", "y": "distance to the next", "pointer": ("position", None)}


@view("curves", "Length of each step", ignores="layout", **ABOUT)
def steps(pen, encoding, bound=None):
    """Draw the length of every step; those that stand out as the longest are in ink."""
    lengths = encoding.steps
    count, where, far = len(lengths), np.arange(len(lengths)), _longest(lengths)
    pen.axes(count, (0, style.nice_bound(max(1.1 * lengths.max(initial=0), bound or 0))))
    wide = min(0.72, WIDEST / (pen.size[0] / float(np.ptp(pen.limits["xlim"]))))
    if count > BARS:
        pen.curve(lengths, lw=1)
    else:
        pen.bars(where[~far], 0, lengths[~far], wide=wide)
        pen.traces.append(("dashes", np.stack([where, lengths], axis=1)))  # a ghost is the line of the tops
    pen.bars(where[far], 0, lengths[far], wide=wide, color=style.INK)
    ends = list(dict.fromkeys(map(number, (lengths.min(initial=np.inf), lengths.max(initial=0)))))
    if count == 0:
        return "Steps: one position, no step."
    if not far.any():
        between = f"between {ends[0]} and {ends[-1]} long"
        pen.title(f"Steps are {between}" if len(ends) > 1 else f"Every step is {ends[0]} long")
        return f"Steps: {between}." if len(ends) > 1 else f"Steps: {ends[0]} long."
    first, many = int(np.argmax(far)), int(far.sum())
    step = f"{first} → {first + 1}"
    pen.label(step, (first, lengths[first]), (0, 9))
    pen.title(f"{step} is the longest step: {ends[-1]}" if many == 1 else f"{many} longest steps, {ends[-1]} each")
    text = f"Steps: from {number(lengths.min())} to {number(lengths.max())} long, {number(lengths.mean())} on average"
    return f"{text}; the longest from position {first} to {first + 1}."


def _longest(steps: np.ndarray) -> np.ndarray:
    """Return which steps are the longest, where they are clearly longer than others."""
    if len(steps) == 0 or steps.max() < 1.1 * steps.min() + 1e-12:
        return np.zeros(len(steps), bool)
    return steps > steps.max() - 1e-9
