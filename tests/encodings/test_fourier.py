"""Fourier features and a fit on random waves; the goldens have the rest."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.encodings.fourier import RIDGE

FOURIER = KNOWN["fourier"]


def test_a_matrix_of_frequencies_gives_waves_in_all_directions(rng):
    x, b = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    made = pe.fourier_features(x, b)
    np.testing.assert_allclose(made, np.hstack([np.sin(x @ b.T), np.cos(x @ b.T)]), atol=1e-14)


def test_the_fit_is_the_least_squares_fit_with_its_ridge():
    one = FOURIER.at(points=13, features=5, scale=2.0, draw=7)
    waves = np.random.default_rng(7).normal(0, 2.0, 5)
    x, (fine, true, fitted) = (np.arange(13) + 0.5) / 13, one.signal
    y, wanted = (np.sin(6 * np.pi * t) + np.sin(14 * np.pi * t) for t in (x, fine))
    assert (fine[0], fine[-1]) == (0, 1)
    np.testing.assert_allclose(one.known, [x, y])
    np.testing.assert_allclose(true, wanted)
    np.testing.assert_allclose(one.waves[:, 0], 2 * np.pi * waves)
    b = 2 * np.pi * waves[:, None]
    at_known, everywhere = (pe.fourier_features(t[:, None], b) for t in (x, fine))
    rows = np.vstack([at_known, np.sqrt(5 * RIDGE) * np.eye(10)])
    w = np.linalg.lstsq(rows, np.append(y, np.zeros(10)), rcond=None)[0]
    np.testing.assert_allclose(fitted, everywhere @ w, atol=1e-6)
    errors = [np.sqrt(np.mean(off**2)) for off in (at_known @ w - y, fitted - true)]
    assert one.errors == pytest.approx(errors, abs=1e-6)


@pytest.mark.parametrize(
    ("scale", "known", "whole"),
    [
        (0.25, (0.8, 9), (0.8, 9)),  # too slow waves cannot even say what they were given
        (4.0, (0, 0.03), (0, 0.03)),
        (64.0, (0, 1e-3), (0.7, 9)),  # too fast ones know that, and nothing of what lies between
    ],
)
def test_too_slow_waves_blur_and_too_fast_ones_only_remember(scale, known, whole):
    errors = np.transpose([FOURIER.at(scale=scale, draw=k).errors for k in range(20)])
    for (low, high), error in zip((known, whole), errors, strict=True):
        assert low <= error.min() <= error.max() < high
