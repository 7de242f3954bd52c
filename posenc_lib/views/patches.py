"""The patches of an image, colored by their cosine with one of them."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.style import number
from posenc_lib.views.view import view

ROW = Parameter("row", "row of the query patch", 6, 0, 63)
COLUMN = Parameter("column", "column of the query patch", 6, 0, 63)
DISTANCE = Parameter(
    "distance", "how far away the marked patches are, rounded; 0 marks none", 0, 0, 10, most=90
)


@view("cells", "Cosine with one patch", x="column", y="row", needs="grid queries_keys", square=True)
def patches(pen, encoding, row=ROW, column=COLUMN, distance=DISTANCE):
    """Color each patch of an image by its cosine with the query patch, which is framed."""
    (rows, columns), last = encoding.grid, encoding.seq_len - 1
    at, side = min(row * columns + column, last), max(rows, columns) - 0.5
    row, column = divmod(at, columns)
    both = np.asarray(encoding.queries_keys, float)
    queries, keys = both / np.linalg.norm(both, axis=2, keepdims=True)
    negative = (
        keys @ queries[[at, 0, columns - 1]].T
    ).min() < -1e-9  # the corners cover all offsets
    cosines = np.full(rows * columns, np.nan)
    cosines[: last + 1] = keys @ queries[at]
    pen.cells(
        cosines.reshape(rows, columns),
        (-float(negative), 1.0),
        xlim=(-0.5, side),
        ylim=(side, -0.5),
    )
    down, right = np.indices((rows, columns)).reshape(2, -1)
    ring = (
        (np.rint(np.hypot(down - row, right - column)) == distance)
        & np.isfinite(cosines)
        & (distance > 0)
    )
    pen.mark(np.stack([right, down], axis=1)[ring], size=6, lw=0.8)
    pen.frame(column - 0.5, row - 0.5, 1, 1)
    pen.tick("x", column, color=style.QUERY)
    pen.tick("y", row, color=style.QUERY)
    beside = {"itself": at, "the next patch": at + 1, "the patch below": at + columns}
    told = ", ".join(
        f"{number(cosines[there])} with {name}" for name, there in beside.items() if there <= last
    )
    text = f"Row {row}, column {column}: cosine {told}"
    if not ring.any():
        return f"{text}."
    low, high = number(cosines[ring].min()), number(cosines[ring].max())
    spread = f"{low} to {high}" if low != high else low
    pen.title(f"{distance} away: cosine {spread}")
    return f"{text}. {distance} away: cosine {spread}."
