"""Every public function of arrays in one table: its arguments, and what its docstring promises about the result."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import isfunction, signature
from types import SimpleNamespace

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

import posenc_lib as pe
from tests.trust import arguments as kinds
from tests.trust.arguments import EXACT, Argument, Array, FreqsCis, Positions, Rows, Whole, choice, real

OTHERS = {"check", "hint", "solution", "scorecard", "explore", "figure", "playground", "present"}  # lessons and panels
OTHERS |= {"config_box", "model_config"}  # test_config_box, test_models
OTHERS |= {"rope_scaling", "rope_from_config"}  # what they take is a model's config: test_rope_scaling
OTHERS |= {"attention_temperature", "resonance", "first_negative", "exact_head"}  # test_rope_scaling, test_exact_head
OTHERS |= {"train", "trained_table"}  # tests/training, test_training
OTHERS |= {"mrope_positions", "exact_head_2d", "diagnose"}  # test_mrope, test_exact_plane, test_diagnose
OTHERS |= {"Additive", "Rotary", "Relative", "Bias", "Parameter"}  # classes
PUBLIC = sorted(set(pe.__all__) - OTHERS)
FUZZ = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # a failure is told at once; to look for a smaller one takes minutes
    suppress_health_check=list(HealthCheck),
)
LEADS = [(), (), (2,), (3, 1), (0,), (1, 2)]
FLOAT, INT = np.dtype(float), np.dtype(np.int64)


@dataclass(frozen=True)
class Length:
    """How long an axis may be: a strategy of(a, n); at least low, and not shorter than an axis that it reaches over."""

    of: Callable
    low: int
    over: str = ""


def some(low: int, high: int = 6, step: int = 1) -> Length:
    """Return lengths from low to high, whatever the other arguments are."""
    return Length(lambda a, n: st.integers(low // step, high // step).map(lambda k: step * k), low)


def at_least(name: str, low: int = 0) -> Length:
    """Return lengths that are at least another one, and at least low."""
    return Length(lambda a, n: st.integers(0, 4).map(lambda more: max(getattr(n, name), low) + more), low, name)


def rows(a) -> tuple:
    """Return the shape of the positions that are asked for."""
    return (int(a.positions),) if np.ndim(a.positions) == 0 else np.shape(a.positions)


def bits(a) -> int:
    """Return how many bits the highest position needs."""
    highest = a.positions - 1 if np.ndim(a.positions) == 0 else np.max(a.positions, initial=0)
    return max(int(highest).bit_length() if highest > 0 else 0, 1)


def own(a) -> int:
    """Return how many distances have a bucket of their own."""
    buckets = a.num_buckets if hasattr(a, "num_buckets") else len(a.weights)
    return (buckets // 2 if a.bidirectional else buckets) // 2


def of_x(a) -> np.dtype:
    """Return the dtype that a turned x has."""
    dtype = a.x.dtype.newbyteorder("=")
    return dtype if dtype in (np.float16, np.float32) else FLOAT


def of_dtype(a) -> np.dtype:
    return np.dtype(a.dtype)


def within(low: float, high: float) -> Callable:
    """Return the promise that all numbers lie between two others, up to rounding."""
    return lambda r, a, n: np.all((np.asarray(r, float) >= low - 1e-14) & (np.asarray(r, float) <= high + 1e-14))


def cosines(r, a, n) -> bool:
    return UNIT(r / (a.d_model / 2), a, n)


def axes_in_turn(r, a, n) -> bool:
    return np.array_equal(np.bincount(r, minlength=n.a), a.sections) and (a.interleaved or (np.diff(r) >= 0).all())


def turns(r, a, n) -> bool:
    return np.allclose(np.abs(r), 1, rtol=0, atol=1e-14)


def turned_twice(r, a, n) -> bool:
    cos, sin = (np.asarray(x, float) for x in r)
    return np.allclose(np.hypot(cos, sin), a.attention_factor, rtol=0, atol=2 * np.finfo(a.dtype).eps)


def past_alone(r, a, n) -> bool:
    """A bias is never above 0, and 0 for later keys, and for a query's own."""
    q_len, k_len = r.shape[-2:]
    return np.all(r <= 0) and not np.any(r * ~np.tri(q_len, k_len, k_len - q_len - 1, dtype=bool))


def weighted(r, a, n) -> bool:
    return PART(r[1], a, n)


