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
    count, where, longest = len(lengths), np.arange(len(lengths)), lengths.max(initial=0)
    stand_out = longest > 1.1 * lengths.min(initial=np.inf) + 1e-12
    far = (lengths > longest - 1e-9) & stand_out
    pen.axes(count, (0, style.nice_bound(max(1.1 * longest, bound or 0))))
    if count == 0:
        return "Steps: one position, no step."
    wide = min(0.72, WIDEST / (pen.size[0] / float(np.ptp(pen.limits["xlim"]))))
    if count > BARS:
        pen.curve(lengths, lw=1)
    else:
        pen.bars(where[~far], 0, lengths[~far], wide=wide)
        pen.traces.append(("dashes", np.stack([where, lengths], axis=1)))  # a ghost is the line of the tops
    pen.bars(where[far], 0, lengths[far], wide=wide, color=style.INK)
    low, high = number(lengths.min()), number(longest)
    told = f"Steps are between {low} and {high} long" if low != high else f"Every step is {high} long"
    if not stand_out:
        pen.title(told)
        return f"{told}."
    first, many = int(np.argmax(far)), int(far.sum())
    step = f"{first} → {first + 1}"
    pen.label(step, (first, longest), (0, 9))
    pen.title(f"{step} is the longest step: {high}" if many == 1 else f"{many} longest steps, {high} each")
    return f"{told}; the longest from position {first} to {first + 1}."
