"""diagnose: it names what is wrong, in every form a reader may have it; what is right passes."""

import functools

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS, KNOWN
from posenc_lib.lessons.clinic.diagnose import BASE, OTHERS, UNSEEN

DIAGONALS, CACHED = "constant diagonals", "cached equals full"
FALLS, RECTANGLE = "near before far", "a rectangle"
BEYOND, CONFIG = "beyond position 256", "the config's base"
NAMED = {  # what is named of each case
    "case_1": (DIAGONALS, "Mixed pairing"),
    "case_2": (DIAGONALS, "wrong axis"),
    "case_3": (CACHED, "gets position 0 instead of"),
    "case_4": (BEYOND, "bfloat16"),
    "case_5": (CACHED, "two tables"),
    "case_6": (FALLS, "sign"),
    "case_7": (RECTANGLE, "wrong side"),
    "case_8": (DIAGONALS, "doubled again"),
}


DRAWN = np.random.default_rng(0)


def turn(x, angles):
    return pe.apply_rope(x, np.exp(1j * angles))


def some_turned_back(x, positions):
    return pe.rope(x, positions, inv_freq=pe.inv_freq(64) * np.resize([1, -1], 32))


def over_the_head(x, positions):
    return turn(x, np.outer(positions, 10_000.0 ** (-np.arange(0, 32, 2) / x.shape[1])))


def sines(positions, d_model):
    return np.sin(np.outer(positions, np.repeat(pe.inv_freq(d_model), 2)))


def sign_lost(positions, d_model):
    angles = np.outer(positions, 1 / pe.inv_freq(d_model))
    return np.hstack([np.sin(angles), np.cos(angles)])


def bfloat16_cosines(x, positions):
    angles = np.tile(np.outer(positions, pe.inv_freq(64)), 2)
    turned = np.hstack([-x[:, 32:], x[:, :32]])
    return x * pe.bfloat16(np.cos(angles)) + turned * pe.bfloat16(np.sin(angles))


def a_column_each(positions, d_model):
    columns = np.arange(d_model)
    angles = np.outer(positions, 10_000.0 ** (-columns / d_model))
    return np.where(columns % 2, np.cos(angles), np.sin(angles))


def dropped(positions, d_model):
    kept = DRAWN.random((len(positions), d_model)) > 0.1
    return np.where(kept, pe.sinusoidal(positions, d_model), 0.0)


def window(bias, reach):
    """Let a query see so many keys, itself among them."""
    offsets = pe.relative_offsets(*bias.shape[-2:])
    return np.where((offsets > 0) | (offsets <= -reach), -np.inf, bias)


def drawn(*shape):
    """Return the same numbers each time."""
    return np.random.default_rng(0).normal(size=shape)


def learned_plane(height, width, d_model):
    y, x = np.divmod(np.arange(height * width), width)
    return drawn(14 * 14, d_model)[14 * y + x]


def switched(x, positions):
    theta = np.where(positions[:, None] < 4096, pe.inv_freq(64), pe.inv_freq(64, 40_000))
    return turn(x, positions[:, None] * theta)


