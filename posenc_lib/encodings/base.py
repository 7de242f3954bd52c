"""What an encoding is: a formula, its parameters and limits, and the ways in which it enters attention.

A class describes an encoding, an object is the encoding at one setting: `Rope(seq_len=32, base=500)`. What views and
the scorecard can show of it follows from the methods it has. A new one is one of the four kinds below and a few lines,
as in `alibi.py`: a file here, or an object that `explore`, `scorecard` and `figure` are given.
"""

from functools import cached_property

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.in_attention import InAttention
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import CONTENT, Parameter, d_model_of, even_of, head_of, seq_len_of

WIDTH = 64  # dims of the toy tokens where an encoding has none of its own


class Encoding(InAttention):
    """An encoding at one setting: parameters by name, which are its attributes; those left out take their default.

    Attributes of the class:
        name, title: for code and for people; lesson: which one introduces it; decimals order those of one lesson.
        kind: where it enters attention: "additive", "rotary", "relative" or "bias".
        parameters: what a reader can turn; seq_len is always among them.
        source: the paper, with its section; width: the parameter that says how many dims there are, if any does.
        continuous, ends, of_text: whether there is a position 1.5, a longest text, a text: if not, no list has it.
        views: the names of the views that show it best.
        shown: where parameters of views of its table begin, by name: sinusoidal pair 8, for pair 0 ignores the base.
        idle: by parameter, the views in which it changes nothing, beside those that ignore it for every encoding.
        kept: the parameters that no panel sets; asleep: those that change nothing at the values of others.
        in_attention: whether it says what happens to queries and keys; without, it feeds no view of these.
        opaque: whether nothing is known of its parameters: each may matter, any may fail, and they are no attributes.
        gives, takes: what a kind asks for: a method, and parameters.
    """

    name = title = kind = source = ""
    lesson = 99.0
    parameters: tuple[Parameter, ...] = ()
    width: str | None = None
    continuous, ends, of_text, in_attention = True, False, True, True
    views: tuple[str, ...] = ()
    shown: dict = {}  # noqa: RUF012  (classes replace it, nobody changes it)
    idle: dict[str, tuple[str, ...]] = {}  # noqa: RUF012
    kept: tuple[str, ...] = ()
    asleep: tuple[str, ...] = ()
    gives, takes, opaque = "", ("seq_len",), False

    def __init__(self, /, **values: object) -> None:
        unknown = sorted(set(values) - set(self.defaults))
        if unknown:
            told = validate.among(unknown[0], self.defaults, "it has")
            raise TypeError(f"{self.name or type(self).__name__} has no parameter {unknown[0]!r} ({told})")
        self.values = self.defaults | values
        if not self.opaque:
            vars(self).update(self.values)

    def __init_subclass__(cls, **rest: object) -> None:
        super().__init_subclass__(**rest)
        for name in (p.name for p in cls.parameters if not cls.opaque):
            taken = getattr(cls, name, None)
            if name in ("values", *dir(Encoding)) or callable(taken) or isinstance(taken, (property, cached_property)):
                raise TypeError(f"a parameter must have a name that no method has, got {name!r} in {cls.__name__}")

    def at(self, /, **values) -> "Encoding":
        """Return the same encoding with other values."""
        return type(self)(**self.values | values)

    def among(self, values: dict) -> "Encoding":
        """Return the same encoding with those of these values that are parameters of it."""
        return self.at(**{n: value for n, value in values.items() if n in self.values and n not in self.kept})

    def has(self, name: str) -> bool:
        """Return whether it has a method, a property or a parameter of this name."""
        own = self.in_attention or not hasattr(InAttention, name)
        return own and (hasattr(type(self), name) or (name in self.values and not self.opaque))

    @property
    def defaults(self) -> dict:
        """The default of every parameter, by name."""
        return {p.name: p.default for p in self.parameters}

    @property
    def turnable(self) -> list[Parameter]:
        """The parameters that a panel can set; they begin at the values of this object."""
        return [p.beginning(self.values[p.name]) for p in self.parameters if p.name not in self.kept]

    @property
    def limits(self) -> dict:
        """The highest value that the other parameters leave to one, by name."""
        return {}

    @property
    def max_positions(self) -> int:
        """How many of its positions it can encode: a learned table has no row past its last."""
        return min(self.seq_len, self.limits.get("seq_len", self.seq_len))

    @property
    def num_dims(self) -> int:
        """How many dims there are, or are given to the tokens where the encoding has none of its own."""
        return self.values.get(self.width, WIDTH)

    def describe(self, names: set[str]) -> str:
        """Say which encoding this is and how the parameters of these names are set."""
        shown = [(p, self.values[p.name]) for p in self.parameters if p.name in names]
        chosen = [(p, v) for p, v in shown if v is not None and not (p.options and v == p.default)]
        told = [f"{p.name} {validate.as_text(value)}" for p, value in chosen]
        return f"{self.title}{': ' if told else ''}{', '.join(told)}."

    def check(self) -> None:
        """Raise the encoding's own error if it cannot take its values."""
        self.at(seq_len=1).similarity  # noqa: B018  (the error is what we want)


