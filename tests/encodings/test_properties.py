"""What must hold for every setting, tried on settings that nobody chose."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import (
    angles,
    attention,
    binary,
    phasors,
    rope,
    shift_matrix,
    similarity_matrix,
    sine,
    sinusoidal,
    sinusoidal_kernel,
)

counts = st.integers(1, 60)
evens = st.integers(1, 40).map(lambda half: 2 * half)
bases = st.floats(1.5, 1e7)
positions = st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=30).map(np.array)
offsets = st.integers(-500, 500)


@given(positions, evens, bases)
def test_every_row_has_the_same_length(t, d, base):
    np.testing.assert_allclose(np.linalg.norm(sinusoidal(t, d, base=base), axis=1), np.sqrt(d / 2), rtol=1e-14)


@given(counts, evens, bases, offsets)
def test_a_shift_is_one_matrix(n, d, base, offset):
    t = np.arange(n)
    moved = sinusoidal(t, d, base=base) @ shift_matrix(offset, d, base).T
    np.testing.assert_allclose(moved, sinusoidal(t + offset, d, base=base), atol=1e-12)


@given(counts, evens, bases)
def test_dot_products_are_toeplitz_and_equal_the_kernel(n, d, base):
    S = similarity_matrix(sinusoidal(n, d, base=base))
    offset = np.subtract.outer(np.arange(n), np.arange(n))
    np.testing.assert_allclose(S, sinusoidal_kernel(offset, d, base), atol=1e-11)


@given(positions, evens, bases)
def test_both_layouts_have_the_same_dot_products(t, d, base):
    one = similarity_matrix(sinusoidal(t, d, base=base))
    other = similarity_matrix(sinusoidal(t, d, base=base, layout="concatenated"))
    np.testing.assert_allclose(one, other, atol=1e-12)


@given(positions, evens, bases)
def test_whole_and_float_positions_agree(t, d, base):
    for function in (angles, phasors):
        np.testing.assert_array_equal(function(t, d, base), function(t.astype(float), d, base))
    np.testing.assert_array_equal(sinusoidal(t, d, base=base), sinusoidal(t.astype(float), d, base=base))
    np.testing.assert_array_equal(sine(t, d, base=base), sine(t.astype(float), d, base=base))


@given(counts, evens, bases)
def test_a_count_is_the_positions_from_0(n, d, base):
    np.testing.assert_array_equal(sinusoidal(n, d, base=base), sinusoidal(np.arange(n), d, base=base))


@given(st.integers(1, 12), st.data())
def test_bits_spell_the_number(d, data):
    n = data.draw(st.integers(1, 2**d))
    table = binary(n, d)
    np.testing.assert_array_equal(table @ 2 ** np.arange(d)[::-1], np.arange(n))


@given(counts, evens, bases, st.sampled_from(["interleaved", "half"]), st.integers(0, 2**32 - 1))
def test_rope_keeps_lengths_and_knows_only_the_offset(n, d, base, pairing, seed):
    q, k = np.random.default_rng(seed).normal(size=(2, d))
    turn = lambda x, t: rope(x[None], np.array([t]), base=base, pairing=pairing)[0]  # noqa: E731
    np.testing.assert_allclose(np.linalg.norm(turn(q, n)), np.linalg.norm(q), rtol=1e-13)
    score = turn(q, n) @ turn(k, 3)
    np.testing.assert_allclose(turn(q, n + 1000) @ turn(k, 1003), score, atol=1e-9)


@given(counts, evens, st.integers(0, 2**32 - 1))
def test_weights_sum_to_one(n, d, seed):
    x = 10 * np.random.default_rng(seed).normal(size=(n, d))
    output, weights = attention(x, x, x, causal=True)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-13)
    np.testing.assert_allclose(output[0], x[0])
