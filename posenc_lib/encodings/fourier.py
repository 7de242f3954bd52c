"""The same waves for other numbers: points in space, moments in time."""

import math
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.parameter import Parameter, powers_of, seq_len_of

TURNS = (3, 7)  # of the curve's two waves on [0, 1]
GRID = 512  # at least this many steps, so the curve looks smooth
# relative to one point's features: enough against rounding
RIDGE = 1e-6


@validate.checked(
    lambda x, frequencies: 2 * x.size * frequencies.size,
    x=partial(validate.data, min_ndim=1),
    frequencies=validate.data,
)
def fourier_features(x: npt.ArrayLike, frequencies: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return sines and cosines of each coordinate, or of B·x for a matrix B.

    >>> fourier_features([[0.5]], 2.0 ** np.arange(3)).round(2)  # NeRF doubles its frequencies
    array([[ 0.48,  0.88,  0.84,  0.54,  0.91, -0.42]])
    >>> fourier_features([[0.5, 0.25]], [[1.0, 2.0], [0.0, np.pi]]).round(2)  # a wave per row
    array([[0.84, 0.71, 0.54, 0.71]])

    Args: x has shape (..., coordinates). frequencies are in radians per unit of x. With shape
        (n,), each f gives sin(f·x) for all coordinates, then cos(f·x). With shape (n,
        coordinates), they're the rows of B, and all sines of Bx come before all cosines.
    Returns: float64 array of shape (..., features): 2·n·coordinates of them, or 2·n for a matrix.
    Source: Mildenhall et al. 2020, "NeRF", eq. 4 without its π; Tancik et al. 2020, "Fourier
        Features Let Networks Learn High Frequency Functions in Low Dimensional Domains", section 2,
        with 2πB as B.
    """
    if frequencies.ndim not in (1, 2):
        raise ValueError(
            f"frequencies must have shape (n,) or (n, coordinates), got shape {frequencies.shape}"
        )
    if frequencies.shape[1:] not in ((), x.shape[-1:]):
        rule = f"a column for each of {x.shape[-1]} coordinates"
        raise ValueError(f"frequencies must have {rule}, got {frequencies.shape[1]}")
    angles = x @ frequencies.T if frequencies.ndim == 2 else x[..., None, :] * frequencies[:, None]
    waves = np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)
    if frequencies.ndim == 2:
        return waves
    return waves.reshape(*x.shape[:-1], math.prod(waves.shape[-2:]))


@validate.checked(
    lambda t, dim: len(t) * dim,
    t=partial(validate.data, ndim=1),
    dim=partial(validate.integer, low=4),
)
def timestep_embedding(t: npt.ArrayLike, dim: int) -> npt.NDArray[np.float64]:
    """Return the sinusoidal code of diffusion timesteps: all sines, then all cosines, of t·f_i.

    f_i = 10,000^(−i / (dim/2 − 1)), so the last frequency is 1/10,000. Most models count t from 0
    to 1000.

    >>> timestep_embedding([0, 1], 4).round(2)
    array([[0.  , 0.  , 1.  , 1.  ],
           [0.84, 0.  , 0.54, 1.  ]])

    Args: t has shape (n,) and can be fractional; dim is at least 4, and an odd dim ends in 0.
    Returns: float64 array of shape (n, dim).
    Source: Ho et al. 2020, "Denoising Diffusion Probabilistic Models", appendix B.
    """
    half = dim // 2
    angles = np.multiply.outer(t, 10_000.0 ** -(np.arange(half) / (half - 1)))
    return np.concatenate([np.sin(angles), np.cos(angles), np.zeros((len(t), dim % 2))], axis=1)


def curve(x: np.ndarray) -> npt.NDArray[np.float64]:
    """Return the curve to fit: two waves of 3 and 7 periods on [0, 1], with mean square 1."""
    return np.sin(2 * np.pi * TURNS[0] * x) + np.sin(2 * np.pi * TURNS[1] * x)


class Fourier(Encoding):
    """Random Fourier features of one coordinate, and a linear fit to points on a curve."""

    name, title = "fourier", "Random Fourier features"
    lesson = 12.4
    kind, of_text = "additive", False
    parameters = (
        seq_len_of(64),
        Parameter(
            "scale",
            "speed of the random waves, turns per unit",
            4.0,
            0.25,
            64.0,
            scale="log",
            least=0.01,
        ),
        powers_of("features", "number of random waves", 64, 4, 256, least=1, most=1024),
        Parameter("points", "number of known points on the curve", 32, 8, 64, least=4, most=256),
        Parameter("draw", "which random waves", 0, 0, 99),
    )
    views = ("signal_fit",)

    @cached_property
    def waves(self) -> np.ndarray:
        """The frequency of each random wave, radians per unit, shape (features, 1): rows of B."""
        drawn = np.random.default_rng(self.draw).normal(0, self.scale, (self.features, 1))
        return 2 * np.pi * drawn

    @property
    def known(self) -> tuple[np.ndarray, np.ndarray]:
        """The known points: x, the midpoints of equal parts of [0, 1], and the curve there."""
        x = (np.arange(self.points) + 0.5) / self.points
        return x, curve(x)

    @cached_property
    def signal(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A fine grid of x on [0, 1] with the known points, the true curve, and the fit."""
        fine = np.linspace(0, 1, 2 * self.points * math.ceil(GRID / 2 / self.points) + 1)
        x, y = self.known
        given, wanted = (fourier_features(at[:, None], self.waves) for at in (x, fine))
        # the same fit through the points, if they're fewer than the waves
        inner = given @ given.T / self.features
        weights = np.linalg.solve(inner + RIDGE * np.eye(len(x)), y)
        return fine, curve(fine), wanted @ given.T / self.features @ weights

    @property
    def errors(self) -> tuple[float, float]:
        """The fit's root mean square error, at known points and on the grid. A flat 0 has 1."""
        _, true, fitted = self.signal
        wrong, step = (fitted - true) ** 2, len(true) // (2 * self.points)
        return float(np.sqrt(wrong[step :: 2 * step].mean())), float(np.sqrt(wrong.mean()))

    def check(self) -> None:
        self.signal  # noqa: B018
