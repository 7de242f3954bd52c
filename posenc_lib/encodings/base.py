"""What an encoding is: a formula, its parameters, and how it enters attention.

A class describes an encoding. An object is that encoding with particular values:
`Rope(seq_len=32, base=500)`. Its methods decide which views can show it.

To write one, subclass one of the four kinds at the end of this file, as `alibi.py`
does. Put it into this folder, or pass an object to `explore`, `scorecard` and `figure`.
"""

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from posenc_lib.encodings import parameter, toy_data, validate
from posenc_lib.encodings.attention import attention, dot_products
from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.encodings.parameter import Parameter, d_model_of, even_of, head_of, seq_len_of
from posenc_lib.encodings.register import todays

Array = np.ndarray
QK = tuple[Array, Array]  # queries and keys
Names = tuple[str, ...]
Parameters = tuple[Parameter, ...]
TRAINED = 64  # training length of a rotary encoding that doesn't say
WIDTH = 64  # dims of the toy tokens if an encoding has no width


class Encoding:
    """An encoding with particular values, which are attributes of the object.

    Attributes:
        name, title: its name in code, and in words.
        lesson: the lesson that introduces it; 12.1 comes before 12.2.
        kind: "additive", "rotary", "relative" or "bias".
        parameters: the values a reader can change; one is seq_len.
        width: the name of the parameter that is the number of dims.
        continuous: whether it has a position 1.5.
        has_end: whether it has a longest text.
        of_text: whether its positions are those of tokens.
        from_function: whether its parameters are a function's arguments.
        views: the views that show it best.
        scores_are: what views call its scores.
        view_starts: initial values for the parameters of views.
        beside: other values that share its color scale.
        unused_in: for a parameter, the views it doesn't change.
        unused_now: parameters that change nothing at these values.
        no_slider: parameters without a slider.
    """

    name = title = kind = ""
    lesson = 99.0  # yours comes after all lessons
    parameters: Parameters = ()
    width: str | None = None
    continuous = True
    has_end = False
    of_text = True
    from_function = False
    views: Names = ()
    scores_are = "dot products"
    view_starts: dict = {}
    beside: tuple["Encoding", ...] = ()
    unused_in: dict[str, Names] = {}
    unused_now: Names = ()
    no_slider: Names = ()
    overrides: dict = {}  # set by `named`

    if TYPE_CHECKING:  # parameters are attributes

        def __getattr__(self, name: str) -> Any: ...

    def __init_subclass__(cls) -> None:
        parameters = vars(cls).get("parameters", ())
        rule = f"parameters of {cls.__name__} must be a tuple of Parameter"
        if isinstance(parameters, Parameter):
            raise TypeError(f"{rule}, got one alone: is a comma missing?")
        for p in parameters:
            if not isinstance(p, Parameter):
                rule += ", as in *Bias.parameters, Parameter(…)"
                got = type(p).__name__
                raise TypeError(f"{rule}, got {got} in it: is a star missing?")

    def __init__(self, /, **values: object) -> None:
        vars(self).update(self.overrides)  # first, because parameters can be one of them
        defaults = self.defaults
        if not values.keys() <= defaults.keys():
            values = {todays(name, defaults): value for name, value in values.items()}
        if unknown := sorted(set(values) - set(defaults)):
            known = validate.among(unknown[0], defaults, "It has")
            name = self.name or type(self).__name__
            raise TypeError(f"{name} has no parameter {unknown[0]!r}. {known}")
        self.values = defaults | values  # `check` or the formula refuses bad values
        # A function's argument can have a method's name.
        # Then it doesn't become an attribute.
        attributes = ("seq_len", self.width) if self.from_function else self.values
        vars(self).update({name: self.values[name] for name in attributes})

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"<{self.title or type(self).__name__}: {values}>"

    def at(self, /, **values) -> Self:
        """Return the same encoding with other values."""
        return self._copied(self.values | values, self.overrides)

    def named(self, name: str, title: str, **overrides) -> Self:
        """Return the same encoding with another name and other attributes."""
        for attribute in overrides:
            # A declaration like `array: np.ndarray` needs no value
            declared = type(self).__annotations__
            if not hasattr(self, attribute) and attribute not in declared:
                rule = f"named takes attributes of {type(self).__name__}"
                raise TypeError(f"{rule}, got {attribute!r}")
        overrides = {"name": name, "title": title, **overrides}
        return self._copied(self.values, self.overrides | overrides)

    def _copied(self, values: dict, overrides: dict) -> Self:
        """Return an encoding of this class with these values and overrides."""
        # In two steps: __init__ reads what's set in between
        copy = object.__new__(type(self))
        copy.overrides = overrides
        copy.__init__(**values)  # type: ignore[misc]
        return copy

    def at_known(self, values: dict) -> Self:
        """Return the same encoding with those of the values it has sliders for."""
        with_slider = self.values.keys() - set(self.no_slider)
        return self.at(**{name: values[name] for name in values if name in with_slider})

    def has(self, name: str) -> bool:
        """Return whether it has a method, property or parameter with this name.

        A function's arguments don't count: nobody knows what they mean.
        """
        is_known = name == "seq_len" or not self.from_function
        return hasattr(type(self), name) or (is_known and name in self.values)

    @property
    def defaults(self) -> dict:
        """The default of every parameter, by name."""
        return {p.name: p.default for p in self.parameters}

    @property
    def turnable(self) -> list[Parameter]:
        """The parameters with sliders, which start at this object's values."""
        sliders = [p for p in self.parameters if p.name not in self.no_slider]
        return [p.beginning(self.values[p.name]) for p in sliders]

    @property
    def highest(self) -> dict:
        """The highest value each parameter can have next to the others, by name."""
        return {}

    @property
    def max_positions(self) -> int:
        """How many of its seq_len positions it can encode. A table ends."""
        return min(self.seq_len, self.highest.get("seq_len", self.seq_len))

    @property
    def num_dims(self) -> int:
        """Its number of dims, or that of the toy tokens if it has none."""
        return self.values.get(self.width, WIDTH)

    def describe(self, names: set[str]) -> str:
        """Return its title and these values.

        They are numbers, and choices other than the default.
        """
        settings = []
        for p in self.parameters:
            value = self.values[p.name]
            is_usual = p.options and value == p.default
            if p.name in names and value is not None and not is_usual:
                text = p.names[value] if p.names else validate.as_text(value)
                settings.append(f"{p.name} {text}")
        if settings:
            return f"{self.title}: {', '.join(settings)}."
        return validate.ended(self.title)

    def check(self) -> None:
        """Raise the encoding's own error if its values are impossible."""


