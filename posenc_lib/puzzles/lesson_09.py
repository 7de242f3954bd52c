"""The five puzzles of lesson 09: one permutation and four bugs."""

import numpy as np

import posenc_lib as pe  # as in the lesson, so that the answers can be shown as they stand
from posenc_lib.puzzles.engine import Puzzle


def permutation(head_dim):
    return np.concatenate([np.arange(0, head_dim, 2), np.arange(1, head_dim, 2)])


PERMUTATION = Puzzle(
    answer=permutation,
    cases=((2,), (4,), (8,), (64,)),
    hints=(
        "Interleaved, the first of each pair stands at 0, 2, 4, …; half pairing wants them in the first half.",
        "For head_dim 8 the order is 0 2 4 6 1 3 5 7.",
        "np.concatenate([np.arange(0, head_dim, 2), np.arange(1, head_dim, 2)])",
    ),
    mistakes={
        "this is the way back, from half to interleaved.": lambda d: np.argsort(permutation(d)),
        "this leaves every dim where it is.": lambda d: np.arange(d),
        "the seconds come first here; the firsts of the pairs belong in the first half.": (
            lambda d: np.roll(permutation(d), d // 2)
        ),
    },
)


def _rows(seq_len: int, head_dim: int) -> np.ndarray:
    return np.random.default_rng(seq_len).normal(size=(seq_len, head_dim))


def sliced(x, table):
    return x * table[: len(x)]


SLICED = Puzzle(
    answer=sliced,
    cases=((_rows(1, 4) + 0j, pe.freqs_cis(8, 8)), (_rows(3, 4) + 0j, pe.freqs_cis(8, 8))),
    hints=(
        "How many rows has x, and how many the table?",
        "Only the rows of the positions at hand are wanted: the first len(x) of the table.",
        "table[: len(x)]",
    ),
    mistakes={
        "the table is not sliced: one row of x met every row of the table, and NumPy made a row for each.": (
            lambda x, table: x * table if len(x) == 1 else np.zeros(x.shape)  # NumPy raises there
        ),
        "turned the other way.": lambda x, table: x * table[: len(x)].conj(),
        "x came back unchanged.": lambda x, table: x,
    },
)


def continued(new, start):
    return pe.rope(new, np.arange(start, start + len(new)))


CONTINUED = Puzzle(
    answer=continued,
    cases=((_rows(1, 4), 7), (_rows(3, 8), 100), (_rows(4, 8), 0)),
    hints=(
        "The first new word is not at position 0: `start` words are in the cache already.",
        "rope takes positions as its second argument, one for each row.",
        "pe.rope(new, np.arange(start, start + len(new)))",
    ),
    mistakes={
        "positions restarted: as if the text began with the new words.": lambda x, n: pe.rope(x),
        "half pairing: nothing here asks for it.": lambda x, n: pe.rope(x, np.arange(n, n + len(x)), pairing="half"),
        "all new words got the same position.": lambda x, n: pe.rope(x, np.full(len(x), n)),
        "one too far: the cache holds positions 0 … start − 1, so the first new word stands at start.": (
            lambda x, n: continued(x, n + 1)
        ),
        "one too early: position start − 1 is in the cache already.": lambda x, n: continued(x, n - 1),
    },
)


def _narrow(number) -> np.ndarray:
    return pe.bfloat16(number).astype(np.float64)


FAR = np.array([0.0, 1, 257, 1001, 5003, 100_003])


def cosines(positions, theta):
    return np.cos(np.outer(positions, theta))


COSINES = Puzzle(
    answer=cosines,
    cases=((np.arange(4.0), pe.inv_freq(4)), (FAR, pe.inv_freq(8)), (FAR[::-1], pe.inv_freq(64))),
    hints=(
        "Which number is rounded before the cosine, and how far apart are bfloat16's numbers at 1000?",
        "Positions, frequencies and angles must stay in float64. Round the result, if at all, and once.",
        "np.cos(np.outer(positions, theta))",
    ),
    mistakes={
        "positions were rounded to bfloat16: from 256 on neighbours become one.": lambda t, f: cosines(_narrow(t), f),
        "angles were rounded to bfloat16; that hurts even near the beginning.": (
            lambda t, f: np.cos(_narrow(np.outer(t, f)))
        ),
        "frequencies were rounded to bfloat16, as when a whole model is cast.": lambda t, f: cosines(t, _narrow(f)),
        "the cosines were rounded to bfloat16: two to three digits are left.": lambda t, f: _narrow(cosines(t, f)),
        "float32 angles: the farther out, the worse; at 100 003 the third digit is wrong.": (
            lambda t, f: cosines(np.float32(t), np.float32(f))
        ),
        "these are the sines.": lambda t, f: np.sin(np.outer(t, f)),
    },
)


def _cached(requests, kept) -> np.ndarray:
    """Return tables from a cache whose key holds only some of what a table depends on."""
    cache: dict = {}
    return np.concatenate([cache.setdefault(request[kept], pe.freqs_cis(*request)).ravel() for request in requests])


def tables(requests):
    cache = {}
    for request in requests:
        if request not in cache:  # seq_len, head_dim and base: whatever the table depends on
            seq_len, head_dim, base = request
            cache[request] = pe.freqs_cis(seq_len, head_dim, base)
    return np.concatenate([cache[request].ravel() for request in requests])


TABLES = Puzzle(
    answer=tables,
    cases=(
        ([(4, 4, 10_000.0), (4, 4, 500.0), (4, 4, 10_000.0)],),
        ([(6, 8, 10.0), (3, 8, 10.0), (6, 4, 10.0), (3, 4, 20.0)],),
    ),
    hints=(
        "What does a table depend on? All of it must be in the key.",
        "Two models with the same shapes and another base meet in this cache.",
        "key = (seq_len, head_dim, base)",
    ),
    mistakes={
        "the key forgets the base: the second model got the first one's table.": lambda r: _cached(r, slice(2)),
        "the key forgets the length: a longer text got a shorter one's table, or the other way round.": (
            lambda r: _cached(r, slice(1, None))
        ),
        "the key forgets the dims of a head.": lambda r: _cached(r, slice(None, None, 2)),
        "the key is the base alone.": lambda r: _cached(r, 2),
    },
)
