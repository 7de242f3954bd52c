import inspect

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS, encoding
from posenc_lib.encodings.sample import Sample
from posenc_lib.encodings.words import vectors
from posenc_lib.views import VIEWS

TABLES = [record for record in ENCODINGS.values() if record.rows]


@pytest.mark.parametrize("record", ENCODINGS.values(), ids=ENCODINGS)
def test_a_record_is_complete_and_its_function_is_public(record):
    assert getattr(pe, record.function.__name__) is record.function
    assert record.function.__name__ in (record.name, f"{record.name}_scores", f"{record.name}_bias")
    assert record.kind in {"additive", "rotary", "relative", "bias"}
    assert (record.rows is None) == (record.relation is not None) == (record.kind in {"relative", "bias"})
    assert record.source
    assert record.title
    assert "seq_len" in record.defaults
    assert record.width or record.kind == "bias"
    assert all(VIEWS[view].needs in record.gives for view in record.views)
    for p in record.parameters:
        assert p.help
        assert p.options or p.least <= p.low < p.high <= p.most
        assert p.default is None or p.default in p.options or p.low <= p.default <= p.high


@pytest.mark.parametrize("record", ENCODINGS.values(), ids=ENCODINGS)
def test_defaults_are_those_of_the_function(record):
    for name, parameter in inspect.signature(record.function).parameters.items():
        if name in record.defaults and parameter.default is not inspect.Parameter.empty:
            assert record.defaults[name] == parameter.default


@pytest.mark.parametrize("record", TABLES, ids=lambda record: record.name)
def test_tables_have_a_row_for_each_position(record):
    sample = Sample(record, seq_len=5)
    assert sample.table.shape == (5, record.defaults[record.width])
    np.testing.assert_allclose(sample.similarity[2], sample.dot_product(2))
    chosen = record.rows(np.array([4, 2]), **sample.parameters)[0]
    np.testing.assert_array_equal(chosen, sample.table[[4, 2]])


def test_additive_tables_are_the_functions_own():
    np.testing.assert_array_equal(Sample(ENCODINGS["binary"]).table, pe.binary(8, 3))
    np.testing.assert_array_equal(Sample(ENCODINGS["sine"], base=50.0).table, pe.sine(32, 2, base=50.0))
    with_end = Sample(ENCODINGS["normalized"], endpoint=True)
    np.testing.assert_array_equal(with_end.table, pe.normalized(16, 2, endpoint=True))


def test_the_table_of_rope_is_what_it_does_to_ones():
    sample = Sample(ENCODINGS["rope"], seq_len=9, head_dim=8)
    np.testing.assert_array_equal(sample.table, pe.rope(np.ones((9, 8))))
    np.testing.assert_allclose(sample.dot_product(0), 2 * pe.sinusoidal_kernel(np.arange(9), 8), atol=1e-13)


def test_random_query_and_key_of_rope_differ():
    S = Sample(ENCODINGS["rope"], seq_len=20, head_dim=8, content="random").similarity
    assert not np.allclose(S, S.T)
    np.testing.assert_allclose(np.diagonal(S, 3), S[0, 3], atol=1e-12)


def test_unknown_names_are_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"did you mean 'sinusoidal'\?\), got 'sinusoid'"):
        encoding("sinusoid")
    with pytest.raises(TypeError, match=r"binary has no parameter 'base' \(it has seq_len, d_model\)"):
        Sample(ENCODINGS["binary"], base=2)


def test_a_text_reads_the_first_rows_of_a_longer_learned_table():
    whole = Sample(ENCODINGS["learned"], seq_len=9, num_positions=9).table
    np.testing.assert_array_equal(Sample(ENCODINGS["learned"], seq_len=4, num_positions=9).table, whole[:4])


def test_chosen_fractions_are_those_of_the_whole_text_with_its_end():
    sample = Sample(ENCODINGS["normalized"], seq_len=5, endpoint=True)
    chosen = sample.encoding.rows(np.array([4, 2]), **sample.parameters)[0]
    np.testing.assert_array_equal(chosen, sample.table[[4, 2]])


@pytest.mark.parametrize("setting", [{"layout": "interleaved"}, {"layout": "concatenated"}])
def test_a_shift_moves_rows_in_every_layout(setting):
    sample = Sample(ENCODINGS["sinusoidal"], seq_len=12, d_model=8, **setting)
    np.testing.assert_allclose(sample.table[:-3] @ sample.shift(3).T, sample.table[3:], rtol=0, atol=1e-13)


@pytest.mark.parametrize("setting", [{"pairing": "interleaved"}, {"pairing": "half"}])
def test_a_turn_moves_queries_in_every_pairing(setting):
    sample = Sample(ENCODINGS["rope"], seq_len=12, head_dim=8, **setting)
    np.testing.assert_allclose(sample.table[:-3] @ sample.shift(3).T, sample.table[3:], rtol=0, atol=1e-13)


@pytest.mark.parametrize("record", [one for one in ENCODINGS.values() if one.biases], ids=lambda record: record.name)
@pytest.mark.parametrize("query", [0, 4, 8])
def test_what_heads_add_at_an_offset_is_what_attention_gets(record, query):
    heads = Sample(record, seq_len=9).biases(query)
    for head, bias in enumerate(heads):
        np.testing.assert_array_equal(Sample(record, seq_len=9, head=head).similarity[query], bias)


@pytest.mark.parametrize("clip", [0, 2])
def test_shaw_tells_offsets_apart_up_to_its_clip(clip):
    scores = Sample(ENCODINGS["shaw"], seq_len=9, head_dim=8, clip=clip).similarity[4]
    near = scores[4 - clip : 5 + clip]
    assert len(np.unique(near)) == 2 * clip + 1
    np.testing.assert_array_equal(scores, np.r_[[near[0]] * (4 - clip), near, [near[-1]] * (4 - clip)])


def test_the_terms_of_transformer_xl_add_up_and_each_knows_its_own():
    sample = Sample(ENCODINGS["transformer_xl"], seq_len=6, head_dim=8)
    terms = sample.terms
    _, weights = sample.attend(vectors(6, 8), causal=False)
    np.testing.assert_allclose(weights, pe.softmax(sum(terms.values()) / np.sqrt(8)), rtol=0, atol=1e-14)
    np.testing.assert_allclose(terms["u·k"], np.tile(terms["u·k"][0], (6, 1)), rtol=0, atol=1e-14)  # of the key alone
    np.testing.assert_allclose(terms["v·r"][1:, 1:], terms["v·r"][:-1, :-1], rtol=0, atol=1e-14)  # of the offset alone
    assert all(np.ptp(term) > 0.1 for term in terms.values())
