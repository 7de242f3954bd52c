"""Figures of what attention makes of positions: dot products, turns, relations; lessons 05 to 09."""

from posenc_lib.figures.card import ROW, Card
from posenc_lib.figures.registry import figure
from posenc_lib.figures.shots import Shot


@figure(
    "sinusoidal_dot_product",
    "05_sinusoidal",
    "One position against all: nine of them in two dims, and {seq_len} in {d_model} dims.",
    "Left, nine points of a cosine wave, highest at the query, which a vertical line marks. Right, a sharp peak "
    "at the query that falls off on both sides in growing ripples.",
    moves=("query", 0, 127),
)
def sinusoidal_dot_product(seq_len=128, d_model=128, base=10_000.0, query=64):
    setting = {"seq_len": seq_len, "d_model": d_model, "base": base, "query": query}
    return [
        Shot("dot_product", "sinusoidal", seq_len=9, d_model=2, query=4, title="Dot products, 2 dims"),
        Shot("dot_product", "sinusoidal", title=f"Dot products, {d_model} dims", **setting),
    ]


@figure(
    "toeplitz",
    "05_sinusoidal",
    "Only the offset counts: every diagonal of the {seq_len} × {seq_len} dot products has one value.",
    "Left, a square striped along its diagonals, the main one brightest. Right, the same numbers against the "
    "offset: one thin curve, highest at zero and alike on both sides.",
    moves=("base", 10, 1e6),
)
def toeplitz(seq_len=64, d_model=64, base=10_000.0):
    setting = {"seq_len": seq_len, "d_model": d_model, "base": base}
    by_offset = Shot("score_by_offset", "sinusoidal", title="Dot products by offset", **setting)
    return [Shot("similarity", "sinusoidal", **setting), by_offset]


@figure(
    "kernel_by_base",
    "05_sinusoidal",
    "The larger the base, the higher the dot product stays between far positions: {d_model} dims, {seq_len} positions.",
    "Wavy curves that start at one. They fall fast, then slowly, the larger the base the less; at base 100 the "
    "curve goes below zero and later climbs back to it.",
    moves=("base", 10, 1e6),
)
def kernel_by_base(seq_len=512, d_model=128, base=10_000.0):
    return [Shot("kernel_by_base", "sinusoidal", seq_len=seq_len, d_model=d_model, base=base)]


@figure(
    "shift_rotation",
    "05_sinusoidal",
    "A step of {offset} turns a pair by the same angle wherever it starts, and one matrix turns all pairs, "
    "{d_model} dims, at once.",
    "Left, positions on a circle; outside it four arcs of one angle, each from one position to the one a step "
    "later, ending in a dot. Right, a matrix that is empty but for small blocks along its diagonal, which fade "
    "into a plain diagonal.",
    moves=("offset", 0, 16),
)
def shift_rotation(seq_len=32, d_model=32, base=10_000.0, offset=5, pair=2):
    setting = {"seq_len": seq_len, "d_model": d_model, "base": base, "offset": offset}
    return [Shot("shifted", "sinusoidal", pair=pair, **setting), Shot("shift_matrix", "sinusoidal", **setting)]


@figure(
    "rotation_of_basis",
    "06_rope",
    "What a turn at position {query} does to the plane: where (1, 0) and (0, 1) go are the columns of its matrix.",
    "Left, two hands at right angles, each turned by the same arc from its dotted start on an axis. Right, the "
    "matrix of the turn, two by two, its four numbers written in their cells.",
    moves=("query", 0, 12),
)
def rotation_of_basis(query=1):
    setting = {"seq_len": query + 1, "head_dim": 2}
    return [
        Shot("basis", "rope", query=query, pair=0, **setting),
        Shot("shift_matrix", "rope", offset=query, title=f"The turn at position {query}", **setting),
    ]


@figure(
    "rope_block_matrix",
    "06_rope",
    "RoPE at position {offset} as one matrix: a turn for each pair, zeros elsewhere; {head_dim} dims, and 64 of them.",
    "Left, a grid with two-by-two blocks of numbers along the diagonal. Right, the same for many dims: the first "
    "blocks are mixed, farther down only the diagonal of ones is seen.",
    moves=("offset", 0, 23),
)
def rope_block_matrix(offset=3, head_dim=8, base=10_000.0, pairing="interleaved"):
    setting = {"seq_len": abs(offset) + 1, "base": base, "pairing": pairing, "offset": offset}
    return [
        Shot("shift_matrix", "rope", head_dim=d, title=f"Position {offset}, {d} dims", **setting)
        for d in (head_dim, 64)
    ]


@figure(
    "rope_trajectory",
    "06_rope",
    "RoPE turns one vector of ones: four positions in two dims, and {seq_len} of them in dims {x_dim} and {y_dim}.",
    "Left, four points a radian apart on a circle through (1, 1), joined by straight lines. Right, many points "
    "close together once round the same circle.",
    moves=("seq_len", 4, 128),
)
def rope_trajectory(seq_len=64, head_dim=64, base=10_000.0, x_dim=16, y_dim=17):
    return [
        Shot("trajectory", "rope", seq_len=4, head_dim=2, x_dim=0, y_dim=1, title="4 positions"),
        Shot(
            "trajectory",
            "rope",
            seq_len=seq_len,
            head_dim=head_dim,
            base=base,
            x_dim=x_dim,
            y_dim=y_dim,
            title=f"{seq_len} positions",
        ),
    ]