# readers' functions, besides the cases: what fails first, and a word of the likely cause
WRONG = [
    (a_column_each, {}, DIAGONALS, "2·(i // 2)/d for column i"),
    (dropped, {}, DIAGONALS, "dropout"),
    (
        lambda positions, d_model: np.outer(0.9**positions, np.ones(d_model)),
        {},
        BEYOND,
        "The rows fade",
    ),
    (
        lambda positions, d: pe.sinusoidal(positions, d) * 0.9 ** positions[:, None],
        {},
        DIAGONALS,
        "length changes",
    ),
    (
        lambda q, k, positions: (pe.rope(q, positions), pe.rope(k, positions, base=500.0)),
        {},
        DIAGONALS,
        "two tables",
    ),
    (
        lambda x, positions: np.where(positions[:, None] > 3000, np.nan, pe.rope(x, positions)),
        {},
        BEYOND,
        "overflows",
    ),
    (switched, {}, BEYOND, "two tables"),
    (
        lambda x, positions: pe.rope(x, 9 * positions / max(positions.max(), 1)),
        {},
        CACHED,
        "decoded alone gets position 47 instead of 45",
    ),
    (lambda x, positions: pe.rope(x.T).T, {}, DIAGONALS, "pairs up tokens, not dims"),
    (lambda x, positions: x, {}, DIAGONALS, "never applied"),
    (lambda h, pos: h, {"kind": "rotary"}, DIAGONALS, "never applied"),
    (lambda q, k, positions: (pe.rope(q, positions), k), {}, DIAGONALS, "Only one of the two"),
    (
        lambda q, k, positions: (pe.rope(q, positions), pe.rope(k, -positions)),
        {},
        DIAGONALS,
        "the wrong way",
    ),
    (
        lambda x, positions: turn(x, np.outer(positions**2, pe.inv_freq(64))),
        {},
        DIAGONALS,
        "evenly",
    ),
    (
        lambda x, positions: pe.rope(x, np.arange(len(positions))),
        {},
        CACHED,
        "decoded alone",
    ),
    (lambda x, positions: pe.rope(x, np.minimum(positions, 2047)), {}, BEYOND, "From 2,047 on"),
    (lambda x, positions: pe.rope(x, positions[::-1]), {}, CACHED, "position 2 instead of 45"),
    (
        lambda positions, d_model: pe.sinusoidal(len(positions), d_model),
        {},
        CACHED,
        "gets position 0 instead of 45",
    ),
    (
        lambda x, positions: pe.rope(x, positions.astype(np.float16)),
        {},
        BEYOND,
        "float16, which has 11",
    ),
    (
        lambda positions, d_model: pe.sinusoidal(positions % 300, d_model),
        {},
        BEYOND,
        "start over after 300",
    ),
    (lambda q_len, k_len: -pe.alibi(8, q_len, k_len), {}, FALLS, "sign"),
    (lambda q_len, k_len: pe.alibi(8, q_len, q_len), {}, CACHED, "bias is gone"),
    (
        lambda q_len, k_len: pe.alibi(8, k_len)[:, :q_len],
        {},
        CACHED,
        "from the wrong position, for example 0",
    ),
    (lambda q_len, k_len: np.zeros((8, q_len, k_len)), {}, DIAGONALS, "never reaches"),
    (
        lambda height, width, d_model: pe.sinusoidal(height * width, d_model),
        {},
        RECTANGLE,
        "numbered like words",
    ),
    (
        lambda height, width, d_model: pe.sinusoidal_2d(9, 9, d_model)[: height * width],
        {},
        RECTANGLE,
        "another size",
    ),
    (
        lambda x, positions: pe.rope(x, positions, base=1e4 ** (64 / 4096)),
        {"rope_theta": 1e4},
        CONFIG,
        "the exponent runs over 4,096 dims instead of 64.",
    ),
    (over_the_head, {"rope_theta": 10_000}, CONFIG, "over all 64 dims, but only 32 rotate"),
    (pe.sinusoidal, {"rope_theta": 500}, CONFIG, "base 10,000: the config's base was never read"),
    (
        lambda x, positions: pe.rope(x, positions, base=100.0),
        {"rope_theta": 1e4},
        CONFIG,
        "either the config's base was never read, or the exponent is i/d instead",
    ),
    (
        lambda x, positions: pe.rope(x, positions, base=500_000.0**0.5),
        {"rope_theta": 500_000},
        CONFIG,
        "The frequencies match base 707.1: the exponent is i/d instead",
    ),
    (
        lambda x, positions: pe.rope(x, positions, base=1e8),
        {"rope_theta": 1e4},
        CONFIG,
        "the exponent is 4i/d instead",
    ),
    (some_turned_back, {"rope_theta": 1e4}, CONFIG, "or some pairs rotate the wrong way"),
    (
        lambda x, positions: pe.rope(x, positions, inv_freq=pe.inv_freq(64) / 4),
        {"rope_theta": 1e4},
        CONFIG,
        "if the config scales them",
    ),
]
RIGHT = [
    (lambda x, positions: pe.rope(x, positions), {"rope_theta": 10_000}),
    (
        lambda x, positions: pe.rope(x, positions, pairing="half", rotary_dim=16),
        {"rope_theta": 10_000},
    ),
    (lambda x, positions: pe.rope(x, positions, attention_factor=1.2), {}),
    (lambda x, positions: pe.bfloat16(pe.rope(x, positions)), {}),
    (bfloat16_cosines, {"rope_theta": 10_000}),
    (lambda x, positions: np.float16(pe.rope(np.float16(x), positions)), {"dims": 32}),
    (lambda q_len, k_len: window(pe.alibi(8, q_len, k_len), 8), {}),
    (learned_plane, {}),
    (lambda x, positions: pe.rope(x, -positions), {}),
    (lambda q, k, positions: (pe.rope(q, positions), pe.rope(k, positions)), {"dims": 128}),
    (lambda q, k: (pe.rope(q, start_pos=len(k) - len(q)), pe.rope(k)), {}),
    (lambda x, positions: pe.rope(x, positions), {"heads": 3}),
    (lambda positions, d_model: pe.sinusoidal(positions, d_model, layout="concatenated"), {}),
    (lambda positions, d_model: drawn(10_000, d_model)[positions], {}),
    (functools.partial(pe.alibi, 8), {}),
    # broadcasts over queries
    (lambda q_len, k_len: pe.alibi_slopes(8)[:, None, None] * np.arange(k_len), {}),
    (lambda q_len, k_len: pe.t5_bias(drawn(32, 8), q_len, k_len), {}),
    (lambda x, height, width: pe.rope_2d(x, height, width, frequencies="alternate"), {}),
]