class Vectors(Encoding):
    """What additive and rotary encodings share: vectors that stand at the positions.

    A kind gives queries_and_keys(positions), two arrays of shape (n, d).
    """

    views = ("trajectory", "heatmap", "dot_product")

    @cached_property
    def queries_keys(self) -> tuple[np.ndarray, np.ndarray]:
        """What stands at the positions 0 … seq_len − 1 as queries and as keys."""
        return self.queries_and_keys(self.seq_len)

    @cached_property
    def table(self) -> np.ndarray:
        """What stands at each position, shape (seq_len, d)."""
        return self.queries_keys[0]

    @property
    def steps(self) -> np.ndarray:
        """Distance from each position to the next, shape (seq_len − 1,)."""
        return np.linalg.norm(np.diff(self.table.astype(np.float64), axis=0), axis=1)

    def between(self, points: int) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and table with `points` rows from one position to the next.

        Where nothing stands between two positions, each row holds until the next: two rows per position.
        """
        last = len(self.table) - 1
        if self.continuous:
            fine = np.linspace(0, last, last * points + 1)
            return fine, self.queries_and_keys(fine)[0]
        edges = np.repeat(np.arange(last + 2), 2)[1:-1]
        return edges, np.repeat(self.table, 2, axis=0)

    @cached_property
    def similarity(self) -> np.ndarray:
        validate.size("seq_len", (self.seq_len, self.seq_len))
        queries, keys = self.queries_keys
        return queries.astype(np.float64) @ keys.T.astype(np.float64)

    def dot_product(self, query: int) -> np.ndarray:
        queries, keys = self.queries_keys
        return keys.astype(np.float64) @ queries[query].astype(np.float64)

    def check(self) -> None:
        self.table  # noqa: B018


class Additive(Vectors):
    """A table whose rows are added to the tokens: give rows(positions), which returns an array of shape (n, d_model).

    positions is seq_len as an int, or an array of positions; for whole ones alone, say continuous = False.

    >>> class Powers(Additive):
    ...     parameters = *Additive.parameters, Parameter("root", "what is raised", 0.5, 0.1, 2.0, scale="real")
    ...
    ...     def rows(self, positions):
    ...         at = np.arange(positions) if isinstance(positions, int) else positions
    ...         return self.root ** np.outer(at, 1 / (1 + np.arange(self.d_model)))
    >>> Powers(seq_len=3, d_model=2).table.T.round(2)
    array([[1.  , 0.5 , 0.25],
           [1.  , 0.71, 0.5 ]])
    """

    kind, width = "additive", "d_model"
    gives = "rows"
    parameters: tuple[Parameter, ...] = (seq_len_of(64), d_model_of(64, 512))

    def queries_and_keys(self, positions) -> tuple[np.ndarray, np.ndarray]:
        n = positions if np.ndim(positions) == 0 else len(positions)
        rows = validate.made(self, "rows", self.rows(positions), n, self.num_dims)
        return rows, rows

    def embed(self, x: np.ndarray) -> np.ndarray:
        return x + (self if len(x) == self.seq_len else self.at(seq_len=len(x))).table


class Waves:
    """What encodings share whose dims turn in pairs: give frequencies, shape (pairs,), in radians per position."""

    wave = "pair"  # what one wave is made of
    pairing = "interleaved"  # or "half": where the two dims of a pair stand
    halves = ("even", "odd")  # what the first and the second dims of interleaved pairs are called

    def pair_dims(self, pair) -> list:
        """Return the two dims that turn together; of an array of pairs, two arrays."""
        return [2 * pair, 2 * pair + 1] if self.pairing == "interleaved" else [pair, pair + len(self.frequencies)]

    @property
    def kernel(self) -> np.ndarray:
        """Mean cosine of all pairs by how far apart two positions are, 1 at offset 0; shape (seq_len,)."""
        return freqs_cis(self.seq_len, 2 * len(self.frequencies), inv_freq=self.frequencies).real.mean(axis=1)


class Rotary(Waves, Vectors):
    """Queries and keys are turned, pair by pair: give frequencies, and if need be attention_factor or rotate.

    Frequencies have shape (head_dim/2,), in radians per position; without a parameter pairing, pairs are interleaved.

    >>> class Even(Rotary):
    ...     frequencies = property(lambda self: np.linspace(1, 0, self.head_dim // 2))
    >>> Even(seq_len=2, head_dim=4).table.round(2)
    array([[ 1.  ,  1.  ,  1.  ,  1.  ],
           [-0.3 ,  1.38,  1.  ,  1.  ]])
    """

    kind, width = "rotary", "head_dim"
    gives, takes = "frequencies", ("seq_len", "head_dim", "content")
    parameters: tuple[Parameter, ...] = (seq_len_of(64), even_of(64, "head_dim"), CONTENT)
    turn = 1  # counter-clockwise in the plane of a pair
    attention_factor = 1.0  # what queries and keys are multiplied by, as some scalings of RoPE do

    def rotate(self, x: np.ndarray, positions) -> np.ndarray:
        """Return x, of shape (n, d), with each pair (a, b) turned: (a + ib)·e^{i·position·θ}."""
        pairs, dims = len(self.frequencies), x.shape[-1]
        if 2 * pairs > dims:
            raise ValueError(f"frequencies must be at most {dims // 2} where head_dim is {dims}, got {pairs}")
        a, b = self.pair_dims(np.arange(pairs))
        turn = self.attention_factor * freqs_cis(positions, 2 * pairs, inv_freq=self.frequencies)
        turned = (x[..., a] + 1j * x[..., b]) * turn
        out = np.array(x, dtype=np.float64)
        out[..., a], out[..., b] = turned.real, turned.imag
        return out

    def queries_and_keys(self, positions) -> tuple[np.ndarray, np.ndarray]:
        head_dim = validate.integer("head_dim", self.head_dim, low=2, even=True)
        positions = validate.positions(positions, 2 * head_dim)
        shape = positions.size, head_dim
        return tuple(self.rotate(np.broadcast_to(x, shape), positions) for x in self.query_and_key())

    def relate(self, q: np.ndarray, k: np.ndarray) -> dict:
        return {"q": self.rotate(q, len(q)), "k": self.rotate(k, len(k))}

    def shift(self, offset: float) -> np.ndarray:
        """Return the matrix that turns what stands at a position into what would stand `offset` later; (d, d)."""
        d = self.head_dim
        return self.rotate(np.eye(d), np.full(d, offset)).T + 0.0  # a zero that is not −0


class Relative(Encoding):
    """Scores that depend on the offset, instead of q·k: give scores(q, k), shape (n, n); q and k have shape (n, d).

    >>> class Sooner(Relative):
    ...     def scores(self, q, k):
    ...         return q @ k.T / (1 + np.abs(relative_offsets(len(q))))
    >>> Sooner(seq_len=3, head_dim=6).dot_product(0)
    array([6., 3., 2.])
    """

    kind, width, scores_are = "relative", "head_dim", "scores"
    gives, takes, parameters = "scores", Rotary.takes, Rotary.parameters
    views = ("similarity", "score_by_offset")

    def relate(self, q: np.ndarray, k: np.ndarray) -> dict:
        return {"scores": validate.made(self, "scores", self.scores(q, k), len(q), len(k))}


class Bias(Encoding):
    """A number for each offset, key − query, added to the scores: give biases(offsets), shape (heads, n).

    >>> class Root(Bias):
    ...     def biases(self, offsets):
    ...         return np.outer([1, 0.5], -np.sqrt(np.abs(offsets)))
    >>> Root(seq_len=3, head=1).dot_product(2).round(2)
    array([-0.71, -0.5 , -0.  ])
    """

    kind, scores_are = "bias", "biases"
    gives, takes = "biases", ("seq_len", "head")
    parameters: tuple[Parameter, ...] = (seq_len_of(64), head_of(31))
    views = ("head_biases", "attention_span", "attention_row")

    @property
    def limits(self) -> dict:
        return {"head": len(self.biases(np.zeros(1, int))) - 1}

    def relate(self, q: np.ndarray, k: np.ndarray) -> dict:
        first = 1 - max(len(q), len(k))  # the offset of the first key from the last query
        by_offset = validate.made(self, "biases", self.biases(np.arange(first, 1 - first)), None, 1 - 2 * first)
        return {"bias": by_offset[self.head][relative_offsets(len(q), len(k)) - first]}

    def query_and_key(self) -> np.ndarray:
        return np.zeros((2, self.num_dims))  # a bias does not look at what it is added to