@figure(
    "rope_offset_only",
    "06_rope",
    "One query and one key, set down at every position: with RoPE only the offset counts; with positions added, "
    "the place counts, too.",
    "Left, scores of all pairs, each diagonal of one colour. Middle, the same scores against the offset: one thin "
    "curve. Right, the scores with positions added: a bright diagonal that changes along its way, crossed by "
    "level and upright bands.",
    moves=("base", 10, 1e6),
)
def rope_offset_only(seq_len=64, head_dim=64, base=10_000.0, content="random"):
    setting = {"seq_len": seq_len, "head_dim": head_dim, "base": base, "content": content}
    titles = {"similarity": "Scores with RoPE", "score_by_offset": "By offset", "additive_scores": "Positions added"}
    return [Shot(view, "rope", title=title, **setting) for view, title in titles.items()]


@figure(
    "rope_rotation",
    "06_rope",
    "Query and key turn together: while the key stays {offset} after the query, their dot product stays the same.",
    "Left, two hands turn round the plane and keep the angle between them; the number below them never changes. "
    "Right, the score against the offset: a wave, and a dot on it that stays at rest.",
    moves=("query", 0, 23),
    moving=True,
)
def rope_rotation(query=6, offset=1, seq_len=32, head_dim=2, content="random"):
    setting = {"seq_len": seq_len, "head_dim": head_dim, "content": content, "offset": offset}
    return [Shot("vectors", "rope", query=query, pair=0, **setting), Shot("score_by_offset", "rope", **setting)]


@figure(
    "shaw_clip",
    "07_relative",
    "Shaw et al. clip offsets at {clip}: all keys that far back or farther share the first row of the table, all "
    "that far ahead or farther the last.",
    "Left, all pairs of positions: a band of changing colour along the diagonal, one colour above it and one "
    "below; a line marks one query. Right, a staircase that is flat on both sides, a dot on one offset.",
    moves=("clip", 0, 24),
)
def shaw_clip(seq_len=32, clip=8, query=16, offset=5):
    setting = {"seq_len": seq_len, "clip": clip}
    return [
        Shot("bucket_map", "shaw", query=query, **setting),
        Shot("bucket_by_offset", "shaw", offset=offset, **setting),
    ]


@figure(
    "t5_buckets",
    "07_relative",
    "T5 sorts offsets into {num_buckets} buckets: near ones one by one, far ones by ever larger handfuls, the "
    "last for all the rest.",
    "Left, all pairs of positions: stripes along the diagonals, thin near the main one, ever broader away from "
    "it; a line marks one query. Right, a staircase on each side of zero with a tall jump between; its steps get "
    "longer the farther the offset, and a dot marks one offset.",
    moves=("offset", -150, 150),
)
def t5_buckets(seq_len=160, num_buckets=32, max_distance=128, bidirectional=True, query=80, offset=20):
    setting = {
        "seq_len": seq_len,
        "num_buckets": num_buckets,
        "max_distance": max_distance,
        "bidirectional": bidirectional,
    }
    return [Shot("bucket_map", "t5", query=query, **setting), Shot("bucket_by_offset", "t5", offset=offset, **setting)]


@figure(
    "alibi_heads",
    "08_alibi",
    "ALiBi's {num_heads} heads are rulers of different reach, here if all keys fitted alike; head {head} in colour.",
    "Left, a fan of straight lines that fall away from the query on both sides, one for each head; a vertical "
    "line marks the query, one head is thick and coloured. Right, bars: how many of the nearest keys get 90 % of "
    "each head's attention, from a few to most of the text.",
    moves=("head", 0, 7),
)
def alibi_heads(seq_len=64, num_heads=8, head=2, query=40):
    setting = {"seq_len": seq_len, "num_heads": num_heads, "head": head}
    return [Shot("head_biases", "alibi", query=query, **setting), Shot("attention_span", "alibi", **setting)]


@figure(
    "pairing_permutation",
    "09_rope_in_practice",
    "From interleaved to half pairing: once the {head_dim} rows of the query and key weights change places, the "
    "scores come out right; as they were, wrong.",
    "Left, wires lead from each row's old place to its new one: even rows to the first half, odd rows to the "
    "second. Middle, the scores leave the thick grey curve of the right ones. Right, they lie on it.",
    moves=("head_dim", 2, 64),
)
def pairing_permutation(head_dim=8, seq_len=32, base=10_000.0, query=8):
    setting = {"head_dim": head_dim, "seq_len": seq_len, "base": base, "content": "random"}
    titles = {False: "Rows as they were", True: "Rows reordered"}
    ported = [Shot("checkpoint_port", "rope", query=query, permuted=p, title=titles[p], **setting) for p in titles]
    return [Shot("permutation", "rope", **setting), *ported]


@figure(
    "scorecard",
    "08_alibi",
    "Seven things one may want of a positional encoding, measured for every encoding to which they apply.",
    "A table of twelve encodings and seven properties. A full disc says yes, a ring says no, a dash that the "
    "question does not apply; below stands what was measured, or why it could not be. Under the heads stand the "
    "limits.",
    moves=("row", 0, 11),
    own=(ROW,),
)
def scorecard(row=None):
    return Card(row)