def test_the_fault_of_every_case_is_named():
    for name, (first, word) in NAMED.items():
        found = pe.diagnose(name)
        assert (found.first, word in found.points_to) == (first, True), found
        assert found.points_to.split(".")[0] in " ".join(repr(found).split())


@pytest.mark.parametrize(
    "name", [*ENCODINGS, "phi_3", "gpt_neox", "deepseek_v3", "sinusoidal_2d", "rope_2d"]
)
def test_every_right_encoding_passes(name):
    found = pe.diagnose(name)
    assert (found.first, found.points_to) == (None, "")
    assert "No test fails." in repr(found)


@pytest.mark.slow
def test_a_readers_own_fault_is_named():
    wrong = [(pe.diagnose(function, **how), first, word) for function, how, first, word in WRONG]
    for found, first, word in wrong:
        assert (found.first, word in found.points_to) == (first, True), found


@pytest.mark.slow
def test_a_readers_own_right_encoding_passes():
    found = [pe.diagnose(function, **how) for function, how in RIGHT]
    assert [one for one in found if one.first is not None] == []


@pytest.mark.parametrize("kind", ["linear", "dynamic", "yarn"])
def test_rope_passes_with_every_scaling_and_says_when_it_matches_no_base(kind):
    found = pe.diagnose(KNOWN["rope"].at(rope_type=kind, factor=8, trained=2048))
    assert found.first is None
    assert ("; base" in found.measured) == (kind in ("default", "ntk", "dynamic"))


def test_what_no_picture_shows_is_said_each_time_and_measured_where_it_can_be():
    found = pe.diagnose(over_the_head)  # reserve 24
    assert found.first is None
    assert "32 of 64 dims rotate" in found.measured
    assert "base 100, or base 10,000 with the exponent over all 64 dims" in found.measured
    # the checkpoint's? nobody knows
    other = pe.diagnose(lambda x, positions: pe.rope(x, positions, pairing="half"))
    assert (other.first, "half pairing" in other.measured) == (None, True)
    unseen = UNSEEN.format(BASE)
    assert all(unseen in " ".join(repr(each).split()) for each in (found, other))
    told = repr(pe.diagnose(lambda x, positions: pe.rope(x, positions), rope_theta=10_000))
    assert "wrong base" not in told
    assert UNSEEN.format("") in " ".join(told.split())
    assert OTHERS in repr(pe.diagnose("t5"))


