"""The three puzzles of lesson 10: pairs that never complete a turn, PI, and a rescue.

Angles divided twice have no feedback of their own, since that's the bug readers have to find.
"""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle


# How many pairs take more than seq_len tokens for a turn
@function_puzzle(
    "After how many tokens is a pair back where it started?",
    "That's its wavelength, 2π/θ. It completes a turn if the text is at least that long.",
    "pe.wavelengths(head_dim, base) has one for each pair. Compare with seq_len, and count.",
    cases=(
        (4096, 10_000.0, 128),
        (2048, 10_000.0, 128),
        (8192, 500_000.0, 128),
        (32_768, 1e6, 128),
        (64, 100.0, 8),
    ),
    without=("angles",),
    won="Out of 64 pairs, Llama 2 has 18 of these at 4,096 tokens, Llama 3 has 29 at 8,192, "
    "and Qwen 2.5 has 24 at 32,768.",
    mistakes={
        "You counted the pairs that do complete a turn. Count the others.": (
            lambda n, b, d: d // 2 - never_round(n, b, d)
        ),
        "You counted dims. Count pairs.": (lambda n, b, d: 2 * never_round(n, b, d)),
        "You counted pairs that rotate by less than a radian. A turn is 2π radians.": (
            lambda n, b, d: never_round(2 * np.pi * n, b, d)
        ),
        "Each pair has one wavelength, for two dims.": (
            lambda n, b, d: int((2 * np.pi * b ** (np.arange(d) / d) > n).sum())
        ),
        "You left the base at 10,000.": lambda n, b, d: never_round(n, 10_000.0, d),
        "These don't complete half a turn. A turn is 2π radians.": (
            lambda n, b, d: never_round(2 * n, b, d)
        ),
    },
)
def never_round(seq_len, base, head_dim):
    return int((pe.wavelengths(head_dim, base) > seq_len).sum())


# The angles of PI. The given function divides both positions and frequencies by the factor.
@function_puzzle(
    "By how much does this divide the angle at position 1? By how much should it?",
    "An angle is a position times a frequency. PI can divide either one.",
    "Leave out one of the two divisions. It doesn't matter which.",
    cases=((5, 4, 4.0), (3, 8, 16.0), (8192, 2, 8.0)),
    given=lambda n, d, s: squeeze(n, d, s**2),
    won="The step is 0.499 again, at 128 dims and factor 4. That one number gives the bug away.",
    mistakes={
        "Now nothing is divided. That's unscaled RoPE.": lambda n, d, s: squeeze(n, d, 1),
        "You multiplied instead of dividing.": (lambda n, d, s: squeeze(n, d, 1 / s)),
    },
)
def squeeze(seq_len, head_dim, factor):
    return np.outer(np.arange(seq_len) / factor, pe.inv_freq(head_dim))


# The factor for all scores that makes a key of weight L^p weigh T^p
@function_puzzle(
    "If you multiply a score g by f, the key weighs e^(f·g), which is (e^g)^f.",
    "In training e^g is L^p. So (L^p)^f has to be T^p, whatever p is.",
    "L^f = T. Take logarithms of both sides.",
    cases=((32, 8192), (32, 128), (32, 32), (2048, 8192)),
    won="With this factor, section 4's head gives its key 0.945 at 128 tokens, "
    "0.982 at 1,024, and 0.994 at 8,192.",
    mistakes={
        "2 isn't enough at 8,192 tokens, where the key would get 0.871, "
        "and at 32 it would change the head.": (lambda L, T: 2.0),
        "Turn it upside down. A longer text needs larger scores, so the factor is above 1.": (
            lambda L, T: np.log(L) / np.log(T)
        ),
        "There are T/L times as many keys, but scores can grow like logarithms.": lambda L, T: (
            T / L
        ),
        "Close, but use the lengths themselves: L^f = T.": (
            lambda L, T: np.log(T - 1) / np.log(L - 1)
        ),
        "Square roots of lengths grow too fast. L^f = T asks for logarithms.": (
            lambda L, T: np.sqrt(T / L)
        ),
        "That's YaRN's attention_factor, which only knows the ratio T/L.": (
            lambda L, T: 0.1 * np.log(T / L) + 1
        ),
        "It's 1 at the training length, as it should be, but it grows too much. L^f = T.": (
            lambda L, T: 1 + np.log(T / L)
        ),
        "At the training length, ln(T/L) is 0, but the factor has to be 1.": lambda L, T: np.log(
            T / L
        ),
    },
)
def rescue(trained, seq_len):
    return np.log(seq_len) / np.log(trained)
