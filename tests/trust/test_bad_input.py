"""Wrong calls that people make: each gets an error that names the argument and what it must be."""

import re
from functools import partial

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.validate import show

X, U, HANDS = np.ones((4, 8)), np.ones(8), np.ones((4, 4), complex)
HUGE, NAN, INF = 10**400, float("nan"), float("inf")
ENDLESS = [NAN, INF, -INF]
NO_NUMBERS = [None, True, np.True_, "4", "nan", b"4", 1j, {4}, [4], [None], np.array(4)]
MASKED = np.ma.masked_array(X)

# Each rule of encodings/validate.py, by a function that has it: which values get which words
INTEGER, EVEN, REAL = pe.alibi_slopes, pe.inv_freq, lambda x: pe.inv_freq(8, x)
POSITIONS, ARRAY, WHOLE = lambda x: pe.sine(x, 2), pe.similarity_matrix, pe.axis_of_pair
FREQUENCIES, TURNED = lambda x: pe.rope(X, inv_freq=x), lambda x: pe.apply_rope(X, x)
RULES = [
    (INTEGER, TypeError, "num_heads must be an integer, got",
     [*NO_NUMBERS, 4.0, *ENDLESS]),
    (INTEGER, ValueError, "num_heads must be at least 1, got", [0, -HUGE]),
    (INTEGER, ValueError, "num_heads must be at most 2**53, got", [2**53 + 1, HUGE]),
    (EVEN, ValueError, "dim must be even, got", [3, 7]),
    (REAL, TypeError, "base must be a number, got", NO_NUMBERS),
    (REAL, ValueError, "base must be finite, got", [*ENDLESS, HUGE]),
    (REAL, ValueError, "base must be between 1e-100 and 1e+100, got", [0, -1, 1e-101, 1e101]),
    (lambda x: pe.alibi_slopes(4, max_bias=x), ValueError, "max_bias must be positive, got",
     [0, -0.0, -1]),
    (lambda x: pe.rope(X, pairing=x), ValueError,
     "pairing must be one of 'interleaved', 'half', got",
     [None, 4, "", ["half"], "HALF", b"half"]),
    (lambda x: pe.alibi(2, 3, causal=x), TypeError, "causal must be True or False, got",
     [None, 0, 1.0, "", "True", [True], np.int8(0)]),
    (lambda x: pe.sinusoidal(3, 2, dtype=x), ValueError,
     "dtype must be float64, float32 or float16, got",
     [None, int, complex, bool, 4, [4], ">f4", np.longdouble, "int8", "f4,f4", "nonsense",
      np.zeros((), "f4")]),
    (ARRAY, TypeError, "table must be a plain array, got a masked one", [MASKED]),
    (ARRAY, TypeError, "table must contain real numbers, got",
     [None, "4", True, {4}, X.astype(str), X > 0, X * 1j]),
    (ARRAY, ValueError, "table must be rectangular, got", [[[1], [1, 2]]]),
    (ARRAY, ValueError, "table must be 2-D, got shape", [1.0, [1.0], X[None]]),
    (FREQUENCIES, ValueError, "inv_freq must be finite everywhere, got",
     [[1, NAN, 1, 1], [INF] * 4]),
    (POSITIONS, TypeError, "positions must be an int or an array, got",
     [None, "4", b"4", np.True_]),
    (POSITIONS, TypeError, "positions must be an integer, got", [1j, 0.5, 4.0, NAN]),
    (POSITIONS, TypeError, "positions must contain real numbers, got",
     [{4}, ["a"], [True], [1j], [None]]),
    (POSITIONS, ValueError, "positions must be finite everywhere, got", [[0, NAN], [INF, 1]]),
    (POSITIONS, ValueError, "positions must be at least 0, got", [-1]),
    (POSITIONS, ValueError, "positions must be at most 2**53, got", [HUGE]),
    (POSITIONS, ValueError, "positions must be between -2**53 and 2**53, got",
     [[0, 2**60], [1e16, 0]]),
    (POSITIONS, ValueError, "positions must have shape (seq_len,) or (batch, seq_len), got",
     [np.array(3), np.zeros((1, 2, 3))]),
    (lambda x: pe.resize_table(X, (2, 2), x), ValueError, "new must be (height, width)",
     [4, "22", (2,), [1, 2, 3], X]),
    (WHOLE, TypeError, "sections must be integers, got", [[0.5, 1]]),
    (WHOLE, ValueError, "sections must be 1-D, got", [2, [[1, 2]]]),
    # arguments that a function looks at itself
    (lambda x: pe.binary(x, 4), TypeError, "positions must be integers (there's", [[0.5, 1]]),
    (TURNED, TypeError, "freqs_cis must be complex, got", [None, "4", {4}, X]),
    (TURNED, ValueError, "freqs_cis must have shapes", [1j, HANDS[0], HANDS[:, :0]]),
    (lambda x: pe.attention(X, X, X, mask=x), TypeError,
     "mask must be boolean, True where a key may be seen", [1, 0.5, "x"]),
    (lambda x: pe.learned(3, 2, rng=x), TypeError, "rng must be a numpy.random.Generator, got",
     [None, 0, np.random]),
    (lambda x: pe.rope(X, start_pos=x), ValueError, "start_pos must be finite everywhere, got",
     [*ENDLESS, [NAN]]),
]  # fmt: skip