def test_a_head_that_rises_among_others_that_fall_is_named():
    class Slopes(pe.Bias):
        def biases(self, offsets):
            return np.outer([0.9, 0.4, -0.2], -np.sqrt(np.abs(offsets)))

    def table(q, k):
        return Slopes().biases(pe.relative_offsets(q, k).ravel()).reshape(3, q, k)

    for mine in (Slopes(), table):
        found = pe.diagnose(mine, kind="bias")
        assert found.first == "near before far"
        assert found["near before far"].seen.startswith("in head 2 of 0 to 2, the farther back")


def test_a_bias_is_judged_as_far_as_it_is_read_and_one_of_zeros_by_no_test():
    class Wraps(pe.Bias):
        def biases(self, offsets):
            return -np.outer([1, 0.5], np.log1p(np.abs(offsets) % 97))

    class Zeros(pe.Bias):
        def biases(self, offsets):
            return np.zeros((2, len(offsets)))

    seen = pe.diagnose(Wraps())["near before far"].seen
    assert seen.startswith("falls in some places and rises in others")
    assert pe.diagnose(Zeros())["near before far"].verdict == "–"


MEASURED = [
    (pe.sinusoidal, "Measured: base 10,000."),
    (
        sign_lost,
        "base 10,000, but frequencies grow from pair to pair, as if the exponent had lost its sign",
    ),
    (
        lambda x, positions: pe.rope(x, 2 * np.pi * positions),
        "more than half a turn per step.",
    ),
    (lambda x, positions: pe.rope(x, 1000 * positions), "1,000 times those of base 10,000"),
    (
        lambda positions, d_model: pe.sinusoidal(1000 * positions, d_model),
        "1,000 times those of base 10,000",
    ),
    (
        lambda x, positions: pe.rope(x, positions, base=10_000 * 4 ** (64 / 63)),
        "; base 40,890.",
    ),
    (
        lambda x, positions: pe.rope(np.float32(x), positions, base=10_003.0),
        "; base 10,000.",
    ),
    (
        lambda x, positions: pe.bfloat16(pe.rope(x, positions, base=5e5)),
        "; base 500,000.",
    ),
    (pe.timestep_embedding, "base 13,460, or base 10,000 with d/2 − 1 in the exponent"),
    (some_turned_back, "Some pairs rotate the opposite way"),
    (lambda x, positions: pe.rope(x, -positions), "base 10,000. They rotate backward, by −θ"),
    (
        lambda x, positions: pe.rope(x, positions) * np.resize([1, -1], 64),
        "; base 10,000.",
    ),
    (
        lambda x, positions: pe.rope(x, positions, base=4.0**32),
        "64 of 64 dims rotate, interleaved pairing",
    ),
    (bfloat16_cosines, "; base 10,000"),
    (lambda x, positions: pe.rope(x, np.radians(positions)), "0.01745 times those of base 10,000"),
    (lambda x, positions: pe.rope(x, positions, base=30_528.0), "; base 30,530."),
    (
        lambda x, positions: pe.rope(
            x, positions, inv_freq=pe.bfloat16(pe.inv_freq(64)).astype(float)
        ),
        "θ rounded by up to 0.4%.",
    ),
    (
        lambda q, k, positions: (pe.rope(q, positions), pe.rope(k, positions + 1)),
        "A token's key is rotated 1 position further than its query: right only if",
    ),
    (
        lambda q, k, positions: (pe.rope(q, 3 - positions), pe.rope(k, -positions)),
        "A token's key is rotated 3 positions further than its query: right only if",
    ),
    (
        lambda q, k, positions: (pe.rope(q, positions), pe.rope(k, positions + 0.5)),
        "get different angles",
    ),
]


