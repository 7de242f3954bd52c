"""The two puzzles of lesson 07: a table of offsets, and T5's buckets."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle


# key − query for all pairs, where the last query is at the last key
@function_puzzle(
    "Where are the queries? The last one is at k_len − 1, and the first at k_len − q_len.",
    "A row of shape (k_len,) minus a column of shape (q_len, 1) is a table of shape "
    "(q_len, k_len).",
    "With query = np.arange(k_len - q_len, k_len): offset = np.arange(k_len) - query[:, None].",
    cases=((1, 1), (2, 2), (2, 5), (1, 7), (4, 16)),
    won="Every relative scheme starts from this table. With a memory, you get its last rows.",
    mistakes={
        "You put the first query at position 0. It's the last query that's at the last key.": (
            lambda q, k: np.arange(k) - np.arange(q)[:, None]
        ),
        "That's query − key. Flip the sign, so that later keys have positive offsets.": (
            lambda q, k: -offsets(q, k)
        ),
        "That's the distance. An offset keeps its sign.": lambda q, k: np.abs(offsets(q, k)),
        "You swapped rows and columns. A row belongs to a query.": lambda q, k: offsets(q, k).T,
    },
)
def offsets(q_len, k_len):
    query = np.arange(k_len - q_len, k_len)
    return np.arange(k_len) - query[:, None]


def _if_far(far):
    """Return a mistake in the distances that share a bucket.

    far(value, buckets) makes it from what the formula gives before ⌊ ⌋.
    """

    def mistaken(n, buckets, most):
        exact = buckets // 2
        if n < exact:
            return n
        return far(exact + (buckets - exact) * np.log(n / exact) / np.log(most / exact), buckets)

    return mistaken


def _shared(part, whole=int):
    """Return a mistake in which part of the shared buckets to use: part(n, exact, most)."""

    def mistaken(n, buckets, most):
        exact = buckets // 2
        if n < exact:
            return n
        return min(exact + whole((buckets - exact) * part(n, exact, most)), buckets - 1)

    return mistaken


def _of_32(n, buckets, most):
    if n < buckets // 2:
        return n
    return min(int(16 + 16 * np.log(n / 16) / np.log(most / 16)), buckets - 1)


# T5's bucket of a distance, if one side has all the buckets
@function_puzzle(
    "Let exact = num_buckets // 2. A distance below exact is its own bucket.",
    "From there, the other num_buckets − exact are shared: "
    "exact + ⌊(num_buckets − exact) · log(distance / exact) / log(max_distance / exact)⌋.",
    "int(…) rounds down, and min(…, num_buckets − 1) keeps far distances in the last bucket.",
    cases=(
        (3, 8, 32),
        (5, 8, 32),
        (14, 11, 40),
        (20, 11, 40),
        (10, 8, 32),
        (0, 32, 128),
        (15, 32, 128),
        (50, 32, 128),
        (90, 32, 128),
        (500, 32, 128),
    ),
    won="That's all T5 knows about order: an integer for each pair, and 32 numbers for each head "
    "to look up.",
    mistakes={
        "16 is right for 32 buckets. Here, half of them is num_buckets // 2.": _of_32,
        "Multiply by the number of shared buckets, num_buckets − exact.": (
            lambda n, b, m: (
                n
                if n < b // 2
                else min(b // 2 + int(b // 2 * np.log(n / (b // 2)) / np.log(m / (b // 2))), b - 1)
            )
        ),
        "The first half of the buckets is exact. Use logarithms only from there on.": (
            lambda n, b, m: min(int(b * np.log(max(n, 1)) / np.log(m)), b - 1)
        ),
        "You gave each distance a bucket until none were left. From exact on, they share.": (
            lambda n, b, _: min(n, b - 1)
        ),
        "You divided by log(max_distance). Divide by log(max_distance / exact).": _shared(
            lambda n, exact, most: np.log(n / exact) / np.log(most)
        ),
        "16 and 128 are right for 32 buckets only, and the divisor must be log(128/16).": (
            _shared(lambda n, exact, most: np.log(n / 16) / np.log(128))
        ),
        "16 and 128 are right for 32 buckets only. Use exact and max_distance.": (
            _shared(lambda n, exact, most: np.log(n / 16) / np.log(128 / 16))
        ),
        "Divide the distance by exact before you take its logarithm.": _shared(
            lambda n, exact, most: np.log(n) / np.log(most / exact)
        ),
        "Divide both by exact before you take their logarithms.": _shared(
            lambda n, exact, most: np.log(n) / np.log(most)
        ),
        "You rounded to the nearest, and went past the last bucket. "
        "Round down, and put far distances in the last bucket.": (_if_far(lambda x, b: round(x))),
        "You divided by log(max_distance) and rounded to the nearest. "
        "Divide by log(max_distance / exact), and round down.": _shared(
            lambda n, exact, most: np.log(n / exact) / np.log(most), round
        ),
        "You rounded up. Round down.": (_if_far(lambda x, b: min(int(np.ceil(x)), b - 1))),
        "You didn't round. The brackets ⌊ ⌋ mean to round down.": _if_far(
            lambda x, b: min(x, b - 1)
        ),
        "You rounded to the nearest. Round down.": _if_far(lambda x, b: min(round(x), b - 1)),
        "There's no such bucket. Far distances share the last one.": _if_far(lambda x, b: int(x)),
        "The exact buckets come first. Add num_buckets // 2.": _if_far(
            lambda x, b: min(int(x), b - 1) - b // 2
        ),
    },
)
def bucket(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    if distance < exact:
        return distance
    shared = (num_buckets - exact) * np.log(distance / exact) / np.log(max_distance / exact)
    return min(exact + int(shared), num_buckets - 1)
