"""Figures of what stands at each position: lessons 01 to 05."""

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.figures.registry import Shot, figure


@figure(
    "position_added",
    "01_why_position",
    "Words, positions and what the Transformer gets: the sum. {seq_len} words of {d_model} dims, each "
    "{embed_scale} long.",
    "Three coloured grids on one scale. The words are noise. The positions are stripes, fast at the top, slow "
    "below. In the sum the stripes shine through the noise.",
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
    "Two pictures of two curves. With integers the cosine of a word with itself plus its position falls to zero, "
    "and the cosine of two different words rises to one. With sinusoidal positions both stay level.",
    moves=("embed_scale", 1, 24),
)
def drowning(seq_len=101, d_model=64, embed_scale=8):
    setting = {"seq_len": seq_len, "d_model": d_model, "embed_scale": embed_scale}
    titles = {"integer": "Integers added", "sinusoidal": "Sinusoidal added"}
    return [Shot("word_left", name, title=titles[name], **setting) for name in titles]


@figure(
    "ladder",
    "06_rope",
    "The whole ladder at one length and on one colour scale: {seq_len} positions, {d_model} dims.",
    "Six coloured grids. Integers leave the scale at position 2. Fractions fade from light to dark, alike in all "
    "dims. Binary digits are hard stripes, slow ones on top. Sines are soft stripes, fast ones on top; sinusoidal "
    "has each of them twice, a quarter turn apart; RoPE turns a vector of ones with the same hands.",
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
    "whose corners are numbered; the walk runs along some edges, cuts across faces, and once goes right through "
    "the middle.",
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
    "An odometer: the last bit flips at every step, the one before it at every second. {d_model} bits, position "
    "{query}.",
    "Digits in boxes above a striped grid. At each step the digits about to flip are framed; sometimes one, "
    "sometimes all.",
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
    "Three bar charts. Binary has tall bars where many bits flip at once. Sines alone have low and high bars by "
    "turns. Sinusoidal bars are all of one height.",
    moves=("seq_len", 4, 256),
)
def neighbour_steps(seq_len=64, d_model=8):
    titles = {"binary": "Steps, binary", "sine": "Steps, sines alone", "sinusoidal": "Steps, sinusoidal"}
    return [Shot("steps", name, seq_len=seq_len, d_model=d_model, title=titles[name]) for name in titles]


@figure(
    "sine_trajectory",
    "04_sine",
    "Two sines give each position a point: four positions, and {seq_len} of them with the two that are closest.",
    "Left, four points joined by a bent line. Right, a looping curve that crosses itself; two points that nearly "
    "coincide are ringed and named.",
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
    "Sines alone meet themselves: the longer the text, the closer the closest two of {seq_len} positions.",
    "Left, positions in two dims fill their curve until two of them, ringed, all but coincide. Right, with four "
    "dims the closest two stay farther apart.",
    moves=("seq_len", 4, 120),
    moving=True,
)
def sine_collision(seq_len=100, base=None):
    setting = {"seq_len": seq_len, "base": base}
    return [Shot("closest_pair", "sine", d_model=d, title=f"{d} dims: who meets whom", **setting) for d in (2, 4)]


@figure(
    "sine_waves",
    "04_sine",
    "Every dim is a wave, each slower than the one before: {num_waves} waves over {seq_len} positions.",
    "Waves one above the other, the top one fastest, with a dot at every position.",
    moves=("seq_len", 8, 64),
)
def sine_waves(seq_len=32, num_waves=3, base=None):
    return [Shot("waves", "sine", seq_len=seq_len, d_model=num_waves, num_waves=num_waves, base=base)]


@figure(
    "clock_hands",
    "04_sine",
    "Position {query} as the time on a clock: a fast hand, a slower one, a slow one.",
    "A clock with three hands, the long thin one farthest round; beside it three waves with a line at the same "
    "position.",
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
    "Left, four points on a circle, a radian apart. Right, many points close together on a circle, evenly spaced.",
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
    "The table of 2017: the first {shown_dims} of {d_model} dims at {seq_len} positions, base {base}.",
    "A coloured grid. The top rows flicker from position to position; farther down the stripes grow longer.",
    moves=("base", 10, 1e6),
)
def sinusoidal_heatmap(seq_len=100, d_model=512, base=10_000.0, shown_dims=64):
    return [
        Shot("heatmap", "sinusoidal", seq_len=seq_len, d_model=d_model, base=base, shown_dims=shown_dims, query=None)
    ]


@figure(
    "wavelengths",
    "05_sinusoidal",
    "How many positions one turn takes, pair by pair: the base decides how far the waves reach beyond a text of "
    "{seq_len}.",
    "Lines that rise from six positions per turn, on a logarithmic scale; the larger the base, the steeper. A "
    "level line marks the length of the text.",
    moves=("base", 10, 1e6),
)
def wavelengths(seq_len=512, d_model=64, base=10_000.0):
    return [Shot("wavelengths_by_base", "sinusoidal", seq_len=seq_len, d_model=d_model, base=base)]


@figure(
    "base_sweep",
    "05_sinusoidal",
    "What the base does, all at once: points, table and dot products at base {base}.",
    "Three pictures. As the base grows, the points move less far round their circle, the lower part of the table "
    "turns calm, and the peak of the dot product gets wider.",
    moves=("base", 10, 1e6),
    moving=True,
)
def base_sweep(seq_len=64, d_model=64, base=10_000.0, query=32):
    setting = {"seq_len": seq_len, "d_model": d_model, "base": base, "query": query}
    return [Shot(view, "sinusoidal", **setting) for view in ("trajectory", "heatmap", "dot_product")]