def wrong_or_unknown(r, a, n) -> bool:
    """Errors are at most 2, and unknown only where a position, a frequency or an angle is beyond the largest number."""
    t = np.arange(a.positions) if np.ndim(a.positions) == 0 else np.asarray(a.positions, float)
    fastest = max(1, float(a.base) ** (2 / a.head_dim - 1))
    largest = {"float16": 65504, "bfloat16": 3e38, "float32": 3.4e38}.get(a.precision, np.inf)
    reach = np.maximum(np.abs(t), 1) * fastest / largest
    unknown = np.isnan(r)
    return np.all(reach[unknown] > 0.99) and np.all(reach[~unknown] < 1.2) and np.all(r[~unknown] <= 2 + 1e-14)


ANY, UNIT, PART = some(0, 5), within(-1, 1), within(0, 1)
BASES = st.floats(1.5, 1e7) | st.sampled_from([1, 0.5, 1e-6, 1e-100, 1e100, np.float32(10)])
BASE = real(BASES, 10.0, "must be between 1e-100 and 1e100, got", [1.1e100, 1e300, 0.9e-100, 1e-300], positive=True)
PLACES = st.floats(-EXACT, EXACT) | st.integers(-EXACT, EXACT)
PLACE = real(PLACES, 1.5, "must lie within ±2**53, got", [EXACT + 2, 1e16, -1e16, 1e300])
EVEN = Whole(low=2, even=True)
SQUARE = replace(EVEN, large=1000)
X = Array(axes="... s h", ratio=0.25)  # what is turned may grow by √2
BIAS = replace(Array(axes="... q k", limit=1e140, mask=True, broadcasts=True), optional=True)
Q, K, OFFSETS = Array(axes="... q d"), Array(axes="... k d"), Array(axes="c d")
ARGUMENTS = {  # by their names, each after those that say what of it is good; a function may have another kind
    **dict.fromkeys(("causal", "endpoint", "bidirectional", "divide", "interleaved", "restart"), kinds.FLAG),
    **dict.fromkeys(("include_input", "flip_sin_to_cos"), kinds.FLAG),
    "rotary_dim": Whole(low=2, high=6, example=None, even=True, grows=False, optional=True),
    **dict.fromkeys(("num_heads", "num_positions", "seq_len"), Whole()),
    **dict.fromkeys(("group_size", "window"), Whole(grows=False)),
    **dict.fromkeys(("height", "width"), Whole()),
    **dict.fromkeys(("old", "new"), kinds.GRID),
    "prefix": Whole(low=0, high=2, example=0, grows=False),
    "sections": kinds.Sections(axes="a"),
    "num_buckets": Whole(low=4, high=64, example=8, even=True, grows=False),
    "q_len": Whole(low=0, example=3, large=1000),
    "k_len": Whole(low=0, example=None, optional=True),
    "q": Q,
    "k": K,
    "r": Array(axes="... r d"),
    **dict.fromkeys("uv", Array(axes="... d")),
    "x": X,
    "freqs_cis": FreqsCis(axes="s p"),
    "table": Array(axes="s d"),
    "weights": Array(axes="... q k"),
    **dict.fromkeys(("scores", "bias"), BIAS),
    "scale": real(st.floats(1e-3, 10) | st.integers(1, 3), None, positive=True, optional=True),
    "positions": Positions(),
    **dict.fromkeys(("dim", "head_dim"), EVEN),
    "d_model": Whole(),
    "max_distance": Whole(high=64, example=8, least=lambda a: own(a) + 1, rule="must be greater than", grows=False),
    "base": BASE,
    **dict.fromkeys(("position", "offset"), PLACE),
    "offsets": replace(Array(axes="..."), limit=EXACT),
    "angle": real(st.floats(allow_nan=False, allow_infinity=False) | st.integers(), 1.0),
    "query": Whole(low=0, example=1, most=lambda a: len(a.table) - 1, grows=False),
    "axis": Whole(low=None, example=-1, least=lambda a: -a.scores.ndim, most=lambda a: a.scores.ndim - 1, grows=False),
    **dict.fromkeys(("pairing", "to"), choice("interleaved", "half")),
    "order": choice("yx", "xy"),
    "layout": choice("interleaved", "concatenated"),
    "kind": choice("power", "log"),
    "scale_base": real(st.floats(1, 1e6), 512.0, positive=True),
    "precision": choice("float16", "bfloat16", "float64, rounded once", "float32", "float64, rounded once to bfloat16"),
    **dict.fromkeys(("dtype", "angles_dtype"), kinds.DTYPE),
    **dict.fromkeys(("attention_factor", "max_bias"), real(st.floats(0.5, 1.3), 1.0, positive=True)),
    "start_pos": kinds.START,
    "mask": kinds.Mask(axes="... q k", broadcasts=True, optional=True),
    "rng": kinds.RNG,
}


