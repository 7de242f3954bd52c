"""The scores of all queries with all keys: bare, with a token everywhere, with positions added."""

import numpy as np

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.scores import by_offset
from posenc_lib.views.style import number
from posenc_lib.views.view import CAUSAL, view

PAIRS = {"x": "position of the key", "y": "position of the query", "square": True}
WORD_NORM = Parameter("word_norm", "how long the word's vector is", 8, 0, 24)
MATRICES = Parameter("matrices", "whether W_q and W_k come between", False, options=(False, True))


@view("cells", "All pairs", **PAIRS, needs="similarity", ignores="layout", most_positions=1024)
def similarity(pen, encoding, causal=CAUSAL, query=None):
    """Colour all scores."""
    return all_pairs(pen, masked(encoding.similarity, causal=causal), encoding.scores_are, query)


def all_pairs(pen, matrix, what: str, query=None, clim=None, less=0.0) -> str:
    """Colour the score of each query and key, less a number, a row for each query; say what is seen."""
    pen.cells(matrix - less, clim)
    pen.query(y=query)
    _, low, _, high = by_offset(matrix)
    spread, most = float(np.nanmax(high - low)), max(np.nanmax(np.abs(matrix)), 1e-300)
    pen.title("Each diagonal has one colour" if spread <= 1e-9 * most else f"Diagonals vary by up to {number(spread)}")
    row, column = np.unravel_index(style.lowest(np.nan_to_num(matrix, nan=np.inf)), matrix.shape)
    lowest = f"lowest {number(matrix[row, column])} at query {row}, key {column}"
    return f"All pairs: {len(matrix)} × {len(matrix)} {what}{pen.grain(matrix)}; {lowest}."


def masked(scores: np.ndarray, *, causal: bool) -> np.ndarray:
    """Return scores with NaN for the keys after each query where a causal mask hides them."""
    return np.where(np.tri(*scores.shape, dtype=bool), scores, np.nan) if causal else scores


@view("cells", "One word: score − mean", **PAIRS, needs="relate", ignores="content draw", most_positions=512)
def token_scores(pen, encoding, word_norm=WORD_NORM, matrices=MATRICES):
    """Colour the scores of one word that is everywhere, less their mean.

    With matrices, queries and keys are made by made-up W_q and W_k. The word itself only lifts all scores, which
    softmax does not see; so the colours do not see it either.
    """
    token = toy_data.tokens(1, encoding.num_dims)
    x = encoding.embed(np.tile(word_norm / np.linalg.norm(token) * token, (encoding.seq_len, 1)))
    matrix = sum(encoding.scored(*(encoding.projected(x)[:2] if matrices else (x, x))))
    mean = float(matrix.mean())
    bound = style.tight_bound(float(np.abs(matrix - mean).max().round(9)))  # noise is nothing
    text = all_pairs(pen, matrix, "dot products", clim=(-bound, bound), less=mean)
    pen.says = lambda x, y: number(float(matrix[round(y), round(x)])) if pen.inside(x, y) else ""
    return text


@view("cells", "If added instead", **PAIRS, needs="rotate query_and_key", ignores="pairing", most_positions=1024)
def additive_scores(pen, encoding, causal=CAUSAL, query=None):
    """Colour the scores of a rotary encoding's query and key with positions added instead."""
    turned = freqs_cis(encoding.seq_len, 2 * len(encoding.frequencies), inv_freq=encoding.frequencies)
    waves = np.stack([turned.imag, turned.real], axis=-1).reshape(encoding.seq_len, -1)
    q, k = encoding.query_and_key()
    table = np.pad(waves, ((0, 0), (0, len(q) - waves.shape[1])))  # nothing is added where nothing turns
    matrix = masked((q + table) @ (k + table).T, causal=causal)
    text = all_pairs(pen, matrix, "dot products", query)
    return f"Sinusoidal positions added to the same query and key instead. {text}"
