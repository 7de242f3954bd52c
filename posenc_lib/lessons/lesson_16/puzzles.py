"""The three puzzles of lesson 16: what perplexity is, a broken port, and a cache that moves."""

import numpy as np

import posenc_lib as pe
from posenc_lib.lessons.lesson_16.heads import kept
from posenc_lib.live.puzzles import function_puzzle, value_puzzle


# The perplexity of a text, from the probabilities of the words that came?
@function_puzzle(
    "The logarithm of a probability says how little surprised the model was by one word.",
    "Average the logarithms of all words first. "
    "How do you come back from a logarithm to a number of words?",
    "It is e to the power of minus the mean of the logarithms: np.log, np.mean and np.exp.",
    cases=(
        (np.array([0.5, 0.5, 0.5]),),
        (np.array([0.1, 0.9]),),
        (np.array([1.0, 1.0]),),
        (np.array([0.01, 0.2, 0.6]),),
    ),
    won="Words that always have a half give 2: the model wavers between two words. "
    "One word it takes for impossible would make it infinite.",
    mistakes={
        "You took the mean of the probabilities, but a word that the model hardly expected "
        "must count for more.": (lambda p: 1 / np.mean(p)),
        "The surprise at a word is −ln p, not p itself: the logarithm is missing.": (
            lambda p: np.exp(-np.mean(p))
        ),
        "That is the loss, the mean surprise. Perplexity is e to that power.": (
            lambda p: -np.mean(np.log(p))
        ),
        "You added up the surprises, but a longer text is not a worse one. Take their mean.": (
            lambda p: np.exp(-np.sum(np.log(p)))
        ),
        "The sign is missing: this is 1 divided by the perplexity.": (
            lambda p: np.exp(np.mean(np.log(p)))
        ),
        "You mixed two bases: np.log2 belongs to 2 to the power, np.log to e.": (
            lambda p: np.exp(-np.mean(np.log2(p)))
        ),
        "You took the mean of 1/p. Take the mean of the logarithms, "
        "so that one rare word does not decide alone.": (lambda p: np.mean(1 / p)),
    },
)
def unsure(probabilities):
    return np.exp(-np.log(probabilities).mean())


def _two(name: str) -> str:
    """Return the perplexities of two texts with this fault."""
    tides, bread = (kept()["said"][text][name]["perplexity"] for text in ("tides", "bread"))
    return f"With {name!r} they are {tides:g} and {bread:g}."


def _not_it(value) -> str:
    known = isinstance(value, str) and value in kept()["said"]["tides"]
    if known:
        return f"{_two(value)} Look for a fault that comes near both numbers."
    wanted = "Write one of its names as it stands there, in quotes."
    return f"{value!r} is no name in real.SETTINGS. {wanted}"


# Which fault gives the perplexities 84.5 on tides and 100 on bread?
value_puzzle(
    "the_fault",
    "the other pairing",
    "Every fault of real.SETTINGS can be tried: real.read('tides', **how._asdict()).perplexity.",
    "Go through real.SETTINGS.items() in a loop, and print both perplexities for each.",
    "Sign reversed comes near, but only with one of the two texts. "
    "Which fault comes near with both?",
    why=_two("the other pairing"),
    won="In this file the correct pairing is interleaved, although the model was published for "
    "half: whoever converted it has permuted W_q and W_k, as lesson 09 does.",
    judge=_not_it,
    mistakes={
        "That is the pairing such a port uses. "
        "Write what this fault is called in real.SETTINGS.": "half",
        "That is the pairing as it should be. "
        "Write what the fault is called in real.SETTINGS.": "interleaved",
        "Sign reversed gives 91.9 with tides, which is near, "
        "but only 92.7 with bread.": "sign reversed",
    },
)


def _keys(count: int) -> np.ndarray:
    return pe.rope(np.random.default_rng(count).normal(size=(count, 64)), base=1e5)


# Keys that were turned for positions from 0 on: what are they if the text begins at `shift`?
@function_puzzle(
    "Each key has been turned by its old position already. By how much must it turn on?",
    "By the same for all of them: shift. Two turns one after the other add up.",
    "pe.rope takes a position for each key, here np.full(len(keys), shift). "
    "And this model's base is 100 000.",
    cases=((_keys(5), 37), (_keys(3), 0), (_keys(4), 1000)),
    written=tuple(
        f"pe.rope(np.random.default_rng({count}).normal(size=({count}, 64)), base=1e5), {shift}"
        for count, shift in ((5, 37), (3, 0), (4, 1000))
    ),
    won="A query at its new position meets the moved keys as before, so the next word is the same.",
    mistakes={
        "You turned each key to its new position, but it was turned to its old one before, "
        "so now it has both.": (
            lambda keys, shift: pe.rope(keys, shift + np.arange(len(keys)), base=100_000)
        ),
        "You left the base at 10 000, but this model turns with 100 000.": (
            lambda keys, shift: pe.rope(keys, np.full(len(keys), shift))
        ),
        "You turned the keys back. A later position is a turn forward.": (
            lambda keys, shift: pe.rope(keys, np.full(len(keys), -shift), base=100_000)
        ),
        "A number as the second argument means positions 0 … n − 1. "
        "Give a position for each key.": lambda keys, shift: pe.rope(keys, shift, base=100_000),
        "Your keys are unmoved. If only the query moves, every offset grows.": (
            lambda keys, shift: keys
        ),
        "You added the shift to the numbers of the keys, but RoPE turns.": (
            lambda keys, shift: keys + shift
        ),
        "You used the pairing half, but this file has interleaved pairs.": (
            lambda keys, shift: pe.rope(keys, np.full(len(keys), shift), base=1e5, pairing="half")
        ),
    },
)
def moved_cache(keys, shift):
    return pe.rope(keys, np.full(len(keys), shift), base=100_000)
