"""RoPE and ALiBi in real code: what a port makes of them, the order it needs, bugs, and narrow numbers."""

import math

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import softmax
from posenc_lib.encodings.pairing import PAIRINGS, order_for_other
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.rope_bugs import BUGS
from posenc_lib.views import style
from posenc_lib.views.pen import color_limits
from posenc_lib.views.scores import DOTTED, PAIRS, eighths
from posenc_lib.views.style import number
from posenc_lib.views.view import QUERY, view

NUMBERED = 16  # dims whose numbers are written
PERMUTED = Parameter("permuted", "whether a port has put rows in the order it needs", False, options=(False, True))
BUG = Parameter("bug", "what goes wrong", "none", options=("none", *BUGS))
PORTABLE = {"needs": "", "ignores": "layout"}  # where code reads an encoding's weights in another way
PORTABLE |= {"only": lambda e: ("pairing" in e.values and e.has("rotate")) or (e.has("biases") and e.has("num_heads"))}
ORDER = {"needs": "rotate pairing", "matters": lambda e: [n for n in e.values if n in (e.width, "pairing")]}


def of_pairs(encoding) -> np.ndarray:
    """Return all scores of a model whose other pairs turn now, the rows as they were and permuted; (2, n, n)."""
    other = encoding.at(pairing=next(pairing for pairing in PAIRINGS if pairing != encoding.pairing))
    orders = slice(None), order_for_other(encoding.pairing, encoding.num_dims)
    turned = ([other.rotate(x[:, order], len(x)) for x in encoding.tiled_qk()] for order in orders)
    return np.stack([q @ k.T for q, k in turned])


def of_biases(encoding, query: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where one query looks, in %, in a head as it is written, and in head 0 of Falcon: add, then divide."""
    q, k, _ = encoding.projected(toy_data.tokens(encoding.seq_len, encoding.num_dims))
    root, scores, biases = math.sqrt(len(q[0])), k[: query + 1] @ q[query], encoding.biases(np.arange(-query, 1))
    return 100 * softmax(scores / root + biases[encoding.head]), 100 * softmax((scores + biases[0]) / root)


@view("curves", "After porting", x="position of the key", **PORTABLE)
def port(pen, encoding, query=QUERY, permuted=PERMUTED):
    """Draw what one query makes of its keys after porting, over what the model was trained with, in grey.

    Of a rotary encoding these are scores where the pairs of the other pairing turn, on axes for all queries. Of a bias
    it is attention where the score alone is divided by √d, while head 0 was trained with the sum divided (Falcon).
    """
    if encoding.has("rotate"):
        both, what, unit = of_pairs(encoding), "score", ""
        now, trained = both[int(permuted), query], both[1, query]
        ends = eighths(min(both.min(), 0), max(both.max(), 0), float(np.abs(both).max()))
    else:  # steep heads leave the picture
        (now, trained), what, unit, ends = of_biases(encoding, query), "% of attention, cut at 40", " %", (0, 42)
    gap = np.abs(now - trained)
    worst, most = int(gap.argmax()), number(gap.max())
    pen.axes(encoding.seq_len, ends)
    pen.unit(f"↑ {what}:", ("after porting", style.KEY), "over grey: as trained")
    pen.change(range(len(now)), trained, now, dotted=encoding.seq_len <= DOTTED)
    if most != "0":
        pen.strokes([[(worst, trained[worst]), (worst, now[worst])]], color=style.INK, lw=1.4)
        pen.mark([(worst, now[worst])], size=9)
    pen.query(query, top=now[query])
    seen = "Every key comes out right" if most == "0" else f"Off by up to {most}{unit and ' points'}"
    pen.title(seen)
    own, before = number(now[query]), number(trained[query])
    return f"Query {query} gives its own key {own}{unit}, as trained {before}{unit}. {seen}."


@view("free", "The order that the other pairing needs", numbers=56, **ORDER)
def permutation(pen, encoding):
    """Join each row's old place with its new one; the two that turn together have one colour."""
    order, interleaved = order_for_other(encoding.pairing, encoding.num_dims), encoding.pairing == "interleaved"
    width, half = len(order), encoding.num_dims // 2
    pair = order // 2 if interleaved else order % half
    shades = style.position_colors(41)[np.linspace(0, 40, half).astype(int)]  # one colour for each pair
    pen.axes((-0.7, width - 0.3), (-0.3, 1.3), xticks=(), yticks={1: "before", 0: "after"})
    pen.unit("one colour for two rows that turn together")
    lw = float(np.clip(pen.size[0] / width / 8, 0.7, 2.4))
    both = np.stack([order, np.ones(width)], axis=1), np.stack([np.arange(width), np.zeros(width)], axis=1)
    pen.strokes(np.stack(both, axis=1), color=shades[pair], lw=lw)
    for ends in both:
        pen.dots(ends, color=shades[pair], size=20 if width <= NUMBERED else 3 * lw + 2, lw=1)
        for end, row, color in zip(ends, order, shades[pair], strict=True) if width <= NUMBERED else ():
            pen.text(str(row), end, fontsize=style.NUMBERS, fontweight="bold", color=style.readable_on(color))
    apart = f"{style.plural(half, 'place')} apart"
    pen.title(f"Neighbours move {apart}" if interleaved else f"Rows {apart} become neighbours")
    told = ", ".join(map(str, order[:NUMBERED])) + (", …" if width > NUMBERED else "")
    return f"New order of {width} rows: {told}."


@view("cells", "Scores that a bug makes", needs="rotate base", **PAIRS | {"y": "row of the query"})
def rope_bugs(pen, encoding, bug=BUG):
    """Colour the scores that a bug makes, on a scale that holds the right ones, too."""
    matrix = right = encoding.similarity
    if bug != "none":
        queries, keys = BUGS[bug](encoding, *encoding.tiled_qk())
        matrix = queries @ keys.T
    pen.cells(matrix, color_limits(np.concatenate([matrix, right])))
    if matrix.shape != right.shape:
        pen.title(f"{style.plural(len(matrix), 'row')} of scores, one query")
        return f"Bug {bug}: {len(matrix)} rows of scores over {len(right)} keys, for one query."
    gap = np.abs(matrix - right)
    wrong, most = number(100 * (gap > 1e-9 * np.abs(right).max()).mean()), number(gap.max())
    seen = "All scores are right" if most == "0" else f"{wrong} % are wrong, by up to {most}"
    pen.title(seen)
    return f"{'No bug' if bug == 'none' else f'Bug {bug}'}, {matrix.size} scores: {seen}."