# Arguments that do not fit together, where people meet it; that any two arrays may disagree is
# test_library's
TOGETHER = [
    (
        lambda: pe.angles(np.array([-(2**63), 2**62]), 4),
        "ValueError: … between -2**53 and 2**53, got -9223372036854775808",
    ),
    (
        lambda: pe.normalized(1, 2, endpoint=True),
        "ValueError: seq_len must be at least 2 with endpoint=True, got 1",
    ),
    (
        lambda: pe.binary(9, 3),
        "ValueError: positions must fit in d_model=3 bits, 0 to 2**3 - 1, got 0 to 8",
    ),
    (
        lambda: pe.binary([8], 3),
        "ValueError: positions must fit in d_model=3 bits, 0 to 2**3 - 1, got 8 to 8",
    ),
    (
        lambda: pe.sinusoidal_2d(3, 3, 6),
        "ValueError: d_model must be a multiple of 4, half of the dims for",
    ),
    (lambda: pe.rope(X[:, :7]), "ValueError: head_dim must be even, got 7"),
    (
        lambda: pe.rope(X, [[0, 1, 2, 3]] * 2),
        "ValueError: … must have one entry for each text",
    ),
    (
        lambda: pe.rope(X[None], start_pos=[[1]]),
        "ValueError: start_pos must be a number, or one for each",
    ),
    (
        lambda: pe.rope(X, start_pos=2**53),
        "ValueError: positions must be between -2**53 and 2**53, got 9007199254740996",
    ),
    (lambda: pe.rope(X, rotary_dim=10), "ValueError: rotary_dim must be at most 8, got 10"),
    (
        lambda: pe.convert_pairing(X, 3),
        "ValueError: weights must have rows that num_heads=3 heads can share equally, got 4",
    ),
    (
        lambda: pe.resize_table(X, (2, 3), (4, 4)),
        "ValueError: table must have one row for each of 2 × 3 patches (old), got 4",
    ),
    (
        lambda: pe.mrope_positions((24, 24)),
        "TypeError: parts must be a list like [5, (4, 6), 3], got (24, 24)",
    ),
    (lambda: pe.mrope_positions([5, -1]), "ValueError: parts[1] must be at least 0, got -1"),
    (
        lambda: pe.softmax([-np.inf, -np.inf]),
        "ValueError: scores must leave something to attend to, got a row",
    ),
    (
        lambda: pe.attention(X, X, X, mask=1),
        "TypeError: mask must be boolean, True where a key may be seen",
    ),
    (
        lambda: pe.attention(np.ones((3, 4, 8)), *np.ones((2, 2, 4, 8))),
        "ValueError: q must have a multiple of",
    ),
    (
        lambda: pe.shaw_scores(X, X, X),
        "ValueError: table must have an odd number of rows, one per offset −c … c",
    ),
    (
        lambda: pe.t5_bias(np.ones((31, 2)), 4),
        "ValueError: num_buckets must be even, half for each direction, and at",
    ),
    (
        lambda: pe.t5_bucket([3], num_buckets=8, max_distance=2),
        "ValueError: max_distance must be greater than the 2",
    ),
]


