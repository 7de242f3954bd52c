"""Every encoding of the catalog gives numbers at any setting a slider can reach, and refuses nonsense in words."""

import random

import numpy as np

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.toy_data import tokens

from .functions import HUGE, INF, NAN, NO_NUMBERS

SETTINGS, SMALL = 20, 48  # draws for each encoding; the most of lengths and dims in them
PARAMETERS = {f"{e.name} {p.name}": p for e in ENCODINGS.values() for p in e.parameters}
OFFSETS = np.arange(-50, 51)
SHOWN = {  # what an encoding may have to show, and what it is asked with
    **dict.fromkeys(("similarity", "table", "steps", "frequencies", "kernel"), None),
    **{"dot_product": 0, "between": 3, "shift": 7, "buckets": OFFSETS, "biases": OFFSETS},
}


def value(rng: random.Random, p: Parameter):
    """Draw a value that a reader can set."""
    if p.options:
        return rng.choice(p.options)
    if p.default is None and rng.random() < 0.5:
        return None
    if p.scale == "log":
        return rng.choice([p.least, p.most, rng.uniform(p.least, p.most)])
    step, high = int(p.step), min(p.most, SMALL)
    return step * rng.randint(-(-p.least // step), high // step)


def setting(rng: random.Random, encoding: Encoding) -> Encoding:
    """Return the encoding with a value drawn for every parameter, within the limits that the values set each other."""
    encoding = encoding.at(**{p.name: value(rng, p) for p in encoding.parameters})
    encoding = encoding.at(**{name: min(encoding.values[name], most) for name, most in encoding.limits.items()})
    if encoding.values.get("endpoint"):
        encoding = encoding.at(seq_len=max(encoding.seq_len, 2))  # one position has no end point, says the docstring
    return encoding


def shown(encoding: Encoding) -> dict[str, np.ndarray]:
    """Return all that an encoding has to show, by name."""
    found = {name: getattr(encoding, name) for name in SHOWN if encoding.has(name)}
    found = {name: x(SHOWN[name]) if callable(x) else x for name, x in found.items()}
    found["positions"], found["between"] = found.get("between", (0, 0))
    found["output"], found["weights"] = encoding.attend(tokens(encoding.max_positions, encoding.num_dims), causal=True)
    return found | (encoding.score_terms(*encoding.tiled_qk()) if encoding.has("score_terms") else {})


def test_no_setting_gives_anything_but_numbers():
    for name, encoding in ENCODINGS.items():
        rng = random.Random(name)
        for drawn in (setting(rng, encoding) for _ in range(SETTINGS)):
            wrong = [key for key, x in shown(drawn).items() if not np.isfinite(x).all()]
            assert wrong == [], (name, drawn.values)
            assert drawn.similarity.shape == (drawn.seq_len,) * 2
            assert "nan" not in drawn.describe(set(drawn.defaults)).lower()


def outcome(call) -> tuple:
    """Return what a call gives, and the words in which it refuses."""
    try:
        return call(), ""
    except (TypeError, ValueError) as refusal:
        return None, str(refusal)


def test_a_parameter_refuses_nonsense_in_words():
    faults = {}
    for name, p in PARAMETERS.items():
        beyond = [] if p.options else [int(p.least) - 1, int(p.most) + 1]
        nonsense = [x for x in (*NO_NUMBERS, NAN, INF, -INF, HUGE, *beyond) if not (p.options and isinstance(x, bool))]
        words = [outcome(lambda p=p, x=x: p.checked(x))[1] for x in nonsense]
        faults |= {name: words} if not all(p.name in each and "must be" in each for each in words) else {}
    assert faults == {}


WRITTEN = (
    "1e400 nan inf -inf 1_000 1,000 1,00 12,3456 0x10 1e3 1e300 4097.5 ١٢ 7. .5 -0 +5 1e-9 true None 4 0.5 interleaved"
)
WRITTEN = ["", " ", "a b", "\0", "9" * 1500, *WRITTEN.split()]


def test_whatever_is_written_becomes_a_good_value_or_words():
    faults = {}
    for name, p in PARAMETERS.items():
        for text in WRITTEN:
            read, words = outcome(lambda p=p, text=text: p.read(text))
            read, words = (read, words) if words or read is None else outcome(lambda p=p, read=read: p.checked(read))
            if words:
                good = p.name in words and "must be" in words
            else:
                good = read in p.options if p.options else read is p.default is None or p.least <= read <= p.most
            faults |= {} if good else {f"{name} {text[:20]}": words or read}
    assert faults == {}
