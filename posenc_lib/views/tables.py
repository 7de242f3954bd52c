"""The table as colors, alone or added to words, and what it does to words."""

from dataclasses import replace

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.points import plane
from posenc_lib.views.style import number
from posenc_lib.views.view import view

BOLD = {"fontweight": "bold"}
TITLES = {"positions": "Positions alone", "words": "Words alone", "sum": "Words + positions"}
DIMS = Parameter(
    "shown_dims", "how many dims to draw, from the first", None, 1, 1024, start=1024, least=1
)
PART = Parameter("part", "what to draw: positions, words or their sum", None, options=tuple(TITLES))
SCALE = Parameter(
    "embed_scale", "factor for every word vector, which has length 1", 1, 1, 64, least=1
)
ASKED = replace(SCALE, default=None, start=1)


@view("cells", "The table", x="position", y="dim", wide=856)
def heatmap(
    pen,
    encoding,
    shown_dims=DIMS,
    part=PART,
    embed_scale=ASKED,
    query=None,
    position=None,
    bound=None,
    pair=None,
):
    """Color a table, a column for each position, or words or their sum; frame the dims of a pair.

    Colors go from −bound to bound if it's given; with words, they don't depend on the words.
    """
    whole = encoding.table
    if part in ("words", "sum"):
        if not encoding.has("rows"):
            raise ValueError(
                f'part must be "positions" for {encoding.name}, which adds nothing to words'
            )
        words = toy_data.embedded(*encoding.table.shape, embed_scale or 1)
        whole = words + encoding.table if part == "sum" else words
        bound = style.tight_bound(2 * np.abs(encoding.table).max())
    table = whole[:, :shown_dims]
    pen.cells(table.T, None if bound is None else (-bound, bound))
    framed = sorted(plane(encoding, pair)) if pair is not None and table.shape[1] > 2 else ()
    for row in framed:  # neighbors in one frame, with the first one's number
        if row - 1 not in framed:
            pen.frame(-0.5, row - 0.5, len(table), 1 + (row + 1 in framed), style.PAIR, 1.4)
            pen.tick("y", row, color=style.PAIR)
    pen.query(position if query is None else query)
    if part:
        length = about(whole)
        pen.title(f"{TITLES[part]}: {length} long")
        return f"{TITLES[part]}: {len(table)} vectors of length {length}."
    low, high = map(number, (table.min(), table.max()))
    signs = np.signbit(table[:, [0, -1]])
    first, last = (signs[1:] != signs[:-1]).sum(axis=0).tolist()
    falls = first > 2 * last + 2
    pen.title("Fast rows above, slow rows below" if falls else f"Values from {low} to {high}")
    return f"Table: {len(table)} positions × {table.shape[1]} dims, values from {low} to {high}."


def about(table) -> str:
    """Return how long the rows of a table are, or about how long if they differ."""
    lengths = np.linalg.norm(table, axis=1)
    differ = np.ptp(lengths) > 1e-3 * lengths.max()
    usual = number(float(np.median(lengths)))
    return f"about {usual}" if differ else usual
