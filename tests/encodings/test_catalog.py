"""What every encoding of the catalog must do: be complete, and have what its functions give."""

import inspect
import itertools

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings import catalog, sine, toy_data
from posenc_lib.encodings.catalog import ENCODINGS, KNOWN, NAMED
from posenc_lib.encodings.register import last_lesson
from posenc_lib.views import VIEWS

from ..conftest import ROOT

TABLES = [one for one in ENCODINGS.values() if one.has("table")]
TABLES += [ENCODINGS["normalized"].at(endpoint=True), ENCODINGS["rope"].at(content="random")]
ONES = np.ones((9, 64))


def normal(*shape, seed=0):
    """Return what an encoding draws that is not trained."""
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("one", ENCODINGS.values(), ids=ENCODINGS)
def test_an_encoding_is_complete_and_its_function_has_its_defaults(one):
    assert 1 <= one.lesson < last_lesson() + 1
    assert one.kind in {"additive", "rotary", "relative", "bias"}
    assert one.has("table") == (one.kind in {"additive", "rotary"})
    assert one.title
    assert all(VIEWS[view].fits(one) for view in one.views)
    for p in one.parameters:
        assert p.help
        assert p.options or p.least <= p.low < p.high <= p.most
        assert p.default is None or p.default in p.options or p.low <= p.default <= p.high
    names = (one.name, f"{one.name}_scores", f"{one.name}_bias")
    for function in (getattr(pe, name) for name in names if name in pe.__all__):
        arguments = inspect.signature(function).parameters.values()
        given = {p.name: p.default for p in arguments if p.default is not p.empty}
        ours = {name: value for name, value in one.defaults.items() if value is not None}
        assert given == {name: ours.get(name, default) for name, default in given.items()}


def test_a_name_is_that_of_one_encoding(monkeypatch):
    assert len(NAMED) == sum(len(names) for names in NAMED.maps)
    second = type("Second", (pe.Bias,), {"name": "sine", "__module__": "elsewhere"})
    monkeypatch.setattr(sine, "Second", second, raising=False)
    both = r"'sine' for posenc_lib\.encodings\.sine\.Sine and elsewhere\.Second$"
    with pytest.raises(ValueError, match=both):
        catalog._by_name(catalog._found())


def test_an_encoding_with_a_models_name_is_refused(monkeypatch):
    monkeypatch.setitem(catalog.FOUND, "phi_3", KNOWN["rope"])
    with pytest.raises(ValueError, match="name must be unique, but 'phi_3' is also a model"):
        KNOWN.load()


@pytest.mark.parametrize("name", ["rope", "xpos", "rope_2d", "shaw", "transformer_xl"])
def test_a_query_and_a_key_of_ones_own_stand_at_every_position(name):
    one = NAMED[name].at(seq_len=6)
    query, key = normal(2, one.num_dims)
    given = one.with_content(query, key)
    q, k = np.tile(query, (6, 1)), np.tile(key, (6, 1))
    np.testing.assert_array_equal(given.tiled_qk(), (q, k))
    scores, _ = one.scores_and_bias(q, k)
    np.testing.assert_allclose(given.similarity, scores, atol=1e-12)
    assert not np.allclose(one.similarity, scores)


@pytest.mark.parametrize("one", TABLES, ids=lambda one: one.name)
def test_a_table_has_a_row_for_each_position(one):
    one = one.at(seq_len=5)
    assert one.table.shape == (5, one.num_dims)
    np.testing.assert_allclose(one.similarity[2], one.dot_product(2))
    np.testing.assert_array_equal(one.queries_and_keys(np.array([4, 2]))[0], one.table[[4, 2]])
    np.testing.assert_allclose(
        one.steps, [np.linalg.norm(b - a) for a, b in itertools.pairwise(one.table)]
    )
    for n in (3, 5) if one.kind == "additive" else ():
        np.testing.assert_array_equal(
            one.embed(np.zeros((n, one.num_dims))), one.at(seq_len=n).table
        )


@pytest.mark.parametrize(
    ("name", "values", "limits"),
    [
        ("alibi", {"num_heads": 6}, {"head": 5}),
        ("binary", {"d_model": 5}, {"seq_len": 32}),
        ("kerple", {"curve": "power"}, {"p": 2.0}),
        ("learned", {"num_positions": 9}, {"seq_len": 9}),
        ("t5", {"max_distance": 100, "bidirectional": False}, {"num_buckets": 198, "head": 7}),
    ],
)
def test_limits_follow_the_other_values(name, values, limits):
    one = ENCODINGS[name].at(seq_len=60, **values)
    assert (one.highest, one.max_positions) == (limits, limits.get("seq_len", 60))


