"""The three puzzles of lesson 10: hands that never go round, position interpolation, a rescue.

Angles divided twice, as the lesson shows them, are no named mistake: their reader is to find it.
"""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle


# How many hands take more than seq_len tokens for a turn?
@function_puzzle(
    "After how many tokens is a hand back where it began?",
    "That is its wavelength, 2π/θ. It has gone round if the text is at least that long.",
    "pe.wavelengths(head_dim, base) has one for each pair; compare it with seq_len, and count.",
    cases=(
        (4096, 10_000.0, 128),
        (2048, 10_000.0, 128),
        (8192, 500_000.0, 128),
        (32_768, 1e6, 128),
        (64, 100.0, 8),
    ),
    without=("angles",),
    won="Llama 2 has 18 such hands at 4096 tokens, Llama 3 29 at 8192, Qwen 2.5 24 at 32 768; "
    "each has 64 in all.",
    mistakes={
        "these are the hands that go round; the others are asked for.": (
            lambda n, b, d: d // 2 - never_round(n, b, d)
        ),
        "dims were counted, not hands: a hand is a pair of dims.": (
            lambda n, b, d: 2 * never_round(n, b, d)
        ),
        "these turn less than a radian; a whole turn is 2π of them.": (
            lambda n, b, d: never_round(2 * np.pi * n, b, d)
        ),
        "the base was left at 10 000.": lambda n, b, d: never_round(n, 10_000.0, d),
    },
)
def never_round(seq_len, base, head_dim):
    return int((pe.wavelengths(head_dim, base) > seq_len).sum())


# The angles of PI; the lesson's function divides both positions and frequencies by the factor.
@function_puzzle(
    "By how much is the angle of one position divided here? And by how much should it be?",
    "An angle is a position times a frequency. PI may divide either of them.",
    "Leave out one of the two divisions; it does not matter which.",
    cases=((5, 4, 4.0), (3, 8, 16.0), (8192, 2, 8.0)),
    given=lambda n, d, s: squeeze(n, d, s**2),
    won="The step to the neighbor is .499 again, at 128 dims and factor 4. "
    "That one number would have told the bug.",
    mistakes={
        "nothing is divided any more: that is unscaled RoPE.": lambda n, d, s: squeeze(n, d, 1),
        "divided, and multiplied again: that is RoPE stretched.": (
            lambda n, d, s: squeeze(n, d, 1 / s)
        ),
    },
)
def squeeze(seq_len, head_dim, factor):
    return np.outer(np.arange(seq_len) / factor, pe.inv_freq(head_dim))


# By which number must all scores be multiplied
# so that a key that weighs L^p in training weighs T^p?
@function_puzzle(
    "Multiply a score g by f: the key then weighs e^(f·g), which is (e^g)^f.",
    "In training e^g is L^p. So (L^p)^f is to be T^p, whatever p is.",
    "L^f = T. Take logarithms of both sides.",
    cases=((32, 8192), (32, 128), (32, 32), (2048, 8192)),
    won="With it the head of section 4 gives its key .945 at 128 tokens, "
    ".982 at 1024 and .994 at 8192.",
    mistakes={
        "2 at every length: "
        "at 8192 the key would get only .871, and at 32 the head would change.": (lambda L, T: 2.0),
        "the other way up: a longer text needs larger scores, so a number above 1.": (
            lambda L, T: np.log(L) / np.log(T)
        ),
        "T/L: keys grow by that much, scores need grow by logarithms only.": lambda L, T: T / L,
        "That is YaRN's attention_factor, which has no L of its own.": (
            lambda L, T: 0.1 * np.log(T / L) + 1
        ),
        "ln(T/L) is 0 where the text is no longer than in training.": lambda L, T: np.log(T / L),
    },
)
def rescue(trained, seq_len):
    return np.log(seq_len) / np.log(trained)