def refusal(call) -> str:
    """Return the error of a call and its words."""
    try:
        call()
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return "taken for good"


def told_otherwise(calls) -> list[tuple[str, str]]:
    """Return what was wanted and what was told, of those (call, words) that are told otherwise."""
    told = [(words, refusal(call)) for call, words in calls]
    return [(want, got) for want, got in told if not all(part in got for part in want.split(" … "))]


def test_a_value_that_breaks_a_rule_gets_its_words():
    calls = []
    for function, error, words, values in RULES:
        calls += [(partial(function, x), f"{error.__name__} … {words}") for x in values]
    assert told_otherwise(calls) == []


def test_arguments_that_do_not_fit_together_get_their_words():
    assert told_otherwise(TOGETHER) == []


class Unshown:
    """What can't be written out."""

    def __repr__(self):
        raise ZeroDivisionError("of its own")


class Unread(Unshown):
    """What can't be read as an array either."""

    def __array__(self, *args, **kwargs):
        raise KeyError("of its own")


def nested(depth: int, kind: type):
    """Return lists or tuples in each other, 3000 of them."""
    value = kind()
    for _ in range(depth):
        value = kind([value])
    return value


ENDLESSLY = [nested(3000, list), nested(3000, tuple), nested(100, list)]
ENDLESSLY[0].append(ENDLESSLY[0])
OUTLANDISH = [10**5000, -(10**5000), [10**5000], *ENDLESSLY, Unshown(), [Unshown()], Unread()]
OUTLANDISH += [np.arange(3), np.ones((3, 3)), np.array([]), "\ud800", "a\0b", b"x", {}, {1}, len]
OUTLANDISH += [range(10**12), slice(None), 1e308, {"a": Unshown()}, np.datetime64("2020")]
SCALARS = {  # arguments that are one number, one word or one object
    "num_heads": pe.alibi_slopes,
    "max_bias": lambda x: pe.alibi_slopes(2, max_bias=x),
    "causal": lambda x: pe.alibi(2, 3, causal=x),
    "dim": pe.inv_freq,
    "base": lambda x: pe.inv_freq(4, x),
    "pairing": lambda x: pe.rope(X, pairing=x),
    "dtype": lambda x: pe.sinusoidal(3, 2, dtype=x),
    "rng": lambda x: pe.learned(2, 2, rng=x),
    "look_back": lambda x: pe.exact_head("rope", look_back=x, seq_len=8, head_dim=8),
    "seq_len": lambda x: pe.exact_head("rope", look_back=1, seq_len=x, head_dim=8),
    "head_dim": lambda x: pe.exact_head("rope", look_back=1, seq_len=8, head_dim=x),
    "task": lambda x: pe.trained_table(x),
    "steps": lambda x: pe.trained_table("recall", steps=x),
    "then": lambda x: pe.trained_table("recall", then=x),
    "parts": pe.mrope_positions,
    "length": lambda x: pe.exact_head("rope", look_back=1, seq_len=8, head_dim=8).mass(x),
    "name": pe.model_config,
    "position": lambda x: pe.rope_matrix(x, 4),
    "new": lambda x: pe.resize_table(X, (2, 2), x),
}


