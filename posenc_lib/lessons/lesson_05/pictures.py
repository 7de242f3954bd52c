"""The pictures only lesson 05 shows."""

import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.points import wedge
from posenc_lib.views.scores import PAIRS, all_pairs
from posenc_lib.views.style import number
from posenc_lib.views.view import OFFSET, PAIR, view


@view(
    "curves", "Length of each step", x="from position", y="distance to the next", ignores="layout"
)
def steps(pen, encoding, bound=None):
    """Draw the length of every step; the longest ones, if they stand out, are in ink."""
    lengths = encoding.steps
    longest, where = lengths.max(initial=0), np.arange(len(lengths))
    pen.axes(len(lengths), (0, style.nice_bound(max(1.1 * longest, bound or 0))))
    if not len(lengths):
        return "One position, so there are no steps."
    far = (lengths > longest - 1e-9) & (longest > 1.1 * lengths.min() + 1e-12)
    wide = min(0.72, 20 / (pen.size[0] / pen.spans[0]))  # px of a bar
    for chosen, color in ((~far, style.KEY), (far, style.INK)):
        pen.bars(where[chosen], 0, lengths[chosen], wide=wide, color=color)
    pen.traces.append(("curve", np.stack([where, lengths], axis=1)))  # a ghost is a line of tops
    low, high, many = number(lengths.min()), number(longest), int(far.sum())
    told = f"Every step has length {high}"
    if low != high:
        told = f"Steps have lengths from {low} to {high}"
    if not many:
        pen.title(told)
        return f"{told}."
    first = int(np.argmax(far))
    step = f"{first} → {first + 1}"
    pen.label(step, (first, longest), (0, 9))
    title = f"The {many} longest steps: {high} each"
    if many == 1:
        title = f"{step} is the longest step: {high}"
    pen.title(title)
    return f"{told}. The longest goes from position {first} to {first + 1}."


WORD_NORM = Parameter("word_norm", "how long the word's vector is", 8, 0, 24)

MATRICES = Parameter(
    "matrices", "whether the word goes through W_q and W_k first", False, options=(False, True)
)


@view("cells", "One word: score − mean", **PAIRS, needs="relate", ignores="content draw")
def token_scores(pen, encoding, word_norm=WORD_NORM, matrices=MATRICES):
    """Color the scores of one word that's at every position, less their mean.

    With matrices, random W_q and W_k make the queries and keys. The word alone lifts all scores
    equally. Softmax doesn't notice that, so the mean is subtracted.
    """
    token = toy_data.tokens(1, encoding.num_dims)
    x = encoding.embed(np.tile(word_norm / np.linalg.norm(token) * token, (encoding.seq_len, 1)))
    matrix = sum(encoding.scores_and_bias(*(encoding.projected(x)[:2] if matrices else (x, x))))
    mean = float(matrix.mean())
    bound = style.tight_bound(float(np.abs(matrix - mean).max().round(9)))  # noise is nothing
    text = all_pairs(pen, matrix, "dot products", clim=(-bound, bound), less=mean)
    pen.unit("↓ query; score − mean")
    pen.says = lambda x, y: number(float(matrix[round(y), round(x)])) if pen.inside(x, y) else ""
    return text


MATRIX = {"x": "dim before", "y": "dim after", "square": True}


@view("free", "One step", needs="shift query_and_key", ignores="layout", square=True)
def shifted(pen, encoding, offset=OFFSET, pair=PAIR):
    """Draw one step from three positions, each on its own clock;
    a step can leave the sequence.
    """
    points = encoding.table[:, encoding.pair_dims(pair)]
    angle = encoding.turning_sense * offset * float(encoding.frequencies[pair])
    size = float(np.linalg.norm(points, axis=1).max())
    begins = np.unique(np.linspace(0, len(points) - 1, 3).round().astype(int)).tolist()
    middles = size * np.array([(0, 1.6), (-1.6, -1.15), (1.6, -1.15)][: len(begins)])
    pen.axes((-2.9 * size, 2.9 * size), (-2.9 * size, 2.9 * size), xticks=(), yticks=())
    colors = style.position_colors(len(points))
    for begin, middle in zip(begins, middles, strict=True):
        start = math.atan2(points[begin, 1], points[begin, 0])
        tip = size * np.array([math.cos(start + angle), math.sin(start + angle)])
        pen.circle(middle, size)
        pen.dots(points + middle, color=colors, size=3.5, lw=0)
        wedge(pen, middle, 0.6 * size, start, math.fmod(angle, 2 * math.pi), named=False)
        pen.strokes([[middle, middle + points[begin]]], color=style.INK, lw=1.4, linestyle=":")
        pen.arrow(middle, middle + tip, style.INK)
        step = f"{begin} → {number(begin + offset)}"
        pen.text(step, middle - (0, 1.28 * size), fontweight="bold")
    degrees = number(math.copysign(math.degrees(angle), offset))
    steps = f"{style.plural(abs(offset), 'step')} {'back' if offset < 0 else 'forward'}"
    pen.title(f"{steps}: each turns {degrees}°")
    return f"A step of {number(offset)} turns pair {pair} by {degrees}°, wherever it starts."


@view("cells", "One matrix for all", **MATRIX, needs="shift", ignores="content seq_len")
def shift_matrix(pen, encoding, offset=OFFSET, pair=None):
    """Color the matrix that moves the row of any position by an offset; frame a pair's block."""
    matrix = encoding.shift(offset)
    pen.cells(matrix, (-1, 1))
    if len(matrix) <= 8:  # dims up to which each cell's number is written
        pen.fill("{:.2g}", blank=0)
    if pair is not None:
        first, second = sorted(encoding.pair_dims(pair))
        if second == first + 1:  # a block
            pen.frame(first - 0.5, first - 0.5, 2, 2, style.PAIR)
    filled = np.count_nonzero(matrix)
    pen.title(f"{filled} of {matrix.size} numbers aren't 0")
    told = (
        f"{filled} of its {matrix.size} numbers aren't 0, and the first is {number(matrix[0, 0])}"
    )
    return f"The matrix for a step of {number(offset)}: {told}."
