"""Measure sines and rotations: which dims rotate together, and how fast."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.lessons.clinic.probes import (
    FAILS,
    HOLDS,
    SAME,
    Grid,
    Tokens,
    Told,
    are_waves,
    reorders,
)

OFF = 1e-2  # how far off rounded frequencies can be and still match a base
# radians at the longest step: bfloat16 cosines are off by less, rounded frequencies by more
SEEN = 0.02
SIDE = 64  # patches per row or column
# slips, and the power of the config's base each one gives
SLIPS = {
    "the exponent is i/d instead of 2i/d": 0.5,
    "the exponent is 4i/d instead of 2i/d": 2,
}
USUAL = 10_000  # the default base
NEVER_READ = "the config's base was never read"
TRAINED = " right only if the model was trained that way."


class Turning(NamedTuple):
    """How pairs rotate from one position to the next."""

    theta: np.ndarray  # radians per pair, up to whole turns
    far: int  # the longest step measured
    sign: int  # −1 for backward


def turns(one: Tokens, at: int, last: int = 0) -> np.ndarray:
    """Return e^(iθt) of the pairs at a position, in a text that runs to `last`.

    For a table, these are its sines and cosines. For a rotation, they're what scores see:
    flipping signs, or changing the order, the same way at every position makes no difference.
    """
    where = np.array([0, at, max(at, last)])
    if one.kind != "rotary":
        begin, end = one.vectors(where)[0][:2]
        return end[begin > 0.5] + 1j * end[begin < 0.5]
    undo = one.undo if one.moves else np.eye(one.dims)
    across, up = (np.isin(np.arange(one.dims), each) @ undo for each in one.pairs)
    (begin, end), (begin_up, _) = (
        _as_complex(one.read(x, x, where)[0][:2], one.pairs) for x in (across, up)
    )
    turned = (begin.conj() * end).real + 1j * (begin_up.conj() * end).real
    return turned / np.maximum(np.abs(begin) ** 2, 1e-300)


def _as_complex(rows: np.ndarray, pairs: tuple) -> np.ndarray:
    return rows[:, pairs[0]] + 1j * rows[:, pairs[1]]


def frequencies(one: Tokens) -> Turning:
    """Return how far each pair rotates per step."""

    def turned(at: int) -> np.ndarray:
        if not np.allclose(turns(one, 1, at), turns(one, 1)):
            raise ValueError("a longer text has different frequencies")
        return turns(one, at)

    return measure(turned, (4, 16, 64, 256, 1024))


def measure(turned: Callable, steps: tuple[int, ...]) -> Turning:
    """Return how far each pair rotates per step.

    Longer and longer steps refine it, so rounded cosines hardly matter.
    """
    theta, far = np.angle(turned(1)), 1
    for at in steps:
        try:
            off = np.angle(turned(at) * np.exp(-1j * at * theta))
        except Exception:  # the table ends, or changes
            break
        if (np.abs(off) > 1).any():  # the steps are uneven
            break
        theta, far = theta + off / at, at
    sign = -1 if len(theta) and np.median(theta[-4:]) < 0 else 1
    return Turning(sign * theta, far, sign)


def fitted(found: Turning) -> tuple[float, float]:
    """Return factor and base of the closest frequencies factor·base^(−i/n); 0, 0 if none fit.

    Fast pairs may have made more than one turn. The fit can leave them out, but they still have
    to agree with it.
    """
    theta, n = found.theta, len(found.theta)
    part = np.arange(n) / max(n, 1)

    def off(factor: float, base: float) -> np.ndarray:
        return np.abs(np.angle(np.exp(1j * (factor * base**-part - theta))))

    for some in [*(slice(k, n) for k in range(max(n - 3, 1))), slice(4), slice(2)]:
        if n < 2 or (theta[some] <= 0).any():
            continue
        logs, at = np.log(theta[some]), part[some]
        slope, start = np.polyfit(at, logs, 1)
        best = np.exp(start), np.exp(-slope)
        alone = np.exp(-(at @ logs) / (at @ at)) if at.any() else 1.0
        near = [float(f"{base:.2g}") for base in (alone, best[1])]
        rounded = float(f"{best[0]:.3g}")
        simple = [(1.0, near[0]), (1.0, alone), (rounded, near[1]), (best[0], near[1]), best]
        most = max(3 * off(*best).max(), 1e-5 / found.far)
        factor, base = next(each for each in simple if off(*each).max() <= most)
        made = factor * base**-part
        if (off(factor, base) <= OFF * np.minimum(made, 1) + OFF / found.far).all():
            return factor, base
    return 0.0, 0.0


def number(value: float) -> str:
    """Return a number as text, with at most four digits."""
    short = float(f"{value:.4g}")
    return f"{short:,.0f}" if 1e3 <= short < 1e9 else f"{short:.4g}".replace("e+", "e")


def whose(found: Turning, dims: int, most: float = 1e7) -> str:
    """Say which base the frequencies match. An alternative base must be below `most`."""
    theta, (factor, base) = found.theta, fitted(found)
    lost = "as if the exponent had lost its sign"
    if len(theta) == 1:
        return f"{number(theta[0])} radians per step"
    if not factor and (np.diff(theta) > 1e-6).any():
        return (
            f"frequencies don't fall from pair to pair, {lost} "
            "or pairs made more than half a turn per step"
        )
    if not factor:
        return "frequencies don't match any base, as when they're scaled for longer texts"
    those = "base" if factor == 1 else f"frequencies are {number(factor)} times those of base"
    if base < 1:
        return f"{those} {number(1 / base)}, but frequencies grow from pair to pair, {lost}"
    told = f"{those} {number(base)}"
    over_all, less = base ** (dims / 2 / len(theta)), base ** (1 - 1 / len(theta))
    if factor > np.pi:
        told += ", so the fastest pairs make more than half a turn per step"
    elif base < over_all < most:
        told += f", or base {number(over_all)} with the exponent over all {dims} dims"
    elif abs(less / float(f"{less:.2g}") - 1) < 1e-6 < abs(base / float(f"{base:.2g}") - 1):
        told += f", or base {number(less)} with d/2 − 1 in the exponent, as in tensor2tensor"
    made = factor * base ** -(np.arange(len(theta)) / len(theta))
    off = np.abs(np.angle(np.exp(1j * (made - theta))))
    rounded = (off / made)[off > SEEN / found.far]
    return told + (f", θ rounded by up to {100 * rounded.max():.1g}%" if len(rounded) else "")


def by_length(one: Tokens) -> str:
    """Say what a text's length does to frequencies, if short texts agree. Otherwise say nothing."""
    try:
        least, short, middle, long = (
            np.abs(np.angle(turns(one, 1, last))) for last in (2, 8, 4095, 8191)
        )
    except Exception:
        return ""
    if not np.allclose(least, short) or np.allclose(short, long, rtol=1e-6):
        return ""
    slower = short / np.maximum(long, 1e-300)
    how = f"pairs are 1 to {number(slower.max())} times slower, as in dynamic YaRN"
    if np.allclose(slower, slower[0], rtol=OFF):
        how = f"all pairs are {number(slower[0])} times slower, with positions scaled down"
    elif np.allclose(middle, long):
        how = (
            f"pairs are up to {number(slower.max())} times slower, "
            "from a second table, as in LongRoPE"
        )
    elif fitted(Turning(long, 1, 1))[0] == 1:
        how = f"they match base {number(fitted(Turning(long, 1, 1))[1])}, as in dynamic NTK"
    return f"frequencies depend on the text's length; at 8,192 tokens {how}"


