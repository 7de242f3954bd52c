"""The five puzzles of lesson 09: a permutation and four bugs.

The bugs as given have no feedback of their own, since readers have to find them.
"""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle


# The order of a head's dims in which halves rotate like neighbors did
@function_puzzle(
    "Interleaved, the first dims of the pairs are 0, 2, 4, …. Where does half pairing expect them?",
    "With 4 dims, half pairing rotates dims 0 and 2 together. "
    "Which two old dims belong in these places?",
    "Join two ranges with a step of 2, one for each half, with np.concatenate.",
    cases=((2,), (4,), (8,), (64,)),
    won="That's all pe.convert_pairing does to the rows of each head in W_q and W_k.",
    mistakes={
        "That's the way back, from half to interleaved.": lambda d: np.argsort(permutation(d)),
        "That leaves every dim where it is.": lambda d: np.arange(d),
        "You swapped the halves, and neighbors are still neighbors.": (
            lambda d: np.roll(np.arange(d), d // 2)
        ),
        "Swap the halves. The first dim of each pair belongs in the first half.": (
            lambda d: np.roll(permutation(d), d // 2)
        ),
    },
)
def permutation(head_dim):
    return np.concatenate([np.arange(0, head_dim, 2), np.arange(1, head_dim, 2)])


# Bug 1: x meets a table made for the longest text.
@function_puzzle(
    "How many rows does x have, and how many the table?",
    "NumPy pairs one row of x with every row of the table. Which rows do you need?",
    "The text starts at position 0. Its rows are the first len(x) of the table.",
    cases=(
        (np.ones((1, 4), complex), pe.freqs_cis(8, 8)),
        (np.ones((3, 4), complex), pe.freqs_cis(8, 8)),
    ),
    written=(
        "np.ones((1, 4), complex), pe.freqs_cis(8, 8)",
        "np.ones((3, 4), complex), pe.freqs_cis(8, 8)",
    ),
    given=lambda x, t: x * t,
    won="Now the table can be longer than the text, and one word stays one word.",
    mistakes={
        "You took the last rows of the table. The text starts at position 0.": (
            lambda x, t: x * t[-len(x) :]
        ),
        "You gave every word position 0.": lambda x, t: x * t[0],
    },
)
def sliced(x, table):
    return x * table[: len(x)]


# Bug 2: new words are counted from 0, although `start` words are in the cache.
@function_puzzle(
    "What's the position of the first new word, if `start` words are in the cache?",
    "It's start. By default, pe.rope counts from 0. Its second argument gives each row's position.",
    "There are len(new) positions, and the first is start.",
    cases=((np.ones((1, 4)), 7), (np.ones((3, 8)), 100), (np.ones((4, 8)), 0)),
    written=("np.ones((1, 4)), 7", "np.ones((3, 8)), 100", "np.ones((4, 8)), 0"),
    given=lambda x, n: pe.rope(x),
    won="Now new words continue the count. pe.rope(new, start_pos=start) does the same.",
    mistakes={
        "You gave all new words the same position.": lambda x, n: pe.rope(x, np.full(len(x), n)),
        "That's one position. Each new word needs its own: start, start + 1, …": (
            lambda x, n: pe.rope(x, [n])
        ),
        "A number n as second argument means positions 0 … n − 1. Pass the positions.": (
            lambda x, n: pe.rope(x, n)
        ),
        "One too far. The cache has 0 … start − 1, and the new words start at start.": (
            lambda x, n: continued(x, n + 1)
        ),
        "One too early. Position start − 1 is in the cache.": (lambda x, n: continued(x, n - 1)),
    },
)
def continued(new, start):
    return pe.rope(new, np.arange(start, start + len(new)))


_FAR = np.array([0.0, 1, 257, 1001, 5003])


# Bug 3: positions are rounded to bfloat16 before they're multiplied.
@function_puzzle(
    "Which number is rounded before the cosine? How far apart are bfloat16's numbers at 1000?",
    "Positions, frequencies, and angles must keep their digits. Only cosines may lose some.",
    "You don't have to round anything. If you do, round the finished cosine.",
    cases=((np.arange(4.0), pe.inv_freq(4)), (_FAR, pe.inv_freq(8)), (_FAR[::-1], pe.inv_freq(64))),
    written=(
        "np.arange(4.0), pe.inv_freq(4)",
        "np.array([0.0, 1, 257, 1001, 5003]), pe.inv_freq(8)",
    ),
    tolerance=0.004,  # so that float32 angles pass, and cosines that are rounded to bfloat16 once
    given=lambda t, f: np.cos(np.outer(pe.bfloat16(t), f)),
    won="Neighbors stay apart. Angles in float32 also pass, and so do cosines rounded at the end.",
    mistakes={
        "You rounded the angles to bfloat16, which hurts even near 0.": (
            lambda t, f: np.cos(pe.bfloat16(np.outer(t, f)))
        ),
        "You rounded positions to float16, which has no odd numbers past 2048.": (
            lambda t, f: cosines(t.astype(np.float16), f)
        ),
        "You rounded angles to float16, which past 2048 has even integers only.": (
            lambda t, f: np.cos(np.outer(t, f).astype(np.float16))
        ),
        "You rounded positions and frequencies to float16, and their product too.": (
            lambda t, f: np.cos(np.outer(t.astype(np.float16), f.astype(np.float16)))
        ),
        "You rounded the frequencies to float16.": lambda t, f: cosines(t, f.astype(np.float16)),
        "You rounded the frequencies to bfloat16, like casting a whole model does.": (
            lambda t, f: cosines(t, pe.bfloat16(f))
        ),
    },
)
def cosines(positions, theta):
    return np.cos(np.outer(positions, theta))


def _cached(requests, kept) -> np.ndarray:
    """Return tables from a cache whose key has only the kept part, a mistake."""
    cache: dict = {}
    found = [cache.setdefault(request[kept], pe.freqs_cis(*request)) for request in requests]
    return np.concatenate([table.ravel() for table in found])


def _overwritten(requests) -> np.ndarray:
    """Return tables where the last one of a shape replaces the others, a mistake."""
    cache = {request[:2]: pe.freqs_cis(*request) for request in requests}
    return np.concatenate([cache[request[:2]].ravel() for request in requests])


# Bug 4: a cache of tables whose key lacks the base.
@function_puzzle(
    "What does a table depend on? Is all of that in the key?",
    "Two models with the same shapes share this cache. What else makes their tables differ?",
    "Use a tuple of three as the key. It appears three times in the code.",
    cases=(
        ([(4, 4, 10_000.0), (4, 4, 500.0)],),
        ([(4, 4, 10_000.0), (4, 4, 500.0), (4, 4, 10_000.0)],),
        ([(6, 8, 10.0), (3, 8, 10.0), (6, 4, 10.0), (3, 4, 20.0)],),
    ),
    given=lambda r: _cached(r, slice(0, 2)),
    won="No request gets a table for a different base anymore. "
    "If you keep a cache, its key needs the base.",
    mistakes={
        "Your key lacks the length. A longer text got a shorter one's table.": (
            lambda r: _cached(r, slice(1, None))
        ),
        "Your key lacks the dims of a head.": lambda r: _cached(r, slice(None, None, 2)),
        "Your key is the base alone.": lambda r: _cached(r, 2),
        "A later table overwrites an earlier one. Every cache[…] needs the base in its key.": (
            lambda r: _overwritten(r)
        ),
    },
)
def tables(requests):
    cache = {}
    for request in requests:
        if request not in cache:  # seq_len, head_dim and base: whatever the table depends on
            seq_len, head_dim, base = request
            cache[request] = pe.freqs_cis(seq_len, head_dim, base)
    return np.concatenate([cache[request].ravel() for request in requests])