@pytest.mark.slow
def test_frequencies_are_told_as_they_are_and_rounding_as_rounding():
    for function, said in MEASURED:
        found = pe.diagnose(function)
        assert (found.first, said in found.measured) == (None, True), found


def test_an_exact_base_of_128_dims_is_told_as_it_is():
    base = 10_000 * 4 ** (64 / 63)
    found = pe.diagnose(lambda x, positions: pe.rope(x, positions, base=base), dims=128)
    told = "128 of 128 dims rotate, interleaved pairing; base 40,890."
    assert found.measured == f"Measured: {told}"


def in_a_plane(base=10_000.0, rows=1.0, columns=1.0, by_size=False):
    """Return a table of a picture, half of its dims for each axis."""

    def mine(height, width, d_model):
        y, x = np.divmod(np.arange(height * width), width)
        y, x = (y / height, x / width) if by_size else (y, x)
        of_row = pe.sinusoidal(rows * y, d_model // 2)
        return np.hstack([of_row, pe.sinusoidal(columns * x, d_model // 2, base=base)])

    return mine


def floored(height, width, d_model):
    """A table whose rate is −ln(10,000)/d//2, counted from 1: Python rounds it down to −1."""
    y, x = np.divmod(np.arange(height * width), width)
    rate = np.exp(np.arange(0, d_model // 2, 2) * (-np.log(10_000.0) / d_model // 2))
    waves = [wave(np.outer(at + 1, rate)) for at in (x, y) for wave in (np.sin, np.cos)]
    return np.stack(waves, axis=2).reshape(height * width, -1)


IN_A_PLANE = [
    (floored, {}, "rows and columns: base 7.896e13."),
    (floored, {"dims": 256}, "rows and columns: base 3.888e55."),
    (
        in_a_plane(100),
        {},
        "rows: base 10,000; columns: base 100, or base 10,000 with",
    ),
    (
        in_a_plane(rows=1000, columns=1000),
        {},
        "rows and columns: frequencies are 1,000 times those of base 10,000",
    ),
    (
        in_a_plane(rows=0.5),
        {},
        "rows: frequencies are 0.5 times those of base 10,000; columns: base 10,000.",
    ),
    (in_a_plane(columns=-1), {}, "base 10,000. Columns rotate the opposite way from rows"),
    (
        in_a_plane(by_size=True),
        {},
        "for 64 patches: positions are divided by the image size",
    ),
    (
        in_a_plane(1e-4),
        {},
        "columns: base 10,000, but frequencies grow from pair to pair, as if",
    ),
    (
        lambda *size: pe.bfloat16(pe.sinusoidal_2d(*size)),
        {"kind": "plane"},
        "rows and columns: base 10,000.",
    ),
    ("sinusoidal_2d", {}, "rows and columns: base 10,000."),
    (
        lambda x, height, width: pe.rope_2d(x, height, width, base=100, pairing="half"),
        {},
        "rows and columns: base 100,",
    ),
    (
        lambda x, height, width: pe.rope_2d(x, height, width, frequencies="alternate"),
        {},
        "columns: the frequencies in between",
    ),
    (learned_plane, {}, ""),
]


@pytest.mark.parametrize(("mine", "how", "said"), IN_A_PLANE)
def test_the_frequencies_of_each_axis_are_measured(mine, how, said):
    found = pe.diagnose(mine, **how)
    assert (found.first, said in found.measured) == (None, True), found
    assert bool(found.measured) == bool(said), found


def lines(slopes):
    return lambda q_len, k_len: (
        np.asarray(slopes)[:, None, None] * np.minimum(pe.relative_offsets(q_len, k_len), 0)
    )


OWN = pe.alibi_slopes(8)
SLOPES = [
    (OWN, "lines, slope 0.5 in head 0 to 0.00391 in head 7, like ALiBi's."),
    (pe.alibi_slopes(12), "lines, slope 0.5 in head 0 to 0.0884 in head 11, like ALiBi's."),
    (
        2.0 ** -np.arange(8),
        "slope 1 in head 0 to 0.00781 in head 7: ALiBi's, with heads counted from 0 instead of 1; "
        "ALiBi's own are 0.5 to 0.00391.",
    ),
    (pe.alibi_slopes(16) * 2**0.5, "counted from 0"),
    (
        OWN[::-1],
        "slope 0.00391 in head 0 to 0.5 in head 7: ALiBi's in reverse order; ALiBi's own are "
        "0.5 to 0.00391.",
    ),
    (np.roll(OWN, 3), "ALiBi's in a different order"),
    (np.sort(pe.alibi_slopes(12))[::-1], "ALiBi's in a different order"),
    (3 * OWN, "3 times ALiBi's; ALiBi's own are"),
    (
        OWN / 8,
        "0.125 times ALiBi's, √64 (are scores divided by √d before or after adding it?)",
    ),
    (OWN * 128**0.5, "11.31 times ALiBi's, √128"),
    (np.resize(pe.alibi_slopes(4), 8), "ALiBi's for 4 heads, twice"),
    (np.resize(OWN[:4], 8), "the first half of ALiBi's, twice"),
    (
        np.full(8, 0.5),
        "slope 0.5 in all 8 heads; ALiBi's own are 0.5 to 0.00391, a different one per head.",
    ),
    (2.0 ** (-8 * np.arange(1, 13) / 12), "2^(−8h/12), which ALiBi uses only for 2, 4, 8, … heads"),
    (pe.alibi_slopes(8, max_bias=16), "2^(−16h/H), instead of ALiBi's 2^(−8h/H)"),
    (
        np.linspace(0.7, 0.3, 8),
        "slope 0.7 in head 0 to 0.3 in head 7; ALiBi's own are 0.5 to 0.00391.",
    ),
    (np.repeat([0.5, 0.0], 4), "slope 0.5 in head 0 to 0 in head 7"),
    ([0.25], "slope 0.25."),
]


@pytest.mark.slow
def test_slopes_are_compared_with_alibis_own():
    for slopes, said in SLOPES:
        found = pe.diagnose(lines(slopes))
        assert (found.first, said in found.measured) == (None, True), found.measured


def heated(factor):
    def mine(q, k, positions):
        return pe.rope(q, positions) * factor(positions)[:, None], pe.rope(k, positions)

    return mine


def by_length(kind, length, **how):
    """Return RoPE whose frequencies are made anew for each length of text."""

    def mine(x, positions):
        seq_len = int(positions.max()) + 1
        given = {"rope_type": kind, "factor": 4.0, "original_max_position_embeddings": length} | how
        if kind in ("yarn", "linear"):
            given["factor"] = max(1, seq_len / length)
        theta, factor = pe.rope_scaling(given, 64, seq_len=seq_len)
        return pe.rope(x, positions, inv_freq=theta, attention_factor=factor)

    return mine


TWO = {"short_factor": [1.0] * 32, "long_factor": list(np.linspace(1, 30, 32))}
TWO["attention_factor"] = 1.0
NORM = "constant norm"
OPEN = [  # no fault where a model has it: it is called by its name
    (
        heated(lambda t: np.maximum(1, np.log(t + 1) / np.log(2048))),
        NORM,
        "with their position, to 1.455× at 65,536: log-n",
    ),
    (heated(lambda t: np.log(t + 1) / np.log(512)), NORM, "log-n, ln t over ln 512"),
    (
        heated(lambda t: np.full(len(t), np.log(t.max() + 1) / np.log(512))),
        NORM,
        "grow with the text's length",
    ),
    (heated(pe.attention_temperature), NORM, "as in Llama 4, floor_scale=8192, attn_scale=0.1"),
    (
        heated(lambda t: pe.attention_temperature(t, floor_scale=16_384, ahead=0)),
        NORM,
        "as in Ministral 3, floor_scale=16384",
    ),
    (heated(lambda t: 1 + t / 1000), NORM, "a temperature, but not log-n"),
    (
        by_length("dynamic", 2048),
        BEYOND,
        "at 8,192 tokens they match base 141,200, as in dynamic NTK",
    ),
    (by_length("dynamic", 32), CACHED, "as in dynamic NTK"),
    (
        by_length("longrope", 2048, **TWO),
        BEYOND,
        "up to 30 times slower, from a second table, as in LongRoPE",
    ),
    (by_length("yarn", 1024), BEYOND, "1 to 8 times slower, as in dynamic YaRN"),
    (
        by_length("linear", 1024),
        BEYOND,
        "all pairs are 8 times slower, with positions scaled down",
    ),
]


@pytest.mark.slow
def test_temperatures_and_tables_that_change_are_called_by_their_names():
    for mine, test, said in OPEN:
        found = pe.diagnose(mine)
        assert (found.first, said in found[test].seen) == (None, True), found
        assert "; base 10,000." in found.measured


def test_an_encoder_whose_later_keys_share_a_bucket_is_told_and_not_condemned():
    """Reserve 29: the same numbers are right in a decoder."""
    for both, told in ((False, True), (True, False)):
        found = pe.diagnose(ENCODINGS["t5"].at(bidirectional=both))
        assert (found.first, "bidirectional=False" in found[DIAGONALS].seen) == (None, told)


def test_what_was_never_promised_is_no_fault():
    integer = pe.diagnose("integer")
    assert [test.verdict for test in integer.tests] == ["–", "–", "holds", "–", "holds"]
    assert "fine for a table" in integer[DIAGONALS].seen
    assert "it adds nothing" in pe.diagnose("no_position")[DIAGONALS].seen
    table = pe.diagnose(np.random.default_rng(0).normal(size=(300, 8)))
    assert "seq_len must be at most 300, where the table ends, got" in table[BEYOND].seen
    assert "isn't made of sines and their cosines" in pe.diagnose(sines)[DIAGONALS].seen

    def grown(positions, d_model):
        return np.tile(np.linspace(0, 1, len(positions)), (d_model, 1)).T

    assert "depends on" in pe.diagnose(grown)[CACHED].seen


def in_halves(x):
    """Return x with dims 0, 2, 4, … first, as for a checkpoint with interleaved pairing."""
    return np.hstack([x[:, 0::2], x[:, 1::2]])


ORDER = np.random.default_rng(1).permutation(64)
STRETCH = np.linspace(1, 2, 64)
MIX = np.linalg.qr(drawn(64, 64))[0]
FIRST = [  # what happens to x before it rotates, and what is said of it
    (in_halves, " Dims are reordered before they rotate: in the order they come in, that's inter"),
    (lambda x: x[:, ORDER], " Dims are reordered before they rotate."),
    (lambda x: x[:, ORDER] * np.resize([1, -1, -1], 64), " Dims are reordered before they rotate."),
    (lambda x: x @ drawn(64, 64), " Dims are mixed before they rotate."),
    (lambda x: (x * STRETCH)[:, ORDER], " Dims are reordered before they rotate."),
    (lambda x: x @ MIX, " Dims are mixed before they rotate."),
    (lambda x: np.float32(x @ MIX), " Dims are mixed before they rotate."),
    (lambda x: -1.5 * x, ""),
]


def turned_after(first, other, **how):
    def mine(q, k, positions):
        return tuple(
            pe.rope(x, positions, **{"pairing": "half", **how}) for x in (first(q), other(k))
        )

    return mine


def test_what_counts_is_how_dims_rotate_from_where_position_0_has_them():
    for first, said in FIRST:
        for how, rotated in (({}, "64 of"), ({"rotary_dim": 16}, "16 of")):
            found = pe.diagnose(turned_after(first, first, **how), rope_theta=10_000)
            assert found.first is None
            assert found.measured.startswith(f"Measured: {rotated} 64 dims rotate")
            assert ("; base 10,000." + said in found.measured) or how
            assert ("before they rotate" in found.measured) == bool(said)
            assert "way" not in found.measured


def test_queries_and_keys_with_different_orders_fail():
    def same(x):
        return x

    for first, other, words in (
        (in_halves, same, "different orders: a query's dim 1 meets a key's dim 32."),
        (same, in_halves, "different orders: a query's dim 1 meets a key's dim 2."),
        (lambda x: x @ MIX, same, "mixed in different ways"),
    ):
        found = pe.diagnose(turned_after(first, other))
        assert (found.first, words in found.points_to) == (DIAGONALS, True), found
        assert "the wrong dims" in found[DIAGONALS].seen
    half_done = pe.diagnose(
        lambda q, k, positions: (
            pe.rope(in_halves(q), positions, pairing="half"),
            pe.rope(k, positions),
        )
    )
    assert "different orders" in half_done.points_to
    # a sign, or a key that is one position ahead, is no other order
    for other in (lambda k, at: -pe.rope(k, at), lambda k, at: pe.rope(k, at + 1)):
        found = pe.diagnose(
            lambda q, k, positions, f=other: (pe.rope(q, positions), f(k, positions))
        )
        assert found.first is None


def test_dims_that_are_only_reordered_are_not_rotated():
    found = pe.diagnose(lambda x, positions: x[:, ORDER])
    assert "Nothing rotates" in found.points_to


REFUSED = [
    ("ropes", {}, ValueError, "mine 'ropes' is unknown"),
    (
        "mrope",
        {},
        ValueError,
        "mine must say what happens to queries and keys, but mrope doesn't",
    ),
    (
        "rope",
        {"kind": "turned"},
        ValueError,
        "kind must be one of 'additive', 'rotary', 'bias', 'plane', got 'tu",
    ),
    ("rope", {"rope_theta": 1}, ValueError, "rope_theta must be greater than 1, got 1"),
    (lambda x, positions: x, {"heads": 0}, ValueError, "heads must be at least 1, got 0"),
    (
        lambda x, positions: x[..., :1],
        {},
        ValueError,
        r"mine must take x of shape \(n, 64\).*returned shape",
    ),
    (
        lambda x, y, z, w: x,
        {},
        ValueError,
        r"mine must be f\(positions, d_model\), .*\. Yours is f\(x, y, z, w\)",
    ),
    (lambda x, positions: 1 / 0, {}, ValueError, "mine must take x of shape .*ZeroDivisionError"),
    (
        lambda q_len, k_len: np.ones((3, 3)),
        {},
        ValueError,
        r"mine must return an array of shape \(heads, 4, 4\)",
    ),
    (
        lambda vector, at: pe.rope(vector, at),
        {},
        ValueError,
        "pass kind='additive', 'rotary', 'bias' or 'plane'",
    ),
    (3, {}, TypeError, "mine must be an encoding's name, a function"),
    (lambda x, positions: 0 * x, {}, ValueError, "each from its own argument"),
    (
        dict,
        {},
        TypeError,
        r"mine must be an object or a function, not the class dict\. Pass dict\(…\)",
    ),
    (
        lambda table: table,
        {},
        TypeError,
        r"diagnose takes f\(positions, d_model\), f\(x, positions\)",
    ),
    (lambda x, positions: x.float(), {}, ValueError, r"PyTorch needs torch.as_tensor\(x\)"),
]


def test_wrong_calls_are_met_in_words():
    for mine, how, error, words in REFUSED:
        with pytest.raises(error, match=words):
            pe.diagnose(mine, **how)
    with pytest.raises(ValueError, match=r"test must be one of 'constant diagonals'.*got 'norms'"):
        pe.diagnose("rope")["norms"]


def test_positions_are_passed_even_if_they_are_optional():
    def mine(q, k, position_ids=None, base=10_000):
        at = len(q) if position_ids is None else position_ids
        return pe.rope(q, at, base=base), pe.rope(k, at, base=base)

    def scaled(q, k, base=10_000):
        return pe.rope(q, base=base), pe.rope(k, base=base)

    def last(q, k, base=10_000, positions=None):
        return mine(q, k, positions, base)

    assert pe.diagnose(mine).first is None
    assert pe.diagnose(last).first is None
    assert pe.diagnose(scaled).first == CACHED
