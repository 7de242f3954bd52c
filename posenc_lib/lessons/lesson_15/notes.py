"""A nurse's twenty notes, whose positions are the hours at which they were taken."""

import numpy as np

from posenc_lib.encodings.sinusoidal import sinusoidal

# three visits: today, the next day, and three days later
hours = np.concatenate(
    [np.linspace(*visit) for visit in ((0, 1.5, 6), (30, 33.2, 7), (100, 102.4, 7))]
)


def notes(n, d_model, per_hour=1.0):
    """Return the sinusoidal code of notes by number, with length 1.

    per_hour is the unit: how many positions an hour has.
    """
    taken = np.interp(n, np.arange(len(hours)), hours)
    return sinusoidal(per_hour * taken, d_model) / np.sqrt(d_model / 2)
