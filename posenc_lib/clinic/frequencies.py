"""What is measured of an encoding that holds: its frequencies, their base, and whether they are a config's."""

import numpy as np

from posenc_lib.clinic.probes import Probe, Turns
from posenc_lib.clinic.vectors import DOUBLED, FAILS, HOLDS, SAME, Told, close, rounding
from posenc_lib.encodings.frequencies import inv_freq

CONFIG = "the config's base"
EXACT, ROUNDED = 2e-4, 1e-3  # what bases and frequencies are off by, at most, if nothing is rounded
BLURRED = 0.02  # and if cosines or outputs have few digits


def frequencies(one: Probe) -> np.ndarray:
    """Return the radians by which pairs turn from position 0 to 1, in their order; of a table, sines with cosines."""
    if isinstance(one, Turns):
        return one.frequencies
    first, second = one.vectors(np.arange(2))[0]
    return np.arctan2(second[first < 0.5], second[first > 0.5])


def measured(one: Probe) -> str:
    """Say how many dims turn, and which base their frequencies have."""
    theta, dims = frequencies(one), one.dims
    turning = 2 * len(theta)
    told = f"{turning} of {dims} dims turn, pairing {one.pairing}; " if isinstance(one, Turns) else ""
    heads = next((n for n in range(len(theta) // 2, 1, -1) if _repeats(theta, n)), 1)
    theta = theta[: len(theta) // heads]
    said = _said(theta, dims, rounding(one) > SAME) + f", {heads} times over: {heads} heads side by side" * (heads > 1)
    return f"Measured: {told}{said}.{_apart(one)}"


def _repeats(theta: np.ndarray, heads: int) -> bool:
    """Return whether frequencies are those of so many heads, one after the other."""
    own, left = divmod(len(theta), heads)
    return not left and own > 1 and np.ptp(theta) > 0 and np.allclose(theta, np.tile(theta[:own], heads), rtol=EXACT)


def _said(theta: np.ndarray, dims: int, blurred: bool) -> str:
    """Say whose frequencies these are, in the order of their pairs; blurred: seen through numbers of few digits."""
    base, turning = _base(theta), 2 * len(theta)
    if base is None and turning and (np.diff(theta) > 1e-6).any():
        lost = ", as where the exponent has lost its sign" if _rising(theta) else ""
        return f"frequencies do not fall from pair to pair{lost or ', or turn by more than half a turn a step'}"
    if base is None and _base(theta / max(theta[:1].sum(), 1e-300)) and theta[0] > 0:
        degrees = " (π/180: degrees taken for radians)" if abs(theta[0] * 180 / np.pi - 1) < EXACT else ""
        return f"frequencies are {theta[0]:.4g} times those of base {_told(_base(theta / theta[0]))}{degrees}"
    if base is None:
        return "frequencies are no base's, as where they are scaled for longer texts"
    others, over_all, last = [], base ** (dims / turning), float(f"{1 / theta[-1]:.1g}")
    if turning < dims and over_all < DOUBLED:
        others.append(f"base {_told(over_all)} with the exponent over all {dims}")
    if base > DOUBLED:
        others.append(f"base {_told(base**0.5)} with the exponent doubled")
    if abs(theta[-1] * last - 1) < 1e-6 and not np.isclose(base, float(f"{base:.2g}"), rtol=5e-3):
        others.append(f"base {_told(last)} with the exponent over d/2 − 1 pairs, as in tensor2tensor")
    off = np.abs(theta / inv_freq(turning, _round(base)) - 1).max()
    rounded = f"; θ looks rounded, by up to {off:.1%}" if off > ROUNDED and not blurred else ""
    return f"frequencies of base {_told(base)}{''.join(f', or of {other}' for other in others)}{rounded}"


def _rising(theta: np.ndarray) -> bool:
    """Return whether frequencies rise as a base's fall, though whole turns cannot be seen in them."""
    base = _round(float(theta[1] ** len(theta))) if len(theta) > 1 and abs(theta[0] - 1) < EXACT else 0.0
    return base > 1 and np.allclose(np.cos(1 / inv_freq(2 * len(theta), base)), np.cos(theta), atol=ROUNDED)


def _apart(one: Probe) -> str:
    """Say by how many places a key is turned further than the query beside it."""
    if not isinstance(one, Turns):
        return ""
    query, key = one.maps(8)
    further = 0 if close(query, key) else next((k for k in (1, -1, 2, -2) if close(query, one.maps(8 - k)[1])), 0)
    side, other = ("key", "query") if further > 0 else ("query", "key")
    places = f"{abs(further)} place{'s' if abs(further) > 1 else ''}"
    said = f" A {side} is turned {places} further than the {other} beside it: right only if the model was trained so."
    return said if further else ""


def _round(base: float) -> float:
    """Return the base of two digits that this one comes near to, or itself."""
    near = float(f"{base:.2g}")
    return near if abs(base / near - 1) < 5e-3 else base


def _told(base: float) -> str:
    near = _round(base)
    return f"{float(f'{near:.4g}'):,.0f}{' within rounding' if abs(base / near - 1) > EXACT else ''}"


def _base(theta: np.ndarray) -> float | None:
    """Return the base whose frequencies these are, if they are any's."""
    if len(theta) < 2 or abs(theta[0] - 1) > 0.01 or (theta <= 0).any():
        return None
    base = float((theta[0] / theta[-1]) ** (len(theta) / (len(theta) - 1)))
    return base if np.allclose(theta, inv_freq(2 * len(theta), base), rtol=0.01) else None


def of_config(one: Probe, base: float) -> Told:
    """Compare the frequencies with those of a base."""
    theta = frequencies(one)
    turning = 2 * len(theta)
    wanted = inv_freq(turning, base) if turning else theta
    if np.allclose(theta, wanted, rtol=BLURRED if rounding(one) > SAME else ROUNDED):
        return CONFIG, HOLDS, f"frequencies are those of base {base:,.0f}", ""
    seen = f"pair {len(theta) - 1} turns {theta[-1] / wanted[-1]:.3g} times as fast as with base {base:,.0f}"
    found = _base(theta)
    if np.allclose(theta, wanted, rtol=0.01):
        return CONFIG, FAILS, seen, "θ is rounded: it was held in bfloat16."
    if np.allclose(theta, base ** (-np.arange(0, turning, 2) / one.dims), rtol=1e-3):
        why = (
            f"The exponent runs over all {one.dims} dims, where only {turning} turn: right for type proportional alone."
        )
        return CONFIG, FAILS, seen, why
    read = "the config's was never read" + ", or scaled by NTK's rule" * bool(found and found > base)
    why = (
        f"They are those of base {_told(found)}: {read}." if found else "They are scaled: right if the config says so."
    )
    return CONFIG, FAILS, seen, why