def measured(one: Tokens) -> str:
    """Say how many dims rotate, with which base, and whether query and key rotate differently."""
    found = frequencies(one)
    if one.kind != "rotary":
        return f"Measured: {whose(found, one.dims)}."
    query, key = one.maps(8)[:, 1]
    between = query @ np.linalg.pinv(key)
    told = f"Measured: {one.turning}; {whose(found, one.dims)}.{_before(one)}"
    if found.sign < 0:
        told += f" They rotate backward, by −θ:{TRAINED}"
    if (found.theta < 0).any():
        told += f" {'Other' if found.sign < 0 else 'Some'} pairs rotate the opposite way:{TRAINED}"
    if not np.allclose(between, np.diag(np.diag(between)), atol=SAME):
        told += f" {_apart(one, between, found)}:{TRAINED}"
    return told


def _apart(one: Tokens, between: np.ndarray, found: Turning) -> str:
    """Say how differently a token's query and key rotate: by whole positions, or in any way."""
    first, second = one.pairs
    turned = between[first, first] + 1j * between[first, second]
    for n in range(1, SIDE):
        for ahead, behind, way in (("query", "key", 1), ("key", "query", -1)):
            angles = np.exp(1j * way * found.sign * n * found.theta)
            if np.allclose(turned / np.abs(turned), angles, atol=SAME):
                many = "1 position" if n == 1 else f"{n} positions"
                return f"A token's {ahead} is rotated {many} further than its {behind}"
    return "A token's query and key get different angles"


def _before(one: Tokens) -> str:
    """Say what happens to dims before they rotate, if anything does."""
    if not one.moves:
        return ""
    if not reorders(one.at_0[0]):
        return " Dims are mixed before they rotate."
    first, second = np.abs(one.at_0[0]).argmax(axis=0)[np.array(one.pairs)]
    n, told = len(first), " Dims are reordered before they rotate"
    for pairing, places in (
        ("interleaved", np.arange(2 * n).reshape(n, 2).T),
        ("half", np.arange(2 * n).reshape(2, n)),
    ):
        if np.array_equal([first, second], places):
            return f"{told}: in the order they come in, that's {pairing} pairing."
    return f"{told}."


