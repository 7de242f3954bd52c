"""One record per encoding: what it is, what can be turned, and within which limits.

Explorers, figures, the scorecard and the tests all read this one place.
Adding an encoding is one function and one record.
"""

from posenc_lib.encodings import absolute, bias, counting, relations, relative, rotary, rows, validate
from posenc_lib.encodings.record import Encoding, Parameter

MOST_HEADS = 64


def _seq_len(default: int) -> Parameter:
    return Parameter("seq_len", "how many positions", default, 2, 256, least=1)


def _d_model(default: int, high: int) -> Parameter:
    return Parameter("d_model", "how many dims each position has", default, 2, high, least=1, most=1024)


def _base(default, start=None) -> Parameter:
    meaning = "how far apart the wavelengths lie"
    return Parameter("base", meaning, default, 2, 1e6, 0.05, "log", start=start, least=1e-6, most=1e12)


def _even(default: int, name: str) -> Parameter:
    return Parameter(name, "how many dims each position has", default, 2, 512, 2, "power of two", least=2, most=1024)


def _head(last: int) -> Parameter:
    return Parameter("head", "which head", 0, 0, last, most=MOST_HEADS - 1)


_CONTENT = Parameter("content", "the query and the key", "ones", options=("ones", "random"))
_SEED = Parameter("seed", "which random draw", 0, 0, 99)
_SCORES = ("dot_product", "similarity", "score_by_offset")
_SLOW_PAIR = {"x_dim": 16, "y_dim": 17, "z_dim": 20}  # of 64 dims: about one turn in 64 positions

