"""KERPLE, FIRE, Sandwich, xPos and CoPE: what papers say of them; goldens have their numbers."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.cope import counted_scores
from posenc_lib.encodings.xpos import Xpos

LENGTHS = [(2, 6), (6, 2), (0, 3)]  # the goldens have as many keys as queries


def test_kerple_as_a_power_of_1_is_alibi_and_far_powers_are_kept_within_the_authors_ends():
    straight = pe.kerple(pe.alibi_slopes(8), np.ones(8), 9, kind="power")
    np.testing.assert_allclose(straight, np.tril(pe.alibi(8, 9)))
    ends = pe.kerple([1.0, 1.0], [1e-5, 7.0], 4, kind="power")
    np.testing.assert_allclose(ends[:, 3, 0], [-(3**0.01), -9])


def test_fire_says_more_than_the_offset_and_feeds_nothing_that_reads_offsets():
    one = ENCODINGS["fire"].at(seq_len=30, threshold=4)
    assert min(np.ptp(np.diagonal(one.similarity, -k)) for k in range(1, 21)) > 0
    assert not one.has("biases")
    # a longer text moves nothing
    np.testing.assert_array_equal(one.similarity[:9, :9], one.at(seq_len=9).similarity)
    cached = one.relate(np.zeros((3, 4)), np.zeros((30, 4)))["bias"]
    np.testing.assert_allclose(cached, one.similarity[-3:], atol=1e-12)


def test_sandwich_rises_again_from_offset_13_to_14():
    assert np.flatnonzero(np.diff(pe.sandwich(1, 40, 128)[0, 0]) > 0)[0] == 13


def stretched(x, n, scale_base, sign):
    """Return rows turned by n and scaled, pair by pair."""
    i, pairs = np.arange(3), x[..., 0::2] + 1j * x[..., 1::2]
    turned = pairs * np.exp(1j * n * 50.0 ** (-2 * i / 6))
    return turned * ((2 * i / 6 + 0.4) / 1.4) ** (sign * n / scale_base)


@pytest.mark.parametrize(("q_len", "k_len"), LENGTHS)
def test_xpos_gives_the_scores_of_a_plain_loop_and_serves_groups_of_heads(q_len, k_len, rng):
    q, k = rng.normal(size=(2, 4, q_len, 6)), rng.normal(size=(2, 2, k_len, 6))
    xpos = Xpos(head_dim=6, scale_base=20, base=50.0)
    turned_q = xpos.turned_query(q, np.arange(k_len - q_len, k_len))
    turned_k = xpos.turned_key(k, np.arange(k_len))
    for head, i, j in np.ndindex(4, q_len, k_len):
        one = stretched(q[:, head, i], i + k_len - q_len, 20, 1)
        score = (one * stretched(k[:, head // 2, j], j, 20, -1).conj()).real.sum(axis=-1)
        ours = (turned_q[:, head, i] * turned_k[:, head // 2, j]).sum(axis=-1)
        np.testing.assert_allclose(ours, score, rtol=1e-12, atol=1e-13)


def test_scores_of_xpos_are_those_of_rope_times_the_decay():
    one = ENCODINGS["xpos"].at(seq_len=40, head_dim=8, scale_base=16, base=100.0, content="random")
    q, k = one.tiled_qk()
    turned_q, turned_k = one.turned_query(q, np.arange(40)), one.turned_key(k, np.arange(40))
    np.testing.assert_allclose(one.similarity, turned_q @ turned_k.T, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(one.relate(q, k)["q"], one.table, atol=1e-14)
    plain_q, plain_k = pe.rope(q, base=100.0), pe.rope(k, base=100.0)
    for pair in range(4):
        dims = one.pair_dims(pair)
        both = (plain_q, plain_k), one.queries_keys
        plain, ours = (x[-1, dims] @ y[::-1, dims].T for x, y in both)
        np.testing.assert_allclose(ours, plain * one.decay(np.arange(40))[:, pair], atol=1e-12)


def test_the_object_of_cope_counts_words(rng):
    one, x = ENCODINGS["cope"].at(seq_len=12, head_dim=8, npos=5), rng.normal(size=(12, 8))
    pos_emb = np.random.default_rng([2, 0]).normal(size=(5, 8)).T
    later = x @ x.T + (x @ pos_emb)[:, :1]  # at position 0
    wanted = np.where(np.tri(12), counted_scores(x, x, pos_emb), later)
    np.testing.assert_allclose(one.scores(x, x), wanted)