def of_config(one: Tokens, base: float) -> Told:
    """Compare the frequencies with those of the config's base."""
    found = frequencies(one)
    n, (factor, other) = len(found.theta), fitted(found)
    seen = whose(found, one.dims, most=max(1e7, 100 * base))
    asked = inv_freq(2 * n, base)
    if np.allclose(found.theta, asked, rtol=OFF):
        return HOLDS, seen, ""
    why = (
        "The frequencies don't match any base. Either they're scaled, which is right if the config "
        "says so, or some pairs rotate the wrong way."
    )
    if np.allclose(found.theta, inv_freq(one.dims, base)[:n], rtol=OFF):
        why = (
            f"The exponent runs over all {one.dims} dims, but only {2 * n} rotate. "
            "Only rope_type proportional does that."
        )
    elif factor and other < 1:
        why = "The frequencies grow from pair to pair: the exponent lost its sign."
    elif factor == 1:
        why = _another_base(other, base, n, one.dims)
    elif factor:
        times = f"{number(factor)} times those of base {number(other)}"
        why = f"The frequencies are {times}. That's right if the config scales them."
    elif (found.theta > 0).all() and (found.theta < asked * (1 + OFF)).all():
        why = "The frequencies are scaled. That's right if the config says so."
    return FAILS, seen, why


def _another_base(other: float, base: float, n: int, dims: int) -> str:
    """Say what happened to the config's base if n pairs have another base's frequencies."""
    those = f"The frequencies match base {number(other)}"
    powers = SLIPS | {"the exponent has d/2 − 1 instead of d/2": n / max(n - 1, 1)}
    for slip, power in powers.items():
        if abs(other / base**power - 1) < OFF:
            simple = abs(other / float(f"{other:.1g}") - 1) < OFF  # someone could have chosen it
            return f"{those}: either {NEVER_READ}, or {slip}." if simple else f"{those}: {slip}."
    over_all = other ** (dims / 2 / n)
    raised = over_all / base  # usually by an NTK factor
    is_nearer = abs(np.log(raised)) < abs(np.log(other / base))
    is_nearer |= 0.5 < raised < 65 and abs(raised / round(raised) - 1) < OFF
    if 2 * n < dims and is_nearer and abs(other / USUAL - 1) > OFF:
        return (
            f"The exponent runs over all {dims} dims, but only {2 * n} rotate, "
            f"and the base is {number(over_all)} instead of {number(base)}. "
            f"Or the base is {number(other)}, and {NEVER_READ}."
        )
    why = f"{those}: {NEVER_READ}"
    if other > base:
        why += f", or it was multiplied by {number(other / base)}, as NTK does"
    if 2 * n < dims:
        why += f". Or it's base {number(over_all)} with the exponent over all {dims} dims"
    times = np.log(base) / np.log(other) if other > 1 else 0
    if round(times) > 1 and abs(times - round(times)) < OFF:
        why += f". Or the exponent runs over {2 * n * round(times):,} dims instead of {2 * n}"
    return f"{why}."


def in_plane(one: Grid) -> str:
    """Say which base each axis of an image matches, or nothing if they aren't waves."""
    try:
        found, half = (
            [_axis(one, down, side) for down in (True, False)] for side in (SIDE, SIDE // 2)
        )
    except Exception:  # a table of one size
        return ""
    if not all(found) or not all(half):
        return ""
    dims = one.of(2, 2)[0].shape[1]
    told = [whose(each, dims) for each in found]
    for k, (each, other) in enumerate(zip(found, half, strict=True)):
        if each.far < 16:
            told[k] += ", in uneven steps"
        elif not np.allclose(each.theta, other.theta, rtol=OFF):
            told[k] += f" for {SIDE} patches: positions are divided by the image size"
    (factor, base), n = fitted(found[1]), len(found[1].theta)
    if base > 1 and factor < 1 and abs(factor * base ** (1 / (2 * n)) - 1) < OFF / 10:
        told[1] = "the frequencies in between, as when two axes alternate"
    both = f"rows: {told[0]}; columns: {told[1]}"
    if told[0] == told[1]:
        both = f"rows and columns: {told[0]}"
    other_way = ""
    if found[0].sign != found[1].sign:
        other_way = f" Columns rotate the opposite way from rows:{TRAINED}"
    return f"Measured: {both}.{other_way}"


def _axis(one: Grid, down: bool, side: int) -> Turning | None:
    """Return how the pairs along an axis rotate, or None if dims aren't pairs of waves."""
    x = one.of(side, 2)[0][::2] if down else one.of(2, side)[0][:side]
    dims = np.arange(x.shape[1] // 4 * 4)
    moves = np.ptp(x, axis=0) > 0
    waves = one.kind != "rotary" and are_waves(x[0])
    pairings = dims.reshape(-1, 2).T, dims.reshape(2, -1), dims.reshape(2, 2, -1).swapaxes(0, 1)
    for first, second in pairings:
        z = (x[:, first] + 1j * x[:, second])[:, moves[first] | moves[second]].reshape(side, -1)
        if not z.size or np.ptp(np.abs(z), axis=0).max() > SAME * np.abs(z).max():
            continue
        if waves:  # cosines first
            z = np.where(np.abs(z[0].real) < 0.5, z.imag + 1j * z.real, z)
        found = measure(lambda at, z=z: z[at] * z[0].conj(), (4, 16, side - 1))
        return found if one.kind == "rotary" or waves else found._replace(sign=1)
    return None
