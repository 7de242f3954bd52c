"""What is measured of sines and rotations: which dims turn together, and at whose frequencies."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.lessons.clinic.probes import FAILS, HOLDS, SAME, Grid, Tokens, Told, are_waves

OFF = 1e-2  # what frequencies that were rounded may be off by, and still be a base's
# radians at the longest step: cosines in bfloat16 are off by less, rounded frequencies by more
SEEN = 0.02
SIDE = 64  # patches in a row, or in a column
# slips, and the power of the config's base that each comes to
SLIPS = {
    "i/d in the exponent, in place of 2i/d": 0.5,
    "4i/d in the exponent, in place of 2i/d": 2,
}
USUAL = 10_000  # the base where none is given
NEVER_READ = "the config's was never read"
TRAINED = " right only if the model was trained so."


class Turning(NamedTuple):
    """How pairs turn from one position to the next."""

    theta: np.ndarray  # radians by pair, up to whole turns
    far: int  # the longest step that was read
    sign: int  # −1 for the other way


def turns(one: Tokens, at: int, last: int = 0) -> np.ndarray:
    """Return e^(iθt) of the pairs at a position, in a text that goes on to `last`.

    Of a table these are its sines with their cosines. Of a rotation it is what scores see:
    mirrored alike at all positions, queries and keys meet as if they were not.
    """
    where = np.array([0, at, max(at, last)])
    if one.kind != "rotary":
        begin, end = one.vectors(where)[0][:2]
        return end[begin > 0.5] + 1j * end[begin < 0.5]
    across, up = (np.isin(np.arange(one.dims), each).astype(float) for each in one.pairs)
    (begin, end), (begin_up, _) = (
        _as_complex(one.read(x, x, where)[0][:2], one.pairs) for x in (across, up)
    )
    return ((begin.conj() * end).real + 1j * (begin_up.conj() * end).real) / np.abs(begin) ** 2


def _as_complex(rows: np.ndarray, pairs: tuple) -> np.ndarray:
    return rows[:, pairs[0]] + 1j * rows[:, pairs[1]]


def frequencies(one: Tokens) -> Turning:
    """Return by how much the pairs turn, in their order."""

    def turned(at: int) -> np.ndarray:
        if not np.allclose(turns(one, 1, at), turns(one, 1)):
            raise ValueError("a longer text has other frequencies")
        return turns(one, at)

    return measure(turned, (4, 16, 64, 256, 1024))


def measure(turned: Callable, steps: tuple[int, ...]) -> Turning:
    """Return by how much pairs turn a step.

    It is read from ever longer steps, so that rounded cosines hardly matter.
    """
    theta, far = np.angle(turned(1)), 1
    for at in steps:
        try:
            off = np.angle(turned(at) * np.exp(-1j * at * theta))
        except Exception:  # the table ends, or changes
            break
        if (np.abs(off) > 1).any():  # steps are not even
            break
        theta, far = theta + off / at, at
    sign = -1 if len(theta) and np.median(theta[-4:]) < 0 else 1
    return Turning(sign * theta, far, sign)


def fitted(found: Turning) -> tuple[float, float]:
    """Return factor and base of the nearest frequencies factor·base^(−i/n); 0, 0 if none are near.

    Fast pairs may have gone round more than once, so they are left out of the fit if need be, but
    must agree with it.
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
    """Return a number in four digits at most."""
    short = float(f"{value:.4g}")
    return f"{short:,.0f}" if 1e3 <= short < 1e9 else f"{short:.4g}".replace("e+", "e")


def whose(found: Turning, dims: int, most: float = 1e7) -> str:
    """Say whose frequencies these are, in the order of their pairs; no base is above `most`."""
    theta, (factor, base) = found.theta, fitted(found)
    lost = "as where the exponent has lost its sign"
    if len(theta) == 1:
        return f"{number(theta[0])} radians a step"
    if not factor and (np.diff(theta) > 1e-6).any():
        return (
            f"frequencies do not fall from pair to pair, {lost}, "
            "or where pairs turn by more than half a turn a step"
        )
    if not factor:
        return "frequencies are no base's, as where they are scaled for longer texts"
    those = f"frequencies {'of' if factor == 1 else f'are {number(factor)} times those of'} base"
    if base < 1:
        return f"{those} {number(1 / base)}, but they grow from pair to pair, {lost}"
    told = f"{those} {number(base)}"
    over_all, less = base ** (dims / 2 / len(theta)), base ** (1 - 1 / len(theta))
    if factor > np.pi:
        told += ", where the fastest pairs turn by more than half a turn a step"
    elif base < over_all < most:
        told += f", or of base {number(over_all)} with the exponent over all {dims}"
    elif abs(less / float(f"{less:.2g}") - 1) < 1e-6 < abs(base / float(f"{base:.2g}") - 1):
        told += f", or of base {number(less)} with d/2 − 1 in the exponent, as in tensor2tensor"
    made = factor * base ** -(np.arange(len(theta)) / len(theta))
    off = np.abs(np.angle(np.exp(1j * (made - theta))))
    rounded = (off / made)[off > SEEN / found.far]
    return told + (f", rounded by up to {100 * rounded.max():.1g}%" if len(rounded) else "")


