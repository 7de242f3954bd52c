"""The two puzzles of lesson 14: a query turned by a quarter, and gates that are closed enough."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle


def _half(q):
    first, second = np.split(q, 2, axis=1)
    return np.hstack([second, -first])


_LONG = np.array([[0.3, -1.2, 0.7, 2.0], [1.0, 1.0, -1.0, 0.5]])


# By which q has an ordinary head RoPE++'s imaginary part as its score?
@function_puzzle(
    "Multiply z = x + iy by a number c so that the real part of c·z is y. Which c?",
    "c = −i. A score takes the real part of q_i times something: "
    "so what has to be multiplied by −i?",
    "Each pair (a, b) of q is a + ib, and −i·(a + ib) = b − ia.",
    cases=((np.array([[1.0, 0.0]]),), (np.array([[0.0, 2.0, 3.0, 0.0]]),), (_LONG,)),
    won="So the imaginary head is RoPE of another query, which another W_q could have made. "
    "It saves weights and cache, but says nothing that a head of RoPE could not.",
    mistakes={
        "You turned by the other quarter, so the sign is wrong: multiply by −i, not by i.": (
            lambda q: -quarter(q)
        ),
        "You left q as it is: turn each pair by a quarter.": lambda q: q,
        "You turned by a half, −1, and not by a quarter, −i.": lambda q: -q,
        "You swapped the two dims but changed no sign, and that is a reflection, not a turn.": (
            lambda q: q.reshape(len(q), -1, 2)[..., ::-1].reshape(q.shape)
        ),
        "You took the other pairing, but here dims 0 and 1 are a pair, not 0 and d/2.": _half,
    },
)
def quarter(q):
    turned = np.empty_like(q)
    turned[:, 0::2], turned[:, 1::2] = q[:, 1::2], -q[:, 0::2]
    return turned


# Which score lets `tokens` gates together count `most`?
@function_puzzle(
    "All gates leak the same. How far may each be open?",
    "most / tokens. And the gate is sigmoid(x) = 1/(1 + e^−x): for which x is it that?",
    "From g = 1/(1 + e^−x) follows e^x = g/(1 − g).",
    cases=((200, 0.1), (1000, 0.5), (16, 0.1), (1, 0.25)),
    won="With 200 tokens each gate must stay below .0005, so its score below −7.6. "
    "To count far, a model must be very sure of what does not count.",
    mistakes={
        "You found how far a gate may be open. Now find the score that opens it so far.": (
            lambda n, most: most / n
        ),
        "You put the fraction into the sigmoid, but it is what should come out of it.": (
            lambda n, most: 1 / (1 + np.exp(-most / n))
        ),
        "You have the other sign: sigmoid(0) is 1/2, so a closed gate needs less.": (
            lambda n, most: -closed(n, most)
        ),
        "You took ln of g alone, but the sigmoid has the inverse ln(g / (1 − g)).": (
            lambda n, most: np.log(most / n)
        ),
        "You let each gate leak as much as all of them may: leaks add up.": (
            lambda n, most: np.log(most / (1 - most))
        ),
    },
)
def closed(tokens, most):
    gate = most / tokens
    return np.log(gate / (1 - gate))