SAME = [  # an encoding, its values, and its table or bias by its function, or by its formula
    ("no_position", {"seq_len": 4, "d_model": 3}, lambda one: np.zeros((4, 3))),
    ("integer", {"seq_len": 4, "d_model": 3}, lambda one: np.arange(4.0)[:, None] * [1, 1, 1]),
    ("normalized", {"seq_len": 5, "d_model": 1}, lambda one: np.arange(5)[:, None] / 5),
    (
        "sine",
        {"seq_len": 9, "d_model": 3, "base": 4.0},
        lambda one: np.sin(np.arange(9)[:, None] / [1, 2, 4]),
    ),
    ("binary", {}, lambda one: pe.binary(8, 3)),
    ("binary", {"low_first": True}, lambda one: pe.binary(8, 3)[:, ::-1]),
    ("rope", {"seq_len": 9, "head_dim": 8}, lambda one: pe.rope(np.ones((9, 8)))),
    ("kerple", {"seq_len": 7, "a": 0.3, "p": 1.7}, lambda one: pe.kerple([0.3], [1.7], 7)[0]),
    (
        "learned",
        {"seq_len": 4, "num_positions": 9},
        lambda one: pe.learned(9, 64, rng=np.random.default_rng(0))[:4],
    ),
    (
        "sandwich",
        {"seq_len": 12, "num_heads": 4, "head": 2, "code_dim": 16},
        lambda one: pe.sandwich(4, 12, 16)[2],
    ),
    (
        "shaw",
        {"seq_len": 9, "clip": 2},
        lambda one: pe.shaw_scores(ONES, ONES, one_by_one(normal(5, 64, seed=[1, 0]))),
    ),
    (
        "sinusoidal_2d",
        {"seq_len": 15, "columns": 5, "d_model": 12},
        lambda one: pe.sinusoidal_2d(3, 5, 12),
    ),
    (
        "sinusoidal_2d",
        {"seq_len": 15, "d_model": 12, "reading": "line"},
        lambda one: pe.sinusoidal(15, 12),
    ),
    (
        "sinusoidal_2d",
        {"seq_len": 11, "columns": 4},
        lambda one: pe.sinusoidal_2d(3, 4, 64)[:11],
    ),  # half a last row
    (
        "t5",
        {"head": 3, "num_buckets": 8, "max_distance": 16},
        lambda one: pe.t5_bias(normal(8, 8), 64, max_distance=16)[3],
    ),
]


def one_by_one(rows):
    """Return rows that were drawn for offsets 0, −1, 1, −2, 2 in the order of the offsets."""
    return rows[[3, 1, 0, 2, 4]]


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_has_numbers_from_elsewhere(name):
    goldens = list((ROOT / "tests/goldens").glob(f"{name}_*.json"))
    rows = [row for row in SAME if row[0] == name]
    assert goldens or rows, f"{name} needs tests/goldens/{name}__SOURCE.json, or a row in SAME"


@pytest.mark.parametrize(("name", "values", "wanted"), SAME)
def test_a_table_or_bias_is_that_of_its_function(name, values, wanted):
    one = KNOWN[name].at(**values)
    np.testing.assert_allclose(
        one.table if one.has("table") else one.similarity, wanted(one), rtol=0, atol=1e-13
    )


@pytest.mark.parametrize(
    ("name", "values"),
    [
        *(
            ("sinusoidal", {"d_model": 8, "layout": layout})
            for layout in ("interleaved", "concatenated")
        ),
        *(("rope", {"head_dim": 8, "pairing": pairing}) for pairing in ("interleaved", "half")),
    ],
)
def test_a_shift_moves_rows_in_every_order_of_dims(name, values):
    one = ENCODINGS[name].at(seq_len=12, base=50.0, **values)
    np.testing.assert_allclose(one.table[:-3] @ one.shift(3).T, one.table[3:], rtol=0, atol=1e-13)
    waves = np.cos(np.outer(np.arange(12), 50.0 ** (-np.arange(0, 8, 2) / 8)))
    np.testing.assert_allclose(
        waves.mean(axis=1), one.dot_product(0) / one.dot_product(0)[0], rtol=0, atol=1e-13
    )
    a, b = one.pair_dims(np.arange(4))
    assert np.ptp(np.hypot(one.table[:, a], one.table[:, b])) < 1e-13


def test_the_terms_of_transformer_xl_add_up_and_each_knows_its_own():
    one, x = ENCODINGS["transformer_xl"].at(seq_len=6, head_dim=8), toy_data.tokens(6, 8)
    q, k, _ = toy_data.queries_keys_values(x)
    terms = {term: one.at(term=term).scores(q, k) for term in ("q·k", "q·r", "u·k", "v·r")}
    np.testing.assert_allclose(
        one.attend(x, causal=False)[1], pe.softmax(sum(terms.values()) / np.sqrt(8)), atol=1e-14
    )
    np.testing.assert_allclose(
        terms["u·k"], np.tile(terms["u·k"][0], (6, 1)), atol=1e-14
    )  # of the key alone
    np.testing.assert_allclose(
        terms["v·r"][1:, 1:], terms["v·r"][:-1, :-1], atol=1e-14
    )  # of the offset alone
    assert all(np.ptp(term) > 0.1 for term in terms.values())
