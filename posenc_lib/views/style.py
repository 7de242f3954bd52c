"""Colours, numbers and limits that all views share."""

import math
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np

RC = mpl.rc_params_from_file(Path(__file__).with_name("posenc.mplstyle"), use_default_template=False)

# Roles, not just colours: the same thing looks the same in every view.
BLUE = "#0072B2"  # the curve
QUERY = "#D55E00"  # the position that asks
LINE = "#999999"  # what only joins or measures
OTHER = "#7B3294"  # the second of two things of one kind
GHOST = "#BBBBBB"  # what was there before
SEQUENTIAL = "cividis"
DIVERGING = "RdBu"

PAPER = {"fc": "white", "ec": "none", "alpha": 0.8, "pad": 1}  # keeps a name readable where it meets a line
NAME = {"fontsize": 10, "fontweight": "bold", "bbox": PAPER}


def styled():
    """Return a context in which new artists take the project's style; the caller's own settings come back after."""
    return mpl.rc_context(RC)


def position_colors(n: int) -> np.ndarray:
    """Return a colour for each of n positions, dark to light, shape (n, 4)."""
    return mpl.colormaps[SEQUENTIAL](np.linspace(0, 1, n))


def nice_bound(value: float) -> float:
    """Return the next round number at or above value, so that axes move seldom and read well."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if value <= step * power * (1 + 1e-9))


def tight_bound(value: float) -> float:
    """Return value rounded up to two digits: close enough for a colour scale, where free room is lost contrast."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / unit * (1 - 1e-9)) * unit


def lowest(values: np.ndarray) -> int:
    """Return the first place of the lowest value, counted through; rounding noise does not decide between equals."""
    return int(np.argmax(values <= values.min() + 1e-9 * np.abs(values).max()))


def plain(value: float, place=None) -> str:
    """Return a power of ten as people write it, for the ticks of a logarithmic axis: 0.01, 1, 10,000."""
    return f"{value:,.10g}"


def number(value: float) -> str:
    """Return value in three digits (more before the point) for a sentence; rounding noise is 0."""
    if abs(value) < 1e-12:
        return "0"
    text = f"{value:,.0f}" if 999.5 <= abs(value) < 1e7 else f"{value:.3g}"
    # beside a colour scale there is little room: 8.5e-5, not 8.5e-05
    text = re.sub(r"e([+-])0*", lambda found: "e" + found[1].strip("+"), text)
    return text.replace("-", "−")  # a true minus sign
