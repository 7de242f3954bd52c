"""Fourier features, the code of a diffusion's moments, and a fit on random waves; the goldens have the rest."""

import math

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.encodings.fourier import RIDGE

FOURIER = KNOWN["fourier"]


def test_a_matrix_of_frequencies_gives_waves_in_all_directions(rng):
    x, b = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    made = pe.fourier_features(x, b)
    wanted = [[math.sin(row @ one) for row in b] + [math.cos(row @ one) for row in b] for one in x]
    np.testing.assert_allclose(made, wanted, atol=1e-14)
    np.testing.assert_allclose(made @ made.T, np.cos((x[:, None] - x) @ b.T).sum(axis=-1), atol=1e-13)


def test_the_fit_is_the_least_squares_fit_with_its_ridge():
    one = FOURIER.at(points=13, features=5, scale=2.0, draw=7)
    x, y = one.known
    np.testing.assert_allclose(x, [(i + 0.5) / 13 for i in range(13)])
    np.testing.assert_allclose(y, [math.sin(6 * math.pi * t) + math.sin(14 * math.pi * t) for t in x])
    fine, true, fitted = one.signal
    assert (fine[0], fine[-1]) == (0, 1)
    np.testing.assert_allclose(true, np.sin(6 * np.pi * fine) + np.sin(14 * np.pi * fine))
    waves = 2 * np.pi * np.random.default_rng(7).normal(0, 2.0, 5)
    np.testing.assert_allclose(one.waves[:, 0], waves)
    made, wanted = (np.hstack([np.sin(np.outer(t, waves)), np.cos(np.outer(t, waves))]) for t in (x, fine))
    w, *_ = np.linalg.lstsq(np.vstack([made, np.sqrt(5 * RIDGE) * np.eye(10)]), np.append(y, np.zeros(10)), rcond=None)
    np.testing.assert_allclose(fitted, wanted @ w, atol=1e-6)
    at_known = made @ w - y
    assert one.errors == pytest.approx(
        (np.sqrt(np.mean(at_known**2)), np.sqrt(np.mean((fitted - true) ** 2))), abs=1e-6
    )


def test_too_slow_waves_blur_and_too_fast_ones_only_remember():
    """Of 20 draws each: the error at the known points, and on the whole curve."""
    errors = {
        scale: np.array([FOURIER.at(scale=scale, draw=k).errors for k in range(20)]) for scale in (0.25, 4.0, 64.0)
    }
    known, whole = (dict(zip(errors, part, strict=True)) for part in np.moveaxis(list(errors.values()), 2, 0))
    assert known[0.25].min() > 0.8  # cannot even say what it was given
    assert whole[0.25].min() > 0.8
    assert whole[4.0].max() < 0.03
    assert known[64.0].max() < 1e-3  # knows what it was given
    assert whole[64.0].min() > 0.7  # and nothing of what lies between
