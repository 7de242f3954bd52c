"""What is measured of sines and rotations: which dims turn together, how fast, and whose frequencies these are."""

import numpy as np

from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.lessons.clinic.probes import FAILS, HOLDS, SAME, SHORT, Tokens, Told

OFF = 1e-2  # what frequencies that were rounded may be off by, and still be a base's


def step(one: Tokens, at: int = 1) -> np.ndarray:
    """Return the matrix that turns a query from position 0 on to another."""
    begin, end = one.maps(at)[0]
    return end @ begin.T


def pairs(one: Tokens) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and the second dims of the pairs that turn."""
    turn = np.abs(step(one, SHORT))
    np.fill_diagonal(turn, 1e-9)  # what is smaller is nothing
    partner, dims = turn.argmax(axis=1), np.arange(one.dims)
    return dims[partner > dims], partner[partner > dims]


def pairing(one: Tokens) -> str:
    """Return how dims are paired: how far apart those are that turn together."""
    apart = set(np.subtract(*pairs(one)))
    return "interleaved" if apart == {-1} else "half" if len(apart) == 1 else "of another kind"


def frequencies(one: Tokens) -> np.ndarray:
    """Return the radians by which pairs turn from position 0 to 1, in their order; of a table, sines with cosines."""
    if one.kind == "rotary":
        turn, (first, second) = step(one), pairs(one)
        return np.arctan2(np.abs(turn[first, second]), turn[first, first])
    first, second = one.vectors(np.arange(2))[0]
    return np.arctan2(second[first < 0.5], second[first > 0.5])


def fitted(theta: np.ndarray) -> tuple[float, float]:
    """Return factor and base of the frequencies factor·base^(−i/n) that come nearest, 0 and 0 where none come near."""
    if len(theta) < 2 or (theta <= 0).any():
        return 0.0, 0.0
    part = np.arange(len(theta)) / len(theta)
    slope, start = np.polyfit(part, np.log(theta), 1)
    factor, base, near = np.exp(start), np.exp(-slope), float(f"{np.exp(-slope):.2g}")
    factor = 1.0 if abs(factor - 1) < OFF else factor
    base = near if abs(base / near - 1) < OFF / 2 else base
    return (factor, base) if np.allclose(theta, factor * base**-part, rtol=OFF) else (0.0, 0.0)


def whose(theta: np.ndarray, dims: int) -> str:
    """Say whose frequencies these are, in the order of their pairs."""
    if (np.diff(theta) > 1e-6).any():
        why = "as where the exponent has lost its sign, or where pairs turn by more than half a turn a step"
        return f"frequencies do not fall from pair to pair, {why}"
    factor, base = fitted(theta)
    if not factor:
        return "frequencies are no base's, as where they are scaled for longer texts"
    told = f"frequencies {'of' if factor == 1 else f'are {factor:.4g} times those of'} base {base:,.0f}"
    over_all = base ** (dims / 2 / len(theta))
    if base < over_all < 1e7:
        told += f", or of base {over_all:,.0f} with the exponent over all {dims}"
    off = np.abs(theta / factor / inv_freq(2 * len(theta), base) - 1).max()
    return told + (f", rounded by up to {off:.1%}" if off > OFF / 10 else "")


def measured(one: Tokens) -> str:
    """Say how many dims turn, whose frequencies they have, and whether query and key are apart."""
    theta = frequencies(one)
    if one.kind != "rotary":
        return f"Measured: {whose(theta, one.dims)}."
    turning = f"{2 * len(theta)} of {one.dims} dims turn, pairing {pairing(one)}"
    query, key = one.maps(8)[:, 1]
    between = query @ key.T
    apart = " Query and key of one token are turned by different angles: right only if the model was trained so."
    alike = np.allclose(between, np.diag(np.diag(between)), atol=SAME)
    return f"Measured: {turning}; {whose(theta, one.dims)}.{'' if alike else apart}"


def of_config(one: Tokens, base: float) -> Told:
    """Compare the frequencies with those of a base."""
    theta = frequencies(one)
    seen, turning = whose(theta, one.dims), 2 * len(theta)
    factor, found = fitted(theta)
    if np.allclose(theta, inv_freq(turning, base), rtol=OFF):
        return HOLDS, seen, ""
    if np.allclose(theta, inv_freq(one.dims, base)[: len(theta)], rtol=OFF):
        over = f"The exponent runs over all {one.dims} dims, where only {turning} turn"
        return FAILS, seen, f"{over}: as in type proportional alone."
    if factor == 1:
        return FAILS, seen, f"They are those of base {found:,.0f}: the config's was never read."
    return FAILS, seen, "They are scaled: right if the config says so."
