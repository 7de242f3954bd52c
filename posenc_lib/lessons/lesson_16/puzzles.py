"""The three puzzles of lesson 16: perplexity, a broken port, and a cache that moves."""

import numpy as np

import posenc_lib as pe
from posenc_lib.lessons.lesson_16.heads import kept
from posenc_lib.live.puzzles import function_puzzle, value_puzzle


# What's the perplexity of a text, given the probabilities of its words?
@function_puzzle(
    "The logarithm of a probability tells you how surprised the model was by one word.",
    "Average the logarithms of all the words first. "
    "How do you get from a logarithm back to a number of words?",
    "It's e to the power of minus the mean logarithm: np.log, np.mean, and np.exp.",
    cases=(
        (np.array([0.5, 0.5, 0.5]),),
        (np.array([0.1, 0.9]),),
        (np.array([1.0, 1.0]),),
        (np.array([0.01, 0.2, 0.6]),),
    ),
    won="If every word has a probability of 0.5, that's 2: the model wavers between two words. "
    "A single word it considers impossible would make it infinite.",
    mistakes={
        "You averaged the probabilities. Average the logarithms, "
        "so that a word the model hardly expected counts for more.": (lambda p: 1 / np.mean(p)),
        "The logarithm is missing: the surprise at a word is −ln p, not p itself.": (
            lambda p: np.exp(-np.mean(p))
        ),
        "That's the loss, the mean surprise. Perplexity is e to that power.": (
            lambda p: -np.mean(np.log(p))
        ),
        "You added up the surprises, so a longer text looks worse. Take their mean.": (
            lambda p: np.exp(-np.sum(np.log(p)))
        ),
        "The minus sign is missing: this is 1 divided by the perplexity.": (
            lambda p: np.exp(np.mean(np.log(p)))
        ),
        "You mixed two bases: np.log2 goes with powers of 2, np.log with powers of e.": (
            lambda p: np.exp(-np.mean(np.log2(p)))
        ),
        "You averaged 1/p. Average the logarithms, or a single rare word decides everything.": (
            lambda p: np.mean(1 / p)
        ),
    },
)
def unsure(probabilities):
    return np.exp(-np.log(probabilities).mean())


def _two(name: str) -> str:
    """Return the perplexities of two texts with this fault, in words."""
    tides, bread = (kept()["said"][text][name]["perplexity"] for text in ("tides", "bread"))
    return f"With {name!r}, they're {tides:g} and {bread:g}."


def _not_it(value) -> str:
    known = isinstance(value, str) and value in kept()["said"]["tides"]
    if known:
        return f"{_two(value)} Find the fault that gives both numbers."
    return f"{value!r} isn't in real.SETTINGS. Copy one of its names, in quotes."


# Which fault gives perplexities of 84.5 on tides and 100 on bread?
value_puzzle(
    "the_fault",
    "the other pairing",
    "You can try every fault: real.read('tides', **real.SETTINGS[name]._asdict()).perplexity.",
    "Loop over real.SETTINGS.items() and print both perplexities for each.",
    "'sign reversed' comes close, but on only one of the two texts. Which fault is right on both?",
    why=_two("the other pairing"),
    won="In this file, the right pairing is interleaved. The model was published with half, but "
    "the converter permuted W_q and W_k, as in lesson 09.",
    judge=_not_it,
    mistakes={
        "That's the pairing such a port uses. "
        "Write the name of the fault in real.SETTINGS.": "half",
        "That's the right pairing. Write the name of the fault in real.SETTINGS.": "interleaved",
        "Close: that gives 91.9 on tides, but 92.7 on bread.": "sign reversed",
    },
)


def _keys(count: int) -> np.ndarray:
    return pe.rope(np.random.default_rng(count).normal(size=(count, 64)), base=1e5)


# Keys were rotated for positions 0, 1, …: what are they if the text starts at `shift`?
@function_puzzle(
    "Each key is already rotated by its old position. How much further does it have to go?",
    "All of them by the same amount, shift: one rotation after another adds up.",
    "pe.rope takes a position for each key, here np.full(len(keys), shift). "
    "And this model's base is 100,000.",
    cases=((_keys(5), 37), (_keys(3), 0), (_keys(4), 1000)),
    written=tuple(
        f"pe.rope(np.random.default_rng({count}).normal(size=({count}, 64)), base=1e5), {shift}"
        for count, shift in ((5, 37), (3, 0), (4, 1000))
    ),
    won="A query at its new position gets the same scores from the moved keys, "
    "so the next word is the same.",
    mistakes={
        "You rotated each key by its whole new position, on top of its old one. "
        "Rotate it by the difference.": (
            lambda keys, shift: pe.rope(keys, shift + np.arange(len(keys)), base=100_000)
        ),
        "You left the base at 10,000. This model's is 100,000.": (
            lambda keys, shift: pe.rope(keys, np.full(len(keys), shift))
        ),
        "You rotated the keys back. A later position means rotating forward.": (
            lambda keys, shift: pe.rope(keys, np.full(len(keys), -shift), base=100_000)
        ),
        "A single number as the second argument means positions 0 to n − 1. "
        "Pass a position for each key.": lambda keys, shift: pe.rope(keys, shift, base=100_000),
        "Your keys haven't moved. If only the query moves, every offset grows.": (
            lambda keys, shift: keys
        ),
        "You added the shift to the keys. RoPE rotates them.": (lambda keys, shift: keys + shift),
        "You used the pairing half, but this file's pairs are interleaved.": (
            lambda keys, shift: pe.rope(keys, np.full(len(keys), shift), base=1e5, pairing="half")
        ),
    },
)
def moved_cache(keys, shift):
    return pe.rope(keys, np.full(len(keys), shift), base=100_000)
