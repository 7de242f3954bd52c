"""The two puzzles of lesson 07: a table of offsets, and T5's buckets."""

import numpy as np

from posenc_lib.live.puzzles import function_puzzle


# key − query for all pairs, where the last query stands at the last key?
@function_puzzle(
    "Where do the queries stand? The last one at k_len − 1, so the first one at k_len − q_len.",
    "A row of shape (k_len,) minus a column of shape (q_len, 1) gives a table of "
    "shape (q_len, k_len).",
    "With query = np.arange(k_len - q_len, k_len): offset = np.arange(k_len) - query[:, None].",
    cases=((1, 1), (2, 2), (2, 5), (1, 7), (4, 16)),
    won="Every relative scheme begins with this table, and with a memory it is the same one: "
    "its last rows.",
    mistakes={
        "the first query stands at position 0 here; it is the last that stands at the last key.": (
            lambda q, k: np.arange(k) - np.arange(q)[:, None]
        ),
        "query − key: the sign is turned round. Later keys have positive offsets.": (
            lambda q, k: -offsets(q, k)
        ),
        "this is the distance; the offset keeps the sign.": lambda q, k: np.abs(offsets(q, k)),
        "rows and columns are exchanged: a row belongs to a query.": lambda q, k: offsets(q, k).T,
    },
)
def offsets(q_len, k_len):
    query = np.arange(k_len - q_len, k_len)
    return np.arange(k_len) - query[:, None]


def _if_far(far):
    """Return a mistake: another number for distances that share a bucket.

    far(value, buckets) makes it of what the formula gives before ⌊ ⌋.
    """

    def mistaken(n, buckets, most):
        exact = buckets // 2
        if n < exact:
            return n
        return far(exact + (buckets - exact) * np.log(n / exact) / np.log(most / exact), buckets)

    return mistaken


def _shared(part, whole=int):
    """Return a mistake: another part of the buckets that are shared; part(n, exact, most)."""

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


# In which of T5's buckets is a distance, where one side has all of them?
@function_puzzle(
    "With exact = num_buckets // 2: a distance below exact is its own bucket.",
    "From exact on, the num_buckets − exact others share: "
    "exact + ⌊(num_buckets − exact) · log(distance / exact) / log(max_distance / exact)⌋.",
    "int(…) cuts off what follows the point; "
    "min(…, num_buckets − 1) keeps what is very far in the last bucket.",
    cases=(
        (3, 8, 32),
        (5, 8, 32),
        (14, 11, 40),
        (10, 8, 32),
        (0, 32, 128),
        (15, 32, 128),
        (50, 32, 128),
        (90, 32, 128),
        (500, 32, 128),
    ),
    won="This is the whole of T5's knowledge of order: "
    "one whole number per pair, and 32 numbers per head to look up.",
    mistakes={
        "16 and 128 belong to T5's 32 buckets; here half of them is num_buckets // 2.": _of_32,
        "far distances share buckets, too: this has one for each until there are no more.": (
            lambda n, b, _: min(n, b - 1)
        ),
        "log(max_distance) alone: divide by log(max_distance / exact).": _shared(
            lambda n, exact, most: np.log(n / exact) / np.log(most)
        ),
        "log(16) and log(128) belong to T5's 32 buckets, and the last must be log(128/16).": (
            _shared(lambda n, exact, most: np.log(n / 16) / np.log(128))
        ),
        "16 and 128 belong to T5's 32 buckets; exact and max_distance stand for them.": (
            _shared(lambda n, exact, most: np.log(n / 16) / np.log(128 / 16))
        ),
        "the distance must be divided by exact before the logarithm.": _shared(
            lambda n, exact, most: np.log(n) / np.log(most / exact)
        ),
        "both must be divided by exact before the logarithm.": _shared(
            lambda n, exact, most: np.log(n) / np.log(most)
        ),
        "rounded to the nearest, and not kept below num_buckets: "
        "the bucket is the whole part, and the last one has all that is very far.": (
            _if_far(lambda x, b: round(x))
        ),
        "log(max_distance) alone, and rounded to the nearest: "
        "divide by log(max_distance / exact), and take the whole part.": _shared(
            lambda n, exact, most: np.log(n / exact) / np.log(most), round
        ),
        "rounded up; the bucket is the whole part.": (
            _if_far(lambda x, b: min(int(np.ceil(x)), b - 1))
        ),
        "not cut off: the brackets ⌊ ⌋ mean the whole part.": _if_far(lambda x, b: min(x, b - 1)),
        "rounded to the nearest; the bucket is the whole part.": _if_far(
            lambda x, b: min(round(x), b - 1)
        ),
        "there is no such bucket: what is very far shares the last one.": _if_far(
            lambda x, b: int(x)
        ),
        "the exact buckets come first: add num_buckets // 2.": _if_far(
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