def by_length(one: Tokens) -> str:
    """Say what a text's length does to frequencies, if short texts have the same; else nothing."""
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
        how = f"all pairs are {number(slower[0])} times slower: positions are divided"
    elif np.allclose(middle, long):
        how = (
            f"pairs are up to {number(slower.max())} times slower, "
            "by a second table, as in LongRoPE"
        )
    elif fitted(Turning(long, 1, 1))[0] == 1:
        how = f"they are those of base {number(fitted(Turning(long, 1, 1))[1])}, as in dynamic NTK"
    return f"frequencies change with the text's length; at 8192 {how}"


def measured(one: Tokens) -> str:
    """Say how many dims turn, whose frequencies they have, and whether query and key are apart."""
    found = frequencies(one)
    if one.kind != "rotary":
        return f"Measured: {whose(found, one.dims)}."
    query, key = one.maps(8)[:, 1]
    between = query @ key.T
    told = f"Measured: {one.turning}; {whose(found, one.dims)}."
    if found.sign < 0:
        told += f" They turn the other way, by −θ:{TRAINED}"
    if (found.theta < 0).any():
        told += f" {'Others' if found.sign < 0 else 'Some'} turn the opposite way:{TRAINED}"
    if not np.allclose(between, np.diag(np.diag(between)), atol=SAME):
        told += f" Query and key of one token are turned by different angles:{TRAINED}"
    return told


def of_config(one: Tokens, base: float) -> Told:
    """Compare the frequencies with those of a base."""
    found = frequencies(one)
    n, (factor, other) = len(found.theta), fitted(found)
    seen = whose(found, one.dims, most=max(1e7, 100 * base))
    asked = inv_freq(2 * n, base)
    if np.allclose(found.theta, asked, rtol=OFF):
        return HOLDS, seen, ""
    why = (
        "They are no base's: scaled, right if the config says so, or some pairs turn the other way."
    )
    if np.allclose(found.theta, inv_freq(one.dims, base)[:n], rtol=OFF):
        why = (
            f"The exponent runs over all {one.dims} dims, where only {2 * n} turn: "
            "as in type proportional alone."
        )
    elif factor and other < 1:
        why = "They grow from pair to pair: the exponent has lost its sign."
    elif factor == 1:
        why = _another_base(other, base, n, one.dims)
    elif factor:
        times = f"{number(factor)} times those of base {number(other)}"
        why = f"They are scaled, {times}: right if the config says so."
    elif (found.theta > 0).all() and (found.theta < asked * (1 + OFF)).all():
        why = "They are scaled: right if the config says so."
    return FAILS, seen, why


def _another_base(other: float, base: float, n: int, dims: int) -> str:
    """Say what has been done to the config's base where n pairs have the frequencies of another."""
    those = f"They are those of base {number(other)}"
    powers = SLIPS | {"d/2 − 1 in the exponent, in place of d/2": n / max(n - 1, 1)}
    for slip, power in powers.items():
        if abs(other / base**power - 1) < OFF:
            return f"{those}: {slip}."
    over_all = other ** (dims / 2 / n)
    raised = over_all / base  # by a factor of NTK, as a rule
    is_nearer = abs(np.log(raised)) < abs(np.log(other / base))
    is_nearer |= 0.5 < raised < 65 and abs(raised / round(raised) - 1) < OFF
    if 2 * n < dims and is_nearer and abs(other / USUAL - 1) > OFF:
        return (
            f"The exponent runs over all {dims} dims, where only {2 * n} turn, "
            f"with base {number(over_all)} in place of {number(base)}. "
            f"Or they are those of base {number(other)}, and {NEVER_READ}."
        )
    why = f"{those}: {NEVER_READ}"
    if other > base:
        why += f", or raised {number(other / base)} times, as NTK does"
    if 2 * n < dims:
        why += f". Or of base {number(over_all)} with the exponent over all {dims}"
    return f"{why}."


def in_plane(one: Grid) -> str:
    """Say of each axis of a picture whose frequencies it has; nothing where they are no waves."""
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
            told[k] += ", in steps that are not even"
        elif not np.allclose(each.theta, other.theta, rtol=OFF):
            told[k] += f" on {SIDE} patches, for positions are divided by the picture's size"
    (factor, base), n = fitted(found[1]), len(found[1].theta)
    if base > 1 and factor < 1 and abs(factor * base ** (1 / (2 * n)) - 1) < OFF / 10:
        told[1] = "the frequencies between these, as where two axes take turns"
    both = f"rows: {told[0]}; columns: {told[1]}"
    if told[0] == told[1]:
        both = f"rows and columns: {told[0]}"
    other_way = ""
    if found[0].sign != found[1].sign:
        other_way = f" Columns turn the other way than rows:{TRAINED}"
    return f"Measured: {both}.{other_way}"


def _axis(one: Grid, down: bool, side: int) -> Turning | None:
    """Return how pairs turn that change along an axis; None where dims are no pairs of waves."""
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
