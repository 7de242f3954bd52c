"""Which bases keep the dot product of a position with any other one of the training length above zero."""

import functools

import numpy as np

from posenc_lib.encodings.similarity import first_negative
from posenc_lib.views import style
from posenc_lib.views.view import view

# Whole bases: close ones where those that pass lie in narrow windows, fewer where far offsets make them slow to try
TRIED = np.rint([*np.geomspace(1e3, 1e5, 601), *np.geomspace(1e5, 1e7, 201)[1:]])
FEWEST = 2**15  # offsets that are tried at least
KNOWN: set[tuple[int, int]] = set()  # head_dim and how many offsets, where all bases were tried already


def _waits(encoding, values) -> str:
    """Return what to say while the bases are tried, the first time that it takes a moment."""
    return "trying bases…" if (encoding.head_dim, _most(encoding.training_length)) not in KNOWN else ""


@view(
    "curves",
    "First offset with Σcos < 0",
    x="base",
    y="first offset where Σcos < 0",
    needs="training_length head_dim base",
    ignores="seq_len content draw pairing rope_type factor",
    wakes="trained",
    log="xy",
    waiting=_waits,
)
def passing_bases(pen, encoding):
    """Draw for each base the first offset at which Σcos is below zero; those beyond the training length pass."""
    dim, base, length = encoding.head_dim, encoding.base, encoding.training_length
    most = _most(length)
    first, own = _of_tried(dim, most), _first_below(dim, base, most)
    passes, top = first > length, 3 * most
    left, high, wide = min(TRIED[0], base) / 1.3, max(TRIED[-1], base), pen.size[0]
    lowest = 10.0 ** np.floor(np.log10(min(*first, own, length)))
    pen.axes((left, 1.3 * high), (lowest / 1.5, top), xticks=None if wide > 420 else (1e3, 1e5, 1e7))
    pen.region(length, top, f"passes: above zero in all {length:,} tokens", axis="y")
    pen.at("y", length)
    for chosen, color in ((~passes, style.RULE), (passes, style.KEY)):
        pen.dots(np.stack([TRIED, np.minimum(first, most)], axis=1)[chosen], color=color, size=3.6, lw=0)
    if np.isinf(first).any():
        pen.label(f"beyond {most:,}", (high, most), (0, -12), color=style.KEY, ha="right")
    pen.query(base, top=min(own, most), color=style.INK, name=style.plain(base))
    pen.says = lambda x, y: f"{min(first[np.abs(np.log(TRIED / x)).argmin()], most):,.0f}"
    fate = "passes" if own > length else "fails"
    when = f"falls below zero at {own:,.0f}" if own <= most else f"stays above zero up to {most:,}"
    pen.title(f"Base {style.plain(base)} {fate}: Σcos {when}")
    told = f"Trained on {length:,} tokens, base {style.plain(base)} {fate}: Σcos {when}."
    if passes.all() or not passes.any():
        return f"{told} {'All' if passes.all() else 'None'} of the {len(TRIED)} bases tried would pass."
    least, last = TRIED[passes].min(), TRIED[~passes].max()
    return f"{told} The smallest of {len(TRIED)} bases that passes is {least:,.0f}, the largest that fails {last:,.0f}."


def _most(length: int) -> int:
    """Return how many offsets are tried, enough to tell whether a base passes."""
    return max(FEWEST, 2 ** length.bit_length())


@functools.lru_cache(64)
def _of_tried(dim: int, most: int) -> np.ndarray:
    KNOWN.add((dim, most))
    return np.array([_first_below(dim, base, most) for base in TRIED])


@functools.lru_cache(1024)
def _first_below(dim: int, base: float, most: int) -> float:
    """Return what `first_negative` returns, infinity for none."""
    return first_negative(dim, base, most=most) or np.inf