class InAttention(Encoding):
    """What all encodings of tokens share. x, q and k have shape (n, d).

    An encoding enters attention through one of two methods. `embed` adds to the
    tokens, and `relate` returns arguments of `attention`: q and k, scores, or bias.

    `attend` and `logits` turn a sentence's tokens into queries and keys.
    `similarity` and `dot_product` use the same query and key everywhere, so
    only the positions differ.
    """

    given: QK | None = None  # from `with_queries`
    tokens: Names = ()  # the tokens they were made from
    content_given: Array | None = None  # from `with_content`
    content_seed: int | None = None  # for a different random content

    def with_queries(self, q: Array, k: Array, name: str, **overrides) -> Self:
        """Return the same encoding with these queries and keys, (n, d) each."""
        title = overrides.pop("title", f"{self.title}, given q and k")
        return self.named(name, title, given=(q, k), continuous=False, has_end=True, **overrides)

    def with_content(self, query: Array, key: Array) -> Self:
        """Return the same encoding with this query and key, (d,), at every position."""
        return self.named(self.name, self.title, content_given=np.stack([query, key]))

    @property
    def highest(self) -> dict:
        return {"seq_len": len(self.given[0])} if self.given else {}

    def has(self, name: str) -> bool:
        return super().has(name) and not (name == "query_and_key" and self.given)

    def embed(self, x: Array) -> Array:
        return x

    def relate(self, q: Array, k: Array) -> dict:
        return {}

    def projected(self, x: Array) -> tuple[Array, Array, Array]:
        """Return the queries, keys and values of tokens."""
        if self.given:
            q, k = self.given
            return q[: len(x)], k[: len(x)], np.zeros((len(x), 1))
        return toy_data.queries_keys_values(x)

    def attend(self, x: Array, *, causal: bool) -> tuple[Array, Array]:
        """Return attention's (output, weights) for tokens."""
        q, k, v = self.projected(self.embed(x))
        return attention(**{"q": q, "k": k, "v": v, "causal": causal} | self.relate(q, k))

    def logits(self, x: Array) -> Array:
        """Return the input of attention's softmax for tokens, shape (n, n)."""
        q, k, _ = self.projected(self.embed(x))
        scores, bias = self.scores_and_bias(q, k)
        return scores / np.sqrt(q.shape[1]) + bias

    def scores_and_bias(self, q: Array, k: Array) -> tuple[Array, Any]:
        """Return the scores, and the bias added after dividing by √d."""
        related = {"q": q, "k": k, "bias": 0.0} | self.relate(q, k)
        if "scores" in related:
            return related["scores"], related["bias"]
        return related["q"] @ related["k"].T, related["bias"]

    def query_and_key(self) -> Array:
        """Return the query and key that panels use at every position, shape (2, d)."""
        if self.content_given is not None:
            return self.content_given
        return toy_data.query_and_key(self.num_dims, self.content, self.content_seed)

    def content_at(self, positions: Array) -> QK:
        """Return queries and keys at positions, before encoding."""
        if self.given:
            q, k = self.given
            return q[positions], k[positions]
        query, key = self.query_and_key()
        repeats = positions.size, 1
        return np.tile(query, repeats), np.tile(key, repeats)

    def tiled_qk(self) -> QK:
        """Return queries and keys at all positions, before encoding."""
        return self.content_at(np.arange(self.max_positions))

    @cached_property
    def similarity(self) -> Array:
        """Score of each query with each key, or its bias; shape (seq_len, seq_len)."""
        related = self.relate(*self.tiled_qk())
        return related["scores"] if "scores" in related else related["bias"]

    def dot_product(self, query: int) -> Array:
        """Score of the query at one position with each key, shape (seq_len,)."""
        return self.similarity[query]

    def check(self) -> None:
        self.at(seq_len=1).dot_product(0)  # raises the same errors as a longer text


