import inspect
import itertools

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings import toy_data
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.views import VIEWS

TABLES = [one for one in ENCODINGS.values() if one.has("table")]
TABLES += [ENCODINGS["normalized"].at(endpoint=True), ENCODINGS["rope"].at(content="random")]
LEARNED = ENCODINGS["learned"].at(seq_len=9, num_positions=9)
ONES, PAST = np.ones((9, 64)), {"bidirectional": False}


def normal(*shape, seed=0):
    """Return what an encoding draws that is not trained."""
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("one", ENCODINGS.values(), ids=ENCODINGS)
def test_an_encoding_is_complete_and_its_function_has_its_defaults(one):
    assert 1 <= one.lesson < 15
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
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.default is not inspect.Parameter.empty:
                assert one.defaults.get(name, parameter.default) == parameter.default


@pytest.mark.parametrize("one", TABLES, ids=lambda one: one.name)
def test_a_table_has_a_row_for_each_position(one):
    one = one.at(seq_len=5)
    assert one.table.shape == (5, one.num_dims)
    np.testing.assert_allclose(one.similarity[2], one.dot_product(2))
    np.testing.assert_array_equal(one.queries_and_keys(np.array([4, 2]))[0], one.table[[4, 2]])
    np.testing.assert_allclose(one.steps, [np.linalg.norm(b - a) for a, b in itertools.pairwise(one.table)])
    if one.kind == "additive":
        for n in (3, 5):
            np.testing.assert_array_equal(one.embed(np.zeros((n, one.num_dims))), one.at(seq_len=n).table)


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
    assert one.limits == limits
    assert one.max_positions == limits.get("seq_len", 60)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (ENCODINGS["binary"], lambda: pe.binary(8, 3)),
        (ENCODINGS["rope"].at(seq_len=9, head_dim=8), lambda: pe.rope(np.ones((9, 8)))),
        (ENCODINGS["alibi"].at(head=3), lambda: pe.alibi(8, 64)[3]),
        (
            ENCODINGS["t5"].at(head=3, num_buckets=8, max_distance=16),
            lambda: pe.t5_bias(normal(8, 8), 64, max_distance=16)[3],
        ),
        (ENCODINGS["t5"].at(head=3, **PAST), lambda: pe.t5_bias(normal(32, 8), 64, **PAST)[3]),
        (
            ENCODINGS["shaw"].at(seq_len=9, clip=2),
            lambda: pe.shaw_scores(ONES, ONES, normal(5, 64, seed=[1, 0])[[3, 1, 0, 2, 4]]),
        ),
        (LEARNED.at(seq_len=4), lambda: LEARNED.table[:4]),  # a short sequence reads the first rows
    ],
)
def test_a_table_or_bias_is_that_of_its_function(one, expected):
    np.testing.assert_array_equal(one.table if one.has("table") else one.similarity, expected())


@pytest.mark.parametrize(
    ("name", "values"),
    [
        *(("sinusoidal", {"d_model": 8, "base": 50.0, "layout": layout}) for layout in ("interleaved", "concatenated")),
        *(("rope", {"head_dim": 8, "base": 50.0, "pairing": pairing}) for pairing in ("interleaved", "half")),
    ],
)
def test_a_shift_moves_rows_in_every_order_of_dims(name, values):
    one = ENCODINGS[name].at(seq_len=12, **values)
    np.testing.assert_allclose(one.table[:-3] @ one.shift(3).T, one.table[3:], rtol=0, atol=1e-13)
    np.testing.assert_allclose(one.kernel, one.dot_product(0) / one.dot_product(0)[0], rtol=0, atol=1e-13)
    a, b = one.pair_dims(np.arange(4))
    assert np.ptp(np.hypot(one.table[:, a], one.table[:, b])) < 1e-13


def test_the_terms_of_transformer_xl_add_up_and_each_knows_its_own():
    one, x = ENCODINGS["transformer_xl"].at(seq_len=6, head_dim=8), toy_data.tokens(6, 8)
    q, k, _ = toy_data.queries_keys_values(x)
    terms = {term: one.at(term=term).scores(q, k) for term in ("q·k", "q·r", "u·k", "v·r")}
    np.testing.assert_allclose(one.attend(x, causal=False)[1], pe.softmax(sum(terms.values()) / np.sqrt(8)), atol=1e-14)
    np.testing.assert_allclose(terms["u·k"], np.tile(terms["u·k"][0], (6, 1)), atol=1e-14)  # of the key alone
    np.testing.assert_allclose(terms["v·r"][1:, 1:], terms["v·r"][:-1, :-1], atol=1e-14)  # of the offset alone
    assert all(np.ptp(term) > 0.1 for term in terms.values())