@dataclass(frozen=True)
class Function:
    """What is known of one public function.

    shape names the axes of the result by arguments, sizes or numbers, "seq_len dim/2", or is a function of both; a
    tuple has one for each part. dtype is its dtype, or a function of the arguments; sizes says of an axis which lengths
    are good, any otherwise; promise(result, a, n) is what else the docstring says of the numbers; gaps is where it says
    that NaN (or −inf) stands; kinds has the arguments that are of another kind than elsewhere.
    """

    name: str
    shape: str | Callable | tuple
    dtype: np.dtype | Callable | tuple = FLOAT
    sizes: dict[str, Length] = field(default_factory=dict)
    promise: Callable = lambda r, a, n: True
    gaps: str = ""
    kinds: dict[str, Argument] = field(default_factory=dict)

    @cached_property
    def arguments(self) -> dict[str, Argument]:
        """Each argument's kind, in the order in which they are drawn."""
        taken = signature(getattr(pe, self.name)).parameters
        return {name: kind for name, kind in (ARGUMENTS | self.kinds).items() if name in taken}

    @cached_property
    def example(self) -> dict:
        """Arguments that are good beside one bad one."""
        return {name: argument.example for name, argument in self.arguments.items()}

    def good(self, draw, sizes=(), **fixed) -> tuple[SimpleNamespace, SimpleNamespace]:
        """Draw arguments that fit together, and the sizes they have; sizes and fixed arguments may be known before."""
        n = SimpleNamespace(leads=draw(st.sampled_from(LEADS)), lead=(), lengths=self.sizes)
        vars(n).update(sizes)
        a = SimpleNamespace()
        for name, argument in self.arguments.items():
            setattr(a, name, fixed[name] if name in fixed else argument.draw(draw, a, n))
        return a, n

    def result(self, a, n) -> list[tuple[tuple, np.dtype]]:
        shapes, dtypes = (x if isinstance(x, tuple) else (x,) for x in (self.shape, self.dtype))
        made = [shape(a, n) if callable(shape) else _shape(shape, a, n) for shape in shapes]
        return [(x, dtype(a) if isfunction(dtype) else dtype) for x, dtype in zip(made, dtypes, strict=True)]


