"""KERPLE, FIRE, Sandwich, xPos and CoPE beside plain loops."""

import math

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS

LENGTHS = [(5, 5), (2, 6), (6, 2), (0, 3)]


def loop(heads, q_len, k_len, entry):
    """Return entry(head, query, key) for all of them; the last query stands at the last key."""
    out = np.zeros((heads, q_len, k_len))
    for head, i, j in np.ndindex(out.shape):
        out[head, i, j] = entry(head, i + k_len - q_len, j)
    return out


@pytest.mark.parametrize(("q_len", "k_len"), LENGTHS)
def test_kerple_equals_a_plain_loop(q_len, k_len, rng):
    a, p = rng.uniform(0.001, 3, (2, 4))
    expected = {
        "log": lambda h, i, j: -p[h] * math.log(1 + a[h] * (i - j)) if j < i else 0.0,
        "power": lambda h, i, j: -a[h] * (i - j) ** min(max(p[h], 0.01), 2.0) if j < i else 0.0,
    }
    for kind, entry in expected.items():
        np.testing.assert_allclose(pe.kerple(a, p, q_len, k_len, kind=kind), loop(4, q_len, k_len, entry), atol=1e-13)


def test_kerple_as_a_power_of_1_is_alibi_and_far_powers_are_kept_within_the_authors_ends():
    np.testing.assert_allclose(pe.kerple(pe.alibi_slopes(8), np.ones(8), 9, kind="power"), np.tril(pe.alibi(8, 9)))
    ends = pe.kerple([1.0, 1.0], [1e-5, 7.0], 4, kind="power")
    np.testing.assert_allclose(ends[:, 3, 0], [-(3**0.01), -9])


@pytest.mark.parametrize("curve", ["log", "power"])
def test_the_object_has_the_numbers_of_the_function(curve):
    one = ENCODINGS["kerple"].at(seq_len=7, a=0.3, p=1.7, curve=curve)
    np.testing.assert_array_equal(one.similarity, pe.kerple([0.3], [1.7], 7, kind=curve)[0])
    np.testing.assert_array_equal(one.biases(-np.arange(7)), one.similarity[-1:, ::-1])