class Vectors(InAttention):
    """What additive and rotary encodings share.

    Define queries_and_keys(positions), (n,) → both encoded, (n, d).
    An int n means 0 … n − 1.
    """

    views = ("trajectory", "heatmap", "dot_product")

    @cached_property
    def queries_keys(self) -> QK:
        """The queries and the keys at positions 0 … seq_len − 1."""
        # Given arrays are cut at their end. A table raises an error there.
        return self.queries_and_keys(self.max_positions if self.given else self.seq_len)

    @cached_property
    def table(self) -> Array:
        """The row, or the rotated query, at each position; shape (seq_len, d)."""
        return self.queries_keys[0]

    @property
    def steps(self) -> Array:
        """Distance from each position to the next, shape (seq_len − 1,)."""
        return np.linalg.norm(np.diff(self.table.astype(float), axis=0), axis=1)

    def between(self, points: int) -> tuple[Array, Array]:
        """Return positions, `points` for each step, and the table there.

        If there's no position 1.5, each row lasts until the next and is repeated.
        """
        last = len(self.table) - 1
        if not self.continuous:  # a staircase: 0, 1, 1, 2, 2, …
            positions = np.repeat(np.arange(last + 2), 2)[1:-1]
            return positions, np.repeat(self.table, 2, axis=0)
        positions = np.linspace(0, last, last * points + 1)
        return positions, self.queries_and_keys(positions)[0]

    @cached_property
    def similarity(self) -> Array:
        queries, keys = self.queries_keys
        return dot_products(queries, keys)

    def dot_product(self, query: int) -> Array:
        queries, keys = self.queries_keys
        return keys.astype(float) @ queries[query].astype(float)

    def check(self) -> None:
        _ = self.table  # all rows, because a table can end


class Additive(Vectors):
    """A table whose rows are added to the tokens.

    Define rows(positions), (n,) → (n, d_model).
    If positions have to be integers, set continuous = False.

    >>> class Powers(Additive):
    ...     parameters = *Additive.parameters, Parameter("root", "what is raised", 0.5)
    ...
    ...     def rows(self, positions):
    ...         return self.root ** np.outer(positions, 1 / (1 + np.arange(self.d_model)))
    >>> Powers(seq_len=3, d_model=2).table.T.round(2)
    array([[1.  , 0.5 , 0.25],
           [1.  , 0.71, 0.5 ]])
    """

    kind = "additive"
    width = "d_model"
    parameters: Parameters = (seq_len_of(64), d_model_of(64, high=512))

    def queries_and_keys(self, positions) -> QK:
        positions = validate.positions(positions)
        end = self.highest.get("seq_len", np.inf)
        last = positions.max(initial=-1)
        if last >= end:
            rule = f"seq_len must be at most {end}, where the table ends"
            raise ValueError(f"{rule}, got {last + 1:g}")
        rows = self.rows(positions)
        rows = validate.made(self, "rows", rows, len(positions), self.num_dims)
        return rows, rows

    def embed(self, x: Array) -> Array:
        as_long = self if len(x) == self.seq_len else self.at(seq_len=len(x))
        return x + as_long.table


class Waves:
    """What encodings share if their dims rotate in pairs.

    Define frequencies, (pairs,), in radians per position.
    """

    wave = "pair"  # one wave per
    pairing = "interleaved"  # or "half": which two dims form a pair

    def pair_dims(self, pair) -> list:
        """Return the two dims that rotate together. For an array of pairs, two arrays."""
        if self.pairing == "interleaved":
            return [2 * pair, 2 * pair + 1]
        return [pair, pair + len(self.frequencies)]


