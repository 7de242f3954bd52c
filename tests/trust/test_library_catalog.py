"""Every parameter of the catalog refuses nonsense in words, given or written; what sliders reach is in test_sweeps."""

from posenc_lib.encodings.catalog import ENCODINGS

from .functions import NO_NUMBERS

PARAMETERS = {f"{e.name} {p.name}": p for e in ENCODINGS.values() for p in e.parameters}


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
        nonsense = [x for x in (*NO_NUMBERS, *beyond) if not (p.options and isinstance(x, bool))]
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