_RECORDS = (
    Encoding(
        name="no_position",
        title="No position",
        kind="additive",
        function=counting.no_position,
        parameters=(_seq_len(16), _d_model(8, 64)),
        source="Kazemnejad et al. 2023 (NoPE)",
        rows=rows.same(counting.no_position),
        idle={"d_model": (*_SCORES, "number_line", "steps", "against_length")},  # zeros, however many
    ),
    Encoding(
        name="integer",
        title="Integers",
        kind="additive",
        function=counting.integer,
        parameters=(_seq_len(16), _d_model(2, 64)),
        source="no paper: the first idea anyone has",
        rows=rows.same(counting.integer),
        idle={"d_model": ("number_line",)},  # all dims are alike
    ),
    Encoding(
        name="normalized",
        title="Fractions of the length",
        kind="additive",
        function=counting.normalized,
        parameters=(
            _seq_len(16),
            _d_model(2, 64),
            Parameter("endpoint", "whether the last position reaches 1", False, options=(False, True)),
        ),
        source="no paper: the second idea anyone has",
        rows=rows.normalized,
        idle={"d_model": ("number_line",)},
    ),
    Encoding(
        name="binary",
        title="Binary digits",
        kind="additive",
        function=counting.binary,
        parameters=(_seq_len(8), _d_model(3, 10)),
        source="no paper: the way computers count",
        rows=rows.same(counting.binary),
        limits=lambda values: {"seq_len": 2 ** values["d_model"]},
        continuous=False,
    ),
    Encoding(
        name="sine",
        title="Sines alone",
        kind="additive",
        function=absolute.sine,
        parameters=(_seq_len(32), _d_model(2, 64), _base(None, start=10_000.0)),
        source="no paper: the step between binary digits and Vaswani et al. 2017",
        rows=rows.same(absolute.sine),
        frequencies=rows.sine_waves,
    ),
    Encoding(
        name="sinusoidal",
        title="Sinusoidal",
        kind="additive",
        function=absolute.sinusoidal,
        parameters=(
            _seq_len(64),
            _even(64, "d_model"),
            _base(10_000.0),
            Parameter("layout", "where the cosines stand", "interleaved", options=absolute.LAYOUTS),
        ),
        source="Vaswani et al. 2017, Attention Is All You Need, section 3.5",
        rows=rows.same(absolute.sinusoidal),
        frequencies=rows.pairs,
        shift=rows.shift,
        shown=_SLOW_PAIR,
    ),
    Encoding(
        name="learned",
        title="Learned, untrained",
        kind="additive",
        function=absolute.learned,
        parameters=(
            _seq_len(64),
            _d_model(64, 512),
            Parameter("num_positions", "how many rows the table has", None, 2, 256, start=64, least=2),
            _SEED,
        ),
        source="Devlin et al. 2019, BERT",
        rows=rows.learned,
        limits=lambda values: {"seq_len": values["num_positions"]} if values["num_positions"] else {},
        continuous=False,
    ),
    Encoding(
        name="rope",
        title="Rotary (RoPE)",
        kind="rotary",
        function=rotary.rope,
        parameters=(
            _seq_len(64),
            _even(64, "head_dim"),
            _base(10_000.0),
            Parameter("pairing", "which dims turn together", "interleaved", options=rotary.PAIRINGS),
            _CONTENT,
        ),
        source="Su et al. 2021, RoFormer, section 3.2",
        rows=rows.turned,
        frequencies=rows.pairs,
        shift=rows.turn,
        shown=_SLOW_PAIR,
    ),
    Encoding(
        name="shaw",
        title="Shaw",
        kind="relative",
        function=relative.shaw_scores,
        parameters=(
            _seq_len(32),
            _even(64, "head_dim"),
            Parameter("clip", "offsets beyond ± this share a row", 8, 0, 64),
            _CONTENT,
            _SEED,
        ),
        source="Shaw et al. 2018, section 3",
        relation=relations.shaw,
        reads=relations.shaw_rows,
        views=("rows_read", "score_by_offset"),
        continuous=False,
    ),
    Encoding(
        name="transformer_xl",
        title="Transformer-XL",
        kind="relative",
        function=relative.transformer_xl_scores,
        parameters=(_seq_len(32), _even(64, "head_dim"), _base(10_000.0), _CONTENT, _SEED),
        source="Dai et al. 2019, section 3.3",
        relation=relations.transformer_xl,
        terms=relations.transformer_xl_terms,
        views=("terms", "score_by_offset"),
    ),
    Encoding(
        name="t5",
        title="T5 buckets",
        kind="bias",
        function=bias.t5_bias,
        parameters=(
            _seq_len(64),
            Parameter("num_buckets", "how many numbers each head learns", 32, 4, 64, 4, least=2),
            Parameter("max_distance", "from here on all share the last bucket", 128, 33, 512, least=2),
            Parameter("bidirectional", "whether later keys have buckets, too", True, options=(True, False)),
            _head(relations.T5_HEADS - 1),
            _SEED,
        ),
        source="Raffel et al. 2020, section 2.1",
        relation=relations.t5,
        limits=lambda values: {
            "num_buckets": (values["max_distance"] - 1) * (4 if values["bidirectional"] else 2),
            "head": relations.T5_HEADS - 1,
        },
        reads=relations.t5_rows,
        biases=relations.t5_biases,
        views=("staircase", "head_biases"),
        continuous=False,
    ),
    Encoding(
        name="alibi",
        title="ALiBi",
        kind="bias",
        function=bias.alibi,
        parameters=(
            _seq_len(64),
            Parameter("num_heads", "how many heads", 8, 1, 32, least=1, most=MOST_HEADS),
            _head(31),
        ),
        source="Press et al. 2022, section 3",
        relation=relations.alibi,
        limits=lambda values: {"head": values["num_heads"] - 1},
        biases=relations.alibi_biases,
        views=("head_biases", "rulers", "attended"),
    ),
)

ENCODINGS: dict[str, Encoding] = {record.name: record for record in _RECORDS}


def encoding(name: str) -> Encoding:
    """Return the record of an encoding by name.

    Raises:
        ValueError: there is no such encoding; the message lists those there are.
    """
    validate.choice("name", name, tuple(ENCODINGS))
    return ENCODINGS[name]