def outlandish() -> dict[tuple[str, int], str]:
    """Return what each argument says to each value that is none of its own."""
    calls = [(name, ask, k) for name, ask in SCALARS.items() for k in range(len(OUTLANDISH))]
    told = {(name, k): refusal(partial(ask, OUTLANDISH[k])) for name, ask, k in calls}
    return {(name, k): words for (name, k), words in told.items() if words != "taken for good"}


RAW = "Exceeds the limit|truth value|recursion|iterable|of its own|unhashable|scalar index"


def test_whatever_is_given_for_a_number_or_a_word_is_refused_by_the_name_of_the_argument():
    told = outlandish()
    assert len(told) > 0.95 * len(SCALARS) * len(OUTLANDISH)
    wrong = {}
    for (name, k), words in told.items():
        rule = words.partition(": ")[2]
        if not rule.startswith(
            (f"{name} must ", f"{name}[0] must ", f"{name} {show(OUTLANDISH[k])} is unknown. ")
        ) or re.search(RAW, words):
            wrong[name, k] = words
    assert wrong == {}


ARRAYS = {  # arguments that are arrays
    "positions": lambda x: pe.sine(x, 2),
    "table": pe.similarity_matrix,
    "sections": pe.axis_of_pair,
    "inv_freq": lambda x: pe.rope(X, inv_freq=x),
    "mask": lambda x: pe.attention(X, X, X, mask=x),
    "bias": lambda x: pe.attention(X, X, X, bias=x),
    "weights": lambda x: pe.convert_pairing(x, 2),
    "q": lambda x: pe.shaw_scores(x, X, X),
    "start_pos": lambda x: pe.rope(X, start_pos=x),
    "scores": pe.softmax,
    "seeds": lambda x: pe.trained_table("recall", seeds=x),
}


def test_whatever_is_given_for_an_array_is_refused_by_its_name_in_words():
    wrong, refused = {}, 0
    for name, ask in ARRAYS.items():
        for k, value in enumerate([*OUTLANDISH, 3, [[1], [1, 2]], MASKED]):
            words = refusal(partial(ask, value))
            refused += words != "taken for good"
            if words != "taken for good" and (name not in words or re.search(RAW, words[:60])):
                wrong[name, k] = words
    assert wrong == {}
    assert refused > 200


WRITTEN = "1e400 nan inf -inf 1_000 1,000 1,00 0x10 1e3 4097.5 ١٢ 7. .5 -0 +5 1e-9".split()
WRITTEN += ["true", "None", "4", "0.5", "interleaved"]
PARAMETERS = {f"{e.name} {p.name}": p for e in ENCODINGS.values() for p in e.parameters}


@pytest.mark.parametrize("text", ["", " ", "a b", "\0", "9" * 1500, *WRITTEN])
def test_whatever_is_written_for_a_parameter_becomes_a_value_that_it_can_take_or_words(text):
    faults = {}
    for name, p in PARAMETERS.items():
        try:
            value = p.read(text)
            value = value if value is None is p.default else p.checked(value)
            good = value in p.options if p.options else value is None or p.least <= value <= p.most
        except (TypeError, ValueError) as refusal:
            value = str(refusal)
            good = p.name in value and "must be" in value
        if not good:
            faults[name] = value
    assert faults == {}


def test_a_parameter_refuses_nonsense_in_words():
    faults = {}
    for name, p in PARAMETERS.items():
        beyond = [] if p.options else [int(p.least) - 1, int(p.most) + 1]
        for value in (*NO_NUMBERS, *ENDLESS, HUGE, *beyond):
            told = refusal(lambda p=p, value=value: p.checked(value))
            on_or_off = p.options and isinstance(value, bool)
            usual = value is None and p.default is None
            if not on_or_off and not usual and not (p.name in told and "must be" in told):
                faults[f"{name}: {show(value)}"] = told
    assert faults == {}