def _shape(named: str, a, n) -> tuple:
    known = {str(k): k for k in range(9)} | vars(a) | vars(n)
    known |= {"k_len": a.q_len if a.k_len is None else a.k_len} if "k_len" in named else {}
    lead = n.lead if named.startswith("...") else rows(a) if named.startswith("positions") else ()
    named = named.removeprefix("positions")
    return (*lead, *(known[axis] // (2 if half else 1) for axis, half in re.findall(r"(\w+)(/2)?", named)))


def _seen(a, n) -> tuple:
    """Return the shape of attention's weights: leading axes that only v has are not theirs."""
    leads = (np.shape(x)[:-2] for x in (a.q, a.k, a.scores, a.bias, a.mask) if x is not None)
    return (*np.broadcast_shapes(*leads), n.q, n.k)


def _resized(a, n) -> tuple:
    return (a.prefix + a.new[0] * a.new[1], n.d)


def _features(a, n) -> tuple:
    return (*n.lead, 2 * n.q * n.i + a.include_input * n.i)


def _by_heads(a, n) -> tuple:
    last = a.weights["2.bias"] if isinstance(a.weights, dict) else a.weights[-1]
    return (len(last), a.q_len, a.q_len)


UNSEEN, WHOLE = {"x": replace(X, unchecked=True)}, {"offset": Array(axes="...", whole=True, limit=EXACT)}
OF_WORDS = {"q": replace(Q, limit=1e70), "k": replace(K, limit=1e70), "v": Array(axes="... k e")}
ANY_X = {"x": Array(axes="...", limit=3e38)}
ABOVE_Q = {"d": some(1), "k": at_least("q")}
BIT_ROWS = {"positions": Positions(whole=True), "d_model": Whole(least=bits, rule="")}
HEAD_DIM = Whole(low=2, even=True, least=lambda a: a.rotary_dim or 2)
HEADS = {"num_heads": Whole(high=4, example=1, grows=False), "weights": Rows(axes="m d")}
HEAD = Length(lambda a, n: some(2, 8, 2).of(a, n) if a.rotary_dim is None else st.integers(a.rotary_dim, 9), 2)
ALL_HEADS = Length(lambda a, n: HEAD.of(a, n).map(lambda dims: a.num_heads * dims), 1)
PAIRS_OF_H = Length(lambda a, n: st.integers(1, n.h // 2), 1)
ODD = Length(lambda a, n: st.integers(0, 3).map(lambda c: 2 * c + 1), 1)
BUCKETS = Length(lambda a, n: (some(4, 12, 2) if a.bidirectional else some(2, 9)).of(a, n), 2)
PAST_OR_BOTH = Length(lambda a, n: st.sampled_from([n.k, n.k + max(n.q - 1, 0)]), 1)
ALIBI = {
    "positions": kinds.One(values=st.none(), refused=[], optional=True)
}  # they come with a number of keys: test_relative
NARROW = {"base": replace(BASE, values=st.floats(1.5, 1e7)), "angles_dtype": kinds.listed(*kinds.WIDE)}
ROPE = {"positions": Positions(rows="s", optional=True, example=None, large=None)}
FOURS = kinds.One(
    values=st.integers(1, 4).map(lambda k: 4 * k),
    refused=[
        (TypeError, "must be a whole number (int), got", [*kinds.NO_NUMBERS, *kinds.ENDLESS, 4.0]),
        (ValueError, "must be at least 4, got", [3, 0, -4, -(10**5000)]),
        (ValueError, "must be a multiple of 4", [5, 6, 7, 4002]),
        (ValueError, "must be at most", [EXACT + 1, *kinds.GIGANTIC]),
        (ValueError, kinds.TOO_MUCH, [kinds.BEYOND, EXACT]),
    ],
    example=4,
)
SPLIT = kinds.listed(["axial", "alternate"], ValueError, "must be one of 'axial', 'alternate', got", [])
SPLIT = replace(
    SPLIT, refused=[(error, rule, [x for x in xs if isinstance(x, str)]) for error, rule, xs in SPLIT.refused]
)
PICTURE = {"height": Whole(high=4, example=1, grows=False), "width": Whole(high=4, example=3, grows=False)}
PATCHES = {"s": Length(lambda a, n: st.just(a.height * a.width), 1), "h": some(4, 12, 4)}
LEARNED = {"s": Length(lambda a, n: st.just(a.prefix + a.old[0] * a.old[1]), 1)}
PLANES = {"h": Length(lambda a, n: st.just(2 * int(np.sum(a.sections))), 2)}
SHIFT = real(st.floats(-3, 0.99), 0.5, "must be less than dim // 2", [1e9, 1e300])
PERIOD = real(st.floats(1e-3, 1e9), 1e4, "must be between 1e-100 and 1e100, got", [0, -1, 1e101, 1e-101, 1e300])
TIMES = {"scale": real(st.floats(-1e3, 1e3), 1.0, "must lie within ±1e50, got", [1e51, -1e300])}
TIMES |= {"t": Array(axes="s"), "max_period": PERIOD, "downscale_freq_shift": SHIFT, "dim": Whole(low=2)}
CURVES = {name: kinds.Positive(axes="h") for name in "ap"}
POS_EMB = {"pos_emb": Array(axes="... d e")}
NETWORK = {"weights": kinds.NETWORK}
NETWORK |= {
    name: real(st.floats(1e-3, 1e3), 1.0, "must be at most 1e100, got", [1e101, 1e300], positive=True)
    for name in ("c", "threshold")
}
_RECORDS = [
    Function("alibi", "num_heads q_len k_len", of_dtype, gaps="−inf", kinds=ALIBI),
    Function("alibi_slopes", "num_heads", promise=PART),
    Function("angles", "positions dim/2"),
    Function("apply_rope", "... s h", of_x, {"s": some(0, 40), "h": some(2, 9), "p": PAIRS_OF_H}, kinds=UNSEEN),
    Function("attention", ("... q e", _seen), (FLOAT, FLOAT), {"d": some(1), "k": some(1)}, weighted, kinds=OF_WORDS),
    Function("axis_of_pair", lambda a, n: (int(np.sum(a.sections)),), INT, promise=axes_in_turn),
    Function("bfloat16", "...", np.dtype(np.float32), kinds=ANY_X),
    Function("binary", "positions d_model", INT, promise=PART, kinds=BIT_ROWS),
    Function("closest_pair", ("", "", ""), (INT, INT, FLOAT), {"s": some(2)}),
    Function("convert_pairing", lambda a, n: a.weights.shape, lambda a: a.weights.dtype, {"m": ALL_HEADS}, kinds=HEADS),
    Function("dot_product_curve", "s", sizes={"s": some(1)}),
    Function("integer", "positions d_model", lambda a: FLOAT if np.asarray(a.positions).dtype.kind == "f" else INT),
    Function("inv_freq", "dim/2", promise=lambda r, a, n: r[0] == 1),
    Function("kerple", "h q_len k_len", promise=past_alone, kinds=CURVES),
    Function("learned", "num_positions d_model"),
    Function("no_position", "positions d_model", promise=within(0, 0)),
    Function("normalized", "seq_len d_model", promise=PART, kinds={"seq_len": Whole(least=lambda a: 1 + a.endpoint)}),
    Function("pairing_permutation", "head_dim", INT, kinds={"head_dim": HEAD_DIM}),
    Function("cope", "... q k", sizes={"d": some(1), "e": some(1, 4)}, gaps="−inf", kinds=POS_EMB),
    Function("cos_sin", ("positions dim",) * 2, (of_dtype,) * 2, promise=turned_twice, kinds=NARROW),
    Function("fire", _by_heads, kinds=NETWORK),
    Function("fourier_features", _features, kinds={"x": Array(axes="... i"), "frequencies": Array(axes="q")}),
    Function("freqs_cis", "positions dim/2", np.dtype(complex), promise=turns, kinds=NARROW),
    Function("relative_offsets", "q_len k_len", INT),
    Function("resize_table", _resized, sizes=LEARNED),
    Function("rope", "... s h", of_x, {"s": some(0, 40), "h": HEAD}, kinds=ROPE),
    Function("rope_2d", "... s h", of_x, PATCHES, kinds=PICTURE | {"frequencies": SPLIT}),
    Function("rope_matrix", "head_dim head_dim", promise=UNIT, kinds={"head_dim": SQUARE}),
    Function("rope_nd", "... s h", of_x, PLANES, kinds={"positions": replace(Array(axes="a s"), limit=EXACT)}),
    Function("rotation_matrix", "2 2", promise=UNIT),
    Function("sandwich", "num_heads q_len q_len", promise=lambda r, a, n: np.all(r <= 1e-9 * a.dim)),
    Function("self_extend_offsets", "seq_len seq_len", INT, kinds={"seq_len": Whole(low=0, large=1000)}),
    Function("shaw_scores", "... q k", sizes={"d": some(1), "c": ODD}, kinds={"table": OFFSETS}),
    Function("shaw_values", "... q d", sizes={"c": ODD}, kinds={"table": OFFSETS}),
    Function("shift_matrix", "d_model d_model", promise=UNIT, kinds={"d_model": SQUARE}),
    Function("similarity_matrix", "s s"),
    Function("sine", "positions d_model", promise=UNIT, kinds={"base": replace(BASE, optional=True, example=None)}),
    Function("sinusoidal", "positions d_model", of_dtype, promise=UNIT, kinds={"d_model": EVEN}),
    Function("sinusoidal_2d", lambda a, n: (a.height * a.width, a.d_model), promise=UNIT, kinds={"d_model": FOURS}),
    Function("sinusoidal_kernel", "...", promise=cosines, kinds={"d_model": EVEN}),
    Function("sinusoidal_similarity", "seq_len seq_len", promise=cosines, kinds={"d_model": EVEN}),
    Function("softmax", "... s", promise=PART, kinds={"scores": Array(axes="... s", mask=True)}),
    Function("t5_bias", "h q_len k_len", sizes={"b": BUCKETS, "h": some(1, 4)}, kinds={"weights": Array(axes="b h")}),
    Function("t5_bucket", "...", INT, promise=lambda r, a, n: within(0, a.num_buckets - 1)(r, a, n), kinds=WHOLE),
    Function("table_error", "positions", promise=wrong_or_unknown, gaps="nan"),
    Function("timestep_embedding", "s dim", promise=UNIT, kinds=TIMES),
    Function("transformer_xl_scores", "... q k", sizes=ABOVE_Q | {"r": PAST_OR_BOTH}, gaps="−inf"),
    Function("wavelengths", "dim/2", promise=lambda r, a, n: r[0] == 2 * np.pi),
    Function("xpos", (lambda a, n: a.q.shape, lambda a, n: a.k.shape), (FLOAT, FLOAT), {"d": some(2, 8, 2)}),
]
RECORDS = {record.name: record for record in _RECORDS}
