"""Figures of what stands at each position: lessons 01 to 05."""

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.figures.registry import figure
from posenc_lib.figures.shots import Shot


@figure(
    "position_added",
    "01_why_position",
    "Words, positions and what the Transformer gets: the sum. {seq_len} words of {d_model} dims, each about "
    "{embed_scale} long.",
    "Three coloured grids on one scale. Left, the words: noise. Middle, the positions: short slanting stripes at "
    "the top, level bands below. Right, the sum: the bands shine through the noise.",
    moves=("embed_scale", 1, 24),
)
def position_added(seq_len=64, d_model=64, base=10_000.0, embed_scale=4):
    setting = {"seq_len": seq_len, "d_model": d_model, "base": base, "embed_scale": embed_scale}
    return [Shot("added", "sinusoidal", part=part, **setting) for part in ("words", "positions", "sum")]


@figure(
    "drowning",
    "02_integers",
    "Words drown in integers and stay afloat in the sinusoidal code: what is left of a word of {d_model} dims "
    "after its position is added.",
    "Two charts of two curves. With integers the cosine of a word with itself plus its position falls towards "
    "zero, and that of two different words at that same position rises to one. With sinusoidal positions both "
    "stay level.",
    moves=("embed_scale", 1, 24),
)
def drowning(seq_len=101, d_model=64, embed_scale=8):
    setting = {"seq_len": seq_len, "d_model": d_model, "embed_scale": embed_scale}
    titles = {"integer": "Integers added", "sinusoidal": "Sinusoidal added"}
    return [Shot("token_cosine", name, title=titles[name], **setting) for name in titles]


@figure(
    "ladder",
    "06_rope",
    "The whole ladder at one length and on one colour scale: {seq_len} positions, {d_model} dims.",
    "Six coloured grids. Integers leave the scale at position 2. Fractions change evenly from left to right, "
    "alike in all dims. Binary digits are hard stripes, fastest at the bottom. Sines are soft stripes, fastest on "
    "top. Sinusoidal has each wave in two neighbouring dims, a quarter turn apart; the slow ones hardly change. "
    "RoPE turns a vector of ones through the same angles.",
    moves=("seq_len", 4, 64),
)
def ladder(seq_len=16, d_model=8):
    names = ("integer", "normalized", "binary", "sine", "sinusoidal")
    shots = [_rung(name, seq_len, d_model=d_model) for name in names]
    return [*shots, _rung("rope", seq_len, head_dim=d_model)]


def _rung(name, seq_len, **dims):
    return Shot("heatmap", name, seq_len=seq_len, bound=1.5, title=ENCODINGS[name].title, **dims)


@figure(
    "binary_trajectory",
    "03_binary",
    "Binary positions live on corners: four in a square, {seq_len} in a cube of {d_model} bits.",
    "Left, four points on the corners of a square, joined in order by a line that crosses it once. Right, a cube "
    "with numbered corners; the walk runs along some edges, cuts across faces, and once, thick and in a colour of "
    "its own, goes through the middle. Edges not walked are dashed.",
    moves=("seq_len", 2, 8),
)
def binary_trajectory(seq_len=8, d_model=3, azimuth=-60):
    return [
        Shot("trajectory", "binary", seq_len=4, d_model=2, title="2 bits: a square"),
        Shot("cube", "binary", seq_len=seq_len, d_model=d_model, azimuth=azimuth, title=f"{d_model} bits: a cube"),
    ]


@figure(
    "binary_odometer",
    "03_binary",
    "An odometer of {d_model} bits: the last one flips at every step, the one before it at every second.",
    "Left, digits in boxes; those about to flip are framed in orange, sometimes one, sometimes all, none at the "
    "last position. Right, a striped grid with a line at the same position.",
    moves=("query", 0, 15),
    moving=True,
)
def binary_odometer(query=7, d_model=4, seq_len=16):
    setting = {"seq_len": seq_len, "d_model": d_model, "query": query}
    return [Shot("odometer", "binary", **setting), Shot("heatmap", "binary", **setting)]


@figure(
    "neighbour_steps",
    "05_sinusoidal",
    "How far is it to the next position? {seq_len} positions, {d_model} dims: binary jumps, sinusoidal walks evenly.",
    "Three bar charts on one scale. Binary has bars of a few heights, the tallest in orange. Sines alone have "
    "high and low bars in no simple order, the tallest in orange. Sinusoidal bars are all of one height.",
    moves=("seq_len", 4, 256),
)
def neighbour_steps(seq_len=64, d_model=8):
    bound = d_model**0.5  # as far as all bits at once
    titles = {"binary": "Steps, binary", "sine": "Steps, sines alone", "sinusoidal": "Steps, sinusoidal"}
    return [Shot("steps", name, seq_len=seq_len, d_model=d_model, title=titles[name], bound=bound) for name in titles]


