"""The five puzzles of lesson 09: one permutation and four bugs.

A bug as the lesson shows it is no named mistake: its reader is to find it.
"""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle


# In which order must the dims of a head stand so that halves turn as neighbors did?
@function_puzzle(
    "Interleaved, the first of each pair stands at 0, 2, 4, …. "
    "Where does half pairing look for the firsts?",
    "With 4 dims, half pairing turns its dims 0 and 2 together. "
    "Which two old dims belong on these two places?",
    "Two ranges with a step, one for each half, joined by np.concatenate.",
    cases=((2,), (4,), (8,), (64,)),
    won="This is all that pe.convert_pairing does to the rows of each head of W_q and W_k.",
    mistakes={
        "this is the way back, from half to interleaved.": lambda d: np.argsort(permutation(d)),
        "this leaves every dim where it is.": lambda d: np.arange(d),
        "you exchanged the halves, and neighbors are neighbors still.": (
            lambda d: np.roll(np.arange(d), d // 2)
        ),
        "the seconds come first here; firsts belong in the first half.": (
            lambda d: np.roll(permutation(d), d // 2)
        ),
    },
)
def permutation(head_dim):
    return np.concatenate([np.arange(0, head_dim, 2), np.arange(1, head_dim, 2)])


# Bug 1: x meets a table that was made for the longest text.
@function_puzzle(
    "How many rows has x, and how many the table?",
    "One row of x meets every row of the table, and NumPy makes a row for each. "
    "Which rows are wanted?",
    "The text begins at position 0, so its rows are the first len(x) of the table.",
    cases=(
        (np.ones((1, 4), complex), pe.freqs_cis(8, 8)),
        (np.ones((3, 4), complex), pe.freqs_cis(8, 8)),
    ),
    written=(
        "np.ones((1, 4), complex), pe.freqs_cis(8, 8)",
        "np.ones((3, 4), complex), pe.freqs_cis(8, 8)",
    ),
    given=lambda x, t: x * t,
    won="Now the table may be longer than the text, and a text of one word stays one word.",
    mistakes={
        "these are the last rows of the table; the text begins at position 0.": (
            lambda x, t: x * t[-len(x) :]
        )
    },
)
def sliced(x, table):
    return x * table[: len(x)]


# Bug 2: new words are counted from 0, though `start` words are in the cache.
@function_puzzle(
    "Where does the first new word stand, if `start` words are in the cache?",
    "At position start. As it is, pe.rope counts from 0; "
    "its second argument says where each row stands.",
    "The positions begin at start, and there are len(new) of them.",
    cases=((np.ones((1, 4)), 7), (np.ones((3, 8)), 100), (np.ones((4, 8)), 0)),
    written=("np.ones((1, 4)), 7", "np.ones((3, 8)), 100", "np.ones((4, 8)), 0"),
    given=lambda x, n: pe.rope(x),
    won="A word that comes later keeps its place. pe.rope(new, start_pos=start) does the same.",
    mistakes={
        "all new words got the same position.": lambda x, n: pe.rope(x, np.full(len(x), n)),
        "that is one position; each new word needs its own, start, start + 1, …": (
            lambda x, n: pe.rope(x, [n])
        ),
        "a number as the second argument means positions 0 … n − 1; give the positions.": (
            lambda x, n: pe.rope(x, n)
        ),
        "one too far: the cache holds 0 … start − 1, so new words begin at start.": (
            lambda x, n: continued(x, n + 1)
        ),
        "one too early: position start − 1 is in the cache already.": (
            lambda x, n: continued(x, n - 1)
        ),
    },
)
def continued(new, start):
    return pe.rope(new, np.arange(start, start + len(new)))


_FAR = np.array([0.0, 1, 257, 1001, 5003])


# Bug 3: positions are rounded to bfloat16 before they are multiplied.
@function_puzzle(
    "Which number is rounded before the cosine is taken? "
    "And how far apart are bfloat16's numbers at 1000?",
    "Positions, frequencies and angles must keep their digits; only the cosines may lose some.",
    "Nothing at all needs to be rounded here; if it must be, then around the whole cosine.",
    cases=((np.arange(4.0), pe.inv_freq(4)), (_FAR, pe.inv_freq(8)), (_FAR[::-1], pe.inv_freq(64))),
    written=(
        "np.arange(4.0), pe.inv_freq(4)",
        "np.array([0.0, 1, 257, 1001, 5003]), pe.inv_freq(8)",
    ),
    tolerance=0.004,  # so that float32 angles pass, and cosines that are rounded to bfloat16 once
    given=lambda t, f: np.cos(np.outer(pe.bfloat16(t), f)),
    won="Neighbors stay apart. "
    "Angles in float32 would have passed, too, and so would cosines rounded at the end.",
    mistakes={
        "angles were rounded to bfloat16; that hurts even near 0.": (
            lambda t, f: np.cos(pe.bfloat16(np.outer(t, f)))
        ),
        "positions were rounded to float16, which has no odd number beyond 2048.": (
            lambda t, f: cosines(t.astype(np.float16), f)
        ),
        "angles were rounded to float16: beyond 2048 they are whole, even numbers.": (
            lambda t, f: np.cos(np.outer(t, f).astype(np.float16))
        ),
        "positions and frequencies were rounded to float16, and so was their product.": (
            lambda t, f: np.cos(np.outer(t.astype(np.float16), f.astype(np.float16)))
        ),
        "frequencies were rounded to float16.": lambda t, f: cosines(t, f.astype(np.float16)),
        "frequencies were rounded to bfloat16, as when a whole model is cast.": (
            lambda t, f: cosines(t, pe.bfloat16(f))
        ),
    },
)
def cosines(positions, theta):
    return np.cos(np.outer(positions, theta))


def _cached(requests, kept) -> np.ndarray:
    """Return what a mistake gives: tables from a cache whose key holds only what is kept."""
    cache: dict = {}
    found = [cache.setdefault(request[kept], pe.freqs_cis(*request)) for request in requests]
    return np.concatenate([table.ravel() for table in found])


# Bug 4: a cache of tables whose key forgets the base.
@function_puzzle(
    "What does a table depend on? Is all of it in the key?",
    "Two models with the same shapes meet in this cache; what else tells their tables apart?",
    "A tuple of three makes a good key; it stands in the code three times.",
    cases=(
        ([(4, 4, 10_000.0), (4, 4, 500.0), (4, 4, 10_000.0)],),
        ([(6, 8, 10.0), (3, 8, 10.0), (6, 4, 10.0), (3, 4, 20.0)],),
    ),
    given=lambda r: _cached(r, slice(0, 2)),
    won="No request gets a table that was made for another base. "
    "A cache with such a key can serve two models at once.",
    mistakes={
        "the key forgets the length: a longer text got a shorter one's table.": (
            lambda r: _cached(r, slice(1, None))
        ),
        "the key forgets the dims of a head.": lambda r: _cached(r, slice(None, None, 2)),
        "the key is the base alone.": lambda r: _cached(r, 2),
    },
)
def tables(requests):
    cache = {}
    for request in requests:
        if request not in cache:  # seq_len, head_dim and base: whatever the table depends on
            seq_len, head_dim, base = request
            cache[request] = pe.freqs_cis(seq_len, head_dim, base)
    return np.concatenate([cache[request].ravel() for request in requests])
