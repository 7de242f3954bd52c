"""One encoding at one setting: the arrays that every view of it shares, each computed once."""

from functools import cached_property

import numpy as np

from posenc_lib.encodings import validate, words
from posenc_lib.encodings.attention import attention
from posenc_lib.encodings.pairing import PAIRINGS, pairing_permutation
from posenc_lib.encodings.record import Encoding, setting
from posenc_lib.encodings.rope import query_and_key, rope
from posenc_lib.encodings.similarity import closest_pair, sinusoidal_kernel
from posenc_lib.encodings.sinusoidal import sinusoidal

WIDTH = 64  # dims of the words where an encoding says nothing about dims


class Sample:
    """An encoding with all its parameters filled in.

    Args:
        encoding: a record of the catalog.
        **parameters: values by name; those left out take their default.

    Raises:
        TypeError: the encoding has no parameter of that name, or a value is of the wrong type.
        ValueError: a value breaks a rule of the encoding (raised when the arrays are first asked for).
    """

    def __init__(self, encoding: Encoding, **parameters):
        unknown = sorted(set(parameters) - set(encoding.defaults))
        if unknown:
            known = ", ".join(encoding.defaults)
            raise TypeError(f"{encoding.name} has no parameter {unknown[0]!r} (it has {known})")
        self.encoding = encoding
        self.parameters = encoding.defaults | parameters

    @cached_property
    def _tables(self) -> tuple[np.ndarray, np.ndarray]:
        return self.encoding.tables(**self.parameters)

    @property
    def table(self) -> np.ndarray:
        """What stands at each position, shape (seq_len, d)."""
        return self._tables[0]

    @property
    def width(self) -> int:
        """How many dims there are, or are given to the words where the encoding has none of its own."""
        return self.parameters.get(self.encoding.width, WIDTH)

    def attempt(self) -> None:
        """Raise the encoding's own error if it cannot take these parameters."""
        if self.encoding.rows:
            self.table  # noqa: B018  (the error is what we want)
        else:
            self.at_length(1).similarity  # noqa: B018

    @property
    def known(self) -> int:
        """How many of the positions this encoding knows: a table has no row past its last."""
        seq_len = self.parameters["seq_len"]
        return min(seq_len, self.encoding.limits(self.parameters).get("seq_len", seq_len))

    def describe(self, names: set[str]) -> str:
        """Say which encoding this is and how the parameters of these names are set."""
        shown = [(p, self.parameters[p.name]) for p in self.encoding.parameters if p.name in names]
        told = [f"{p.name} {setting(value)}" for p, value in shown if not p.usual(value)]
        return f"{self.encoding.title}{': ' if told else ''}{', '.join(told)}."

    @cached_property
    def frequencies(self) -> np.ndarray:
        """How fast each wave turns, in radians per position; shape (d,) or (d/2,)."""
        return self.encoding.frequencies(**self.parameters)

    @property
    def waves_are(self) -> str:
        """What one wave is made of: "dim", or "pair" where a sine and a cosine share it."""
        return "dim" if len(self.frequencies) == self.width else "pair"

    @cached_property
    def similarity(self) -> np.ndarray:
        """Score of every query position with every key position, shape (seq_len, seq_len).

        For a table these are dot products; for a relative encoding the same query and key stand everywhere; for a
        bias they are zero.
        """
        seq_len = self.parameters["seq_len"]
        validate.fits_in_memory("seq_len", (seq_len, seq_len))
        if self.encoding.relation:
            return next(iter(self.encoding.relation(*self.everywhere(), **self.parameters).values()))
        queries, keys = self._tables
        return queries.astype(np.float64) @ keys.T.astype(np.float64)

    @cached_property
    def closest(self) -> tuple[int, int, float]:
        """The two positions that are closest to each other, and their distance."""
        return closest_pair(self.table) if len(self.table) > 1 else (0, 0, 0.0)

    @property
    def steps(self) -> np.ndarray:
        """Distance from each position to the next, shape (seq_len − 1,)."""
        return np.linalg.norm(np.diff(self.table.astype(np.float64), axis=0), axis=1)

    def dot_product(self, query: int) -> np.ndarray:
        """Score of one query position with every key position, shape (seq_len,); see `similarity`."""
        if self.encoding.relation:
            return self.similarity[query]
        queries, keys = self._tables
        return keys.astype(np.float64) @ queries[query].astype(np.float64)

    def between(self, points: int) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and table with so many points from one position to the next.

        Where nothing stands between two positions, each row holds until the next: two points per position.
        """
        last = len(self.table) - 1
        if self.encoding.continuous:
            fine = np.linspace(0, last, last * points + 1)
            return fine, self.encoding.rows(fine, **self.parameters)[0]
        edges = np.repeat(np.arange(last + 2), 2)[1:-1]
        return edges, np.repeat(self.table, 2, axis=0)

    def at_length(self, seq_len: int) -> "Sample":
        """Return the same encoding for a text of another length."""
        return Sample(self.encoding, **self.parameters | {"seq_len": seq_len})

    def word_cosines(self, embed_scale: float) -> tuple[np.ndarray, np.ndarray]:
        """Return what is left of a word at each position, and how alike two words look; see `words.cosines`."""
        return words.cosines(self.table.astype(np.float64), embed_scale)

    def attend(self, x: np.ndarray, *, causal: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return attention's (output, weights) for some words with this encoding; x has shape (at most seq_len, d)."""
        if self.encoding.kind == "additive":
            x = x + (self if len(x) == self.parameters["seq_len"] else self.at_length(len(x))).table
        q, k, v = words.attending(x)
        if self.encoding.kind == "rotary":
            turn = {name: self.parameters[name] for name in ("base", "pairing")}
            q, k = (self.encoding.function(part, **turn) for part in (q, k))
        relation = self.encoding.relation(q, k, **self.parameters) if self.encoding.relation else {}
        return attention(q, k, v, causal=causal, **relation)

    def biases(self, query: int) -> np.ndarray:
        """Return what each head adds to the scores of one position with every key, shape (num_heads, seq_len)."""
        return self.encoding.biases(np.arange(self.parameters["seq_len"]) - query, **self.parameters)

    def reads(self, offsets) -> np.ndarray:
        """Return which row of the encoding's table each offset reads."""
        return self.encoding.reads(np.asarray(offsets), **self.parameters)

    @cached_property
    def terms(self) -> dict[str, np.ndarray]:
        """The parts of the scores between made-up words, by name; each of shape (seq_len, seq_len)."""
        q, k, _ = words.attending(words.vectors(self.parameters["seq_len"], self.width))
        return self.encoding.terms(q, k, **self.parameters)

    def pair_dims(self, pair: int) -> list[int]:
        """Return the two dims that turn together."""
        if {"interleaved"} & {self.parameters.get("pairing"), self.parameters.get("layout")}:
            return [2 * pair, 2 * pair + 1]
        return [pair, pair + self.width // 2]

    def shift(self, offset: int) -> np.ndarray:
        """Return the matrix that turns the row of any position into the row so many positions later."""
        return self.encoding.shift(offset, **self.parameters)

    @property
    def kernel(self) -> np.ndarray:
        """Dot product of two positions by how far apart they are, as a part of the largest, shape (seq_len,)."""
        offsets = np.arange(self.parameters["seq_len"])
        return sinusoidal_kernel(offsets, self.width, self.parameters["base"]) / (self.width / 2)

    def with_base(self, base: float) -> "Sample":
        """Return the same encoding with another base."""
        return Sample(self.encoding, **self.parameters | {"base": base})

    @property
    def other_order(self) -> np.ndarray:
        """The order of rows that turns this pairing's pairs into those of the other pairing, shape (d,)."""
        order = pairing_permutation(self.width)
        return order if self.parameters["pairing"] == "interleaved" else np.argsort(order)

    def embedded(self, embed_scale: float) -> np.ndarray:
        """Return made-up words of mean length embed_scale, one for each position, shape (seq_len, d)."""
        return embed_scale / np.sqrt(self.width) * words.vectors(len(self.table), self.width)

    def query_and_key(self) -> np.ndarray:
        """Return the query and the key that stand everywhere, before they are turned; shape (2, d)."""
        if self.encoding.kind == "bias":
            return np.zeros((2, self.width))
        return query_and_key(self.width, self.parameters["content"])

    def everywhere(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the query and the key set down at every position, not yet turned; two arrays of shape (seq_len, d)."""
        q, k = self.query_and_key()
        return tuple(np.tile(x, (self.parameters["seq_len"], 1)) for x in (q, k))

    def ported(self, *, permuted: bool) -> np.ndarray:
        """Return the scores of a model that was made for this pairing and now turns the pairs of the other one.

        permuted says whether its rows were put in the order that the other pairing needs; shape (seq_len, seq_len).
        """
        order = self.other_order if permuted else slice(None)
        other = next(pairing for pairing in PAIRINGS if pairing != self.parameters["pairing"])
        q, k = (rope(x[:, order], base=self.parameters["base"], pairing=other) for x in self.everywhere())
        return q @ k.T

    def turned(self, positions: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return (queries, keys) at chosen positions, which may lie beyond the text."""
        return self.encoding.rows(np.array(positions), **self.parameters)

    @cached_property
    def added(self) -> np.ndarray:
        """Scores of the same query and key with sinusoidal positions added instead, shape (seq_len, seq_len)."""
        q, k = self.query_and_key()
        table = sinusoidal(len(self.table), self.width, base=self.parameters["base"])
        return (q + table) @ (k + table).T