@figure(
    "sine_trajectory",
    "04_sine",
    "Two sines give each position a point: four positions, and {seq_len} of them with the two that are closest.",
    "Left, four points joined by a bent line. Right, a path like an 8, full of points; where the closest two fall "
    "on one another there is a ring, and their names stand above.",
    moves=("seq_len", 4, 120),
)
def sine_trajectory(seq_len=100, d_model=2, base=None):
    return [
        Shot("trajectory", "sine", seq_len=4, d_model=2, title="4 positions"),
        Shot("closest_pair", "sine", seq_len=seq_len, d_model=d_model, base=base, title=f"{seq_len} positions"),
    ]


@figure(
    "sine_collision",
    "04_sine",
    "Sines alone come ever closer to meeting themselves: the closest two positions as the text grows.",
    "The same curve twice, more and more positions on it, the closest two ringed. Left, with two dims, the rings "
    "end as one. Right, with four dims of which two are drawn, the distance written above stays larger.",
    moves=("seq_len", 4, 120),
    moving=True,
)
def sine_collision(seq_len=100, base=None):
    setting = {"seq_len": seq_len, "base": base}
    return [
        Shot("closest_pair", "sine", d_model=d, title=f"{d} dims" if d == 2 else f"{d} dims, 0 and 1 drawn", **setting)
        for d in (2, 4)
    ]


@figure(
    "sine_waves",
    "04_sine",
    "Every dim is a wave, each slower than the one before: {num_waves} waves over {seq_len} positions.",
    "{num_waves} waves one above the other, the top one fastest, with a dot at every position.",
    moves=("seq_len", 8, 64),
)
def sine_waves(seq_len=32, num_waves=3, base=None):
    return [Shot("waves", "sine", seq_len=seq_len, d_model=num_waves, num_waves=num_waves, base=base)]


@figure(
    "clock_hands",
    "04_sine",
    "Position {query} as the time on a clock: a fast hand, a slower one, a slow one.",
    "Left, a clock with three hands: the longest and thinnest is the fastest, the shortest and thickest the "
    "slowest. Right, three waves, and a line across them at the same position.",
    moves=("query", 0, 31),
)
def clock_hands(query=7, seq_len=32, d_model=3, base=None):
    setting = {"seq_len": seq_len, "d_model": d_model, "base": base, "query": query}
    return [Shot("clock", "sine", **setting), Shot("waves", "sine", num_waves=min(d_model, 3), **setting)]


@figure(
    "sinusoidal_trajectory",
    "05_sinusoidal",
    "A sine and a cosine walk round a circle: four positions in two dims, and {seq_len} of them in dims {x_dim} "
    "and {y_dim}.",
    "Left, four points a radian apart on the right half of a circle, joined by straight lines. Right, many "
    "points, evenly spaced, once round the circle; the last all but covers the first.",
    moves=("seq_len", 4, 128),
)
def sinusoidal_trajectory(seq_len=64, d_model=64, base=10_000.0, x_dim=16, y_dim=17):
    return [
        Shot("trajectory", "sinusoidal", seq_len=4, d_model=2, x_dim=0, y_dim=1, title="4 positions"),
        Shot(
            "trajectory",
            "sinusoidal",
            seq_len=seq_len,
            d_model=d_model,
            base=base,
            x_dim=x_dim,
            y_dim=y_dim,
            title=f"{seq_len} positions",
        ),
    ]


@figure(
    "sinusoidal_heatmap",
    "05_sinusoidal",
    "The table of 2017 at {seq_len} positions, base {base}, {layout}: the first {shown_dims} of {d_model} dims.",
    "A coloured grid like a bent chequerboard: rows change sign every few positions, the lower ones less often.",
    moves=("base", 10, 1e6),
)
def sinusoidal_heatmap(seq_len=100, d_model=512, base=10_000.0, shown_dims=64, layout="interleaved"):
    setting = {"seq_len": seq_len, "d_model": d_model, "base": base, "layout": layout}
    return [Shot("heatmap", "sinusoidal", shown_dims=shown_dims, query=None, **setting)]


@figure(
    "wavelengths",
    "05_sinusoidal",
    "How many positions one turn takes, pair by pair: the base decides how far the waves reach beyond a text of "
    "{seq_len}.",
    "Straight lines that rise from six positions per turn, on a logarithmic scale; the larger the base, the "
    "steeper. A level line marks the length of the text; the line of base 100 barely reaches it.",
    moves=("base", 10, 1e6),
)
def wavelengths(seq_len=512, d_model=64, base=10_000.0):
    return [Shot("wavelengths_by_base", "sinusoidal", seq_len=seq_len, d_model=d_model, base=base)]


@figure(
    "base_sweep",
    "05_sinusoidal",
    "What the base does to points, table and dot products, all at once.",
    "Left, a ring of points that unrolls into an arc as the base grows. Middle, a table whose lower part turns "
    "into level stripes. Right, dot products around one query: the far ones rise towards the peak. That query is "
    "ringed left and marked by a line in the others.",
    moves=("base", 10, 1e6),
    moving=True,
)
def base_sweep(seq_len=64, d_model=64, base=10_000.0, query=32):
    setting = {"seq_len": seq_len, "d_model": d_model, "base": base, "query": query}
    drawn = [Shot(view, "sinusoidal", **setting) for view in ("trajectory", "heatmap")]
    return [*drawn, Shot("dot_product", "sinusoidal", low=-d_model / 8, **setting)]
