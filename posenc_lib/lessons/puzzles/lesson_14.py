"""The two puzzles of lesson 14: a query turned by a quarter, and gates that are closed enough."""

import numpy as np

from posenc_lib.lessons.puzzles.engine import function_puzzle


def _half(q):
    first, second = np.split(q, 2, axis=1)
    return np.hstack([second, -first])


_LONG = np.array([[0.3, -1.2, 0.7, 2.0], [1.0, 1.0, -1.0, 0.5]])


@function_puzzle(
    "Multiply z = x + iy by a number c so that the real part of c·z is y. Which c?",
    "c = −i. A score takes the real part of q_i times something: so what has to be multiplied by −i?",
    "Each pair (a, b) of q is a + ib, and −i·(a + ib) = b − ia.",
    cases=((np.array([[1.0, 0.0]]),), (np.array([[0.0, 2.0, 3.0, 0.0]]),), (_LONG,)),
    won="So the imaginary head is RoPE of another query, which another W_q could have made: it saves weights and cache,"
    " and says nothing that a head of RoPE could not.",
    mistakes={
        "the other quarter: this gives the imaginary part with the other sign.": lambda q: -quarter(q),
        "the two dims have changed places and neither its sign: a reflection, not a turn.": (
            lambda q: q.reshape(len(q), -1, 2)[..., ::-1].reshape(q.shape)
        ),
        "the other pairing: here dims 0 and 1 are a pair, not 0 and d/2.": _half,
    },
)
def quarter(q):
    turned = np.empty_like(q)
    turned[:, 0::2], turned[:, 1::2] = q[:, 1::2], -q[:, 0::2]
    return turned


@function_puzzle(
    "All gates leak the same. How far may each be open?",
    "most / tokens. And the gate is sigmoid(x) = 1/(1 + e^−x): for which x is it that?",
    "From g = 1/(1 + e^−x) follows e^x = g/(1 − g).",
    cases=((200, 0.1), (1000, 0.5), (16, 0.1), (1, 0.25)),
    won="200 gates must stand below .0005 each, scores below −7.6: to count far, a model must be very sure of what "
    "does not count.",
    mistakes={
        "that is how far the gate may be open; asked for is the score that opens it so far.": lambda n, most: most / n,
        "the sign: a gate that is closed needs a score below 0.": lambda n, most: -closed(n, most),
        "ln of the gate alone: near for closed gates, and not the sigmoid's inverse.": lambda n, most: np.log(most / n),
        "gates may not leak so much each: there are many, and leaks add up.": lambda n, most: np.log(most / (1 - most)),
    },
)
def closed(tokens, most):
    gate = most / tokens
    return np.log(gate / (1 - gate))