class Rotary(Waves, Vectors):
    """Queries and keys are rotated, pair by pair.

    Define frequencies in radians per position, for up to head_dim/2 pairs.
    The rest don't rotate. To rotate differently, define pairing,
    attention_factor or rotate too.

    Views of longer texts show as_trained at training_length.
    By default, that's factor 1, and the parameter trained or 64.

    >>> class Even(Rotary):
    ...     parameters = *Rotary.parameters, Parameter("top", "the fastest", 1.0)
    ...     frequencies = property(lambda self: np.linspace(self.top, 0, self.head_dim // 4))
    >>> Even(seq_len=2, head_dim=4).table.round(2)
    array([[ 1.  ,  1.  ,  1.  ,  1.  ],
           [-0.3 ,  1.38,  1.  ,  1.  ]])
    """

    kind = "rotary"
    width = "head_dim"
    parameters: Parameters = (seq_len_of(64), even_of(64, "head_dim"), parameter.CONTENT)
    turning_sense = 1  # counter-clockwise in the plane of a pair
    attention_factor = 1.0  # multiplies queries and keys, in some scalings
    window: int | None = None  # how many tokens a query looks back, if that's limited

    @cached_property
    def training_length(self) -> int:
        """The number of positions it was trained on."""
        return self.values.get("trained") or TRAINED

    @property
    def as_trained(self) -> Self:
        """The same encoding in training, unscaled."""
        unscaled = {"factor": 1} if "factor" in self.values else {}
        return self.at(seq_len=self.training_length, **unscaled)

    def rotate(self, x: Array, positions) -> Array:
        """Return x, (n, d), with each pair (a, b) rotated: (a + ib)·e^{i·position·θ}."""
        dims = x.shape[-1]
        pairs = len(self.frequencies)
        if 2 * pairs > dims:
            rule = f"frequencies can have at most {dims // 2} entries with head_dim {dims}"
            raise ValueError(f"{rule}, got {pairs}")
        a, b = self.pair_dims(np.arange(pairs))
        turn = self.attention_factor * freqs_cis(positions, 2 * pairs, inv_freq=self.frequencies)
        turned = (x[..., a] + 1j * x[..., b]) * turn
        out = np.array(x, dtype=float)
        out[..., a], out[..., b] = turned.real, turned.imag
        return out

    def queries_and_keys(self, positions) -> QK:
        positions = validate.positions(positions)
        queries, keys = self.content_at(positions)
        return self.rotate(queries, positions), self.rotate(keys, positions)

    def relate(self, q: Array, k: Array) -> dict:
        queries = self.rotate(q, np.arange(len(q)))
        keys = self.rotate(k, np.arange(len(k)))
        return {"q": queries, "k": keys}

    def shift(self, offset: float) -> Array:
        """Return the matrix that moves a vector by an offset, shape (d, d)."""
        dims = self.head_dim
        rows = self.rotate(np.eye(dims), np.full(dims, offset))
        return rows.T / self.attention_factor + 0.0  # a zero that is not −0


class Relative(InAttention):
    """Scores in place of q·k.

    Define scores(q, k), (n, d) → (n, n).

    >>> class Sooner(Relative):
    ...     def scores(self, q, k):
    ...         return q @ k.T / (1 + np.abs(relative_offsets(len(q))))
    >>> Sooner(seq_len=3, head_dim=6).dot_product(0)
    array([6., 3., 2.])
    """

    kind = "relative"
    width = "head_dim"
    scores_are = "scores"
    parameters = Rotary.parameters
    views = ("similarity", "score_by_offset")

    def relate(self, q: Array, k: Array) -> dict:
        scores = self.scores(q, k)
        return {"scores": validate.made(self, "scores", scores, len(q), len(k))}


class Bias(InAttention):
    """A number added to each score.

    Define biases(offsets), (n,) → (heads, n). An offset is key − query.
    For your own sliders, see `Additive`.

    >>> class Root(Bias):
    ...     def biases(self, offsets):
    ...         return np.outer([1, 0.5], -np.sqrt(np.abs(offsets)))
    >>> Root(seq_len=3, head=1).dot_product(2).round(2)
    array([-0.71, -0.5 , -0.  ])
    """

    kind = "bias"
    scores_are = "biases"
    parameters: Parameters = (seq_len_of(64), head_of(high=31))
    views = ("head_biases", "attention_row")

    @property
    def highest(self) -> dict:
        if "num_heads" in self.values:
            return {"head": self.num_heads - 1}
        return {"head": len(self.biases(np.zeros(1, int))) - 1}

    def relate(self, q: Array, k: Array) -> dict:
        reach = max(len(q), len(k)) - 1
        offsets = np.arange(-reach, reach + 1)
        biases = self.biases(offsets)
        biases = validate.made(self, "biases", biases, None, len(offsets))
        head = validate.integer("head", self.head, low=0, high=len(biases) - 1)
        return {"bias": biases[head][reach + relative_offsets(len(q), len(k))]}

    def query_and_key(self) -> Array:
        return np.zeros((2, self.num_dims))  # biases don't depend on q and k
