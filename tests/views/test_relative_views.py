"""The views of relative encodings: what they draw is what the encodings compute."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.sample import Sample
from posenc_lib.views import VIEWS, style
from posenc_lib.views.heads import reach

from .test_views import drawn


def inputs(view, name, values=None, **parameters):
    """Return a view's data out of an encoding at one setting."""
    own = {key: value for key, value in parameters.items() if key in ENCODINGS[name].defaults}
    defaults = {p.name: p.default for p in VIEWS[view].parameters}
    return VIEWS[view].inputs(Sample(ENCODINGS[name], **own), defaults | parameters | (values or {}))


@pytest.mark.parametrize(("name", "rows"), [("shaw", 17), ("t5", 32)])
def test_each_pair_is_coloured_by_the_row_that_its_offset_reads(name, rows):
    data = inputs("bucket_map", name, seq_len=9, query=3)
    view = drawn("bucket_map", **data)
    record = ENCODINGS[name]
    expected = record.reads(pe.relative_offsets(9), **record.defaults)
    np.testing.assert_array_equal(view.image.get_array(), expected)
    assert view.image.get_clim() == (0, rows - 1)
    assert f"query 3 reads 9 of the table's {rows} rows" in view.describe(
        **inputs("bucket_map", name, seq_len=9, query=3)
    )


def test_the_staircase_marks_the_row_of_its_offset_and_says_who_shares_it():
    view = drawn("bucket_by_offset", **inputs("bucket_by_offset", "t5", seq_len=64, offset=-50))
    assert view.mark.get_xydata().tolist() == [[-50, pe.t5_bucket(-50)]]
    x, y = view.steps.get_data()
    np.testing.assert_array_equal(y, pe.t5_bucket(x))
    told = view.describe(**inputs("bucket_by_offset", "t5", seq_len=64, offset=-50))
    assert told == "Offset −50 reads row 13 of 32, read here by the 18 offsets −63 to −46."


def test_one_sided_buckets_have_all_their_rows_in_the_past():
    data = inputs("bucket_by_offset", "t5", seq_len=200, bidirectional=False, offset=3)
    assert (data["table_rows"], data["now"], data["rows"].max()) == (32, 0, 31)


@pytest.mark.parametrize("term", ["q·k", "q·r", "u·k", "v·r", "all"])
def test_the_four_terms_add_up_and_each_knows_what_it_should(term):
    data = inputs("score_terms", "transformer_xl", {"term": term}, seq_len=12, head_dim=8)
    sample = Sample(ENCODINGS["transformer_xl"], seq_len=12, head_dim=8)
    x = pe.encodings.words.vectors(12, 8)
    q, k, _ = (x @ w for w in pe.encodings.words.projections(8))
    whole = ENCODINGS["transformer_xl"].relation(q, k, **sample.parameters)["scores"]
    np.testing.assert_allclose(sum(data["score_terms"].values()), whole, rtol=0, atol=1e-12)
    told = drawn("score_terms", **data).describe(**data)
    alike = {"u·k": "each of its columns", "v·r": "each of its diagonals"}.get(term, "no rows, columns or diagonals")
    assert alike in told


def test_biases_are_those_of_the_functions():
    data = inputs("head_biases", "alibi", seq_len=20, num_heads=12, head=9, query=7)
    np.testing.assert_array_equal(data["biases"], pe.alibi(12, 20)[:, 7])
    sample = Sample(ENCODINGS["t5"], seq_len=20, head=3)
    np.testing.assert_array_equal(sample.biases(7)[3], sample.similarity[7])
    view = drawn("head_biases", **data)
    np.testing.assert_array_equal(view.chosen.get_ydata(), pe.alibi(12, 20)[9, 7])
    assert view.chosen.get_color() == style.CURVE
    assert sum(len(line.get_xdata()) > 0 for line in view.others) == 12


def test_reach_is_counted_from_the_nearest_key():
    np.testing.assert_array_equal(reach(np.zeros((1, 10))), [9])
    np.testing.assert_array_equal(reach(np.array([[0.0, -50, 0, -50]])), [4])  # half of it lies three keys back
    slopes = pe.alibi_slopes(8)
    np.testing.assert_array_equal(reach(pe.alibi(8, 1, 4096)[:, 0]), np.ceil(np.log(10) / slopes))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", ENCODINGS)
def test_where_a_query_looks_is_attention_on_the_same_words(name, causal):
    width = {"d_model": 8} if "d_model" in ENCODINGS[name].defaults else {"head_dim": 8}
    width = width if ENCODINGS[name].width else {}
    data = inputs("attention_row", name, {"words": "different", "causal": causal}, seq_len=6, query=4, **width)
    sample = Sample(ENCODINGS[name], seq_len=6, **width)
    x = pe.encodings.words.vectors(6, sample.width)
    table = sample.table if ENCODINGS[name].kind == "additive" else 0.0
    q, k, v = ((x + table) @ w for w in pe.encodings.words.projections(sample.width))
    extra = {}
    if name == "rope":
        q, k = pe.rope(q), pe.rope(k)
    elif ENCODINGS[name].relation:
        extra = ENCODINGS[name].relation(q, k, **sample.parameters)
    expected = pe.attention(q, k, v, causal=causal, **extra)[1][4]
    seen = slice(0, 5 if causal else 6)
    np.testing.assert_allclose(data["attention_weights"][seen], expected[seen], rtol=0, atol=1e-13)
    assert np.isnan(data["attention_weights"]).sum() == np.isnan(data["plain"]).sum() == causal
    assert np.nansum(data["attention_weights"]) == pytest.approx(1)
    assert np.nansum(data["plain"]) == pytest.approx(1)


def test_past_its_end_a_table_has_no_curve():
    data = inputs("attention_row", "learned", seq_len=10, num_positions=6, query=3)
    assert np.isfinite(data["attention_weights"][:6]).all()
    assert np.isnan(data["attention_weights"][6:]).all()
    view = drawn("attention_row", **data)
    assert view.no_row.get_visible()
    assert view.describe(**data).endswith("no row from 6 on.")
    beyond = inputs("attention_row", "learned", seq_len=10, num_positions=6, query=8)
    assert np.isnan(beyond["attention_weights"]).all()
    assert view.describe(**beyond) == "Position 8 has no row: the table ends at 5, and asking for more is an error."
