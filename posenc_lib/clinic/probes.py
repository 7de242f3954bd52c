"""How `diagnose` asks an encoding of any kind: at these positions, in a text, alone beside a cache, in a picture."""

import inspect
from collections.abc import Callable
from functools import cached_property

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Additive, Bias, Encoding, Relative, Vectors
from posenc_lib.encodings.own import opened

DIMS = 64  # of a head, where nobody says
KINDS = ("additive", "rotary", "bias", "plane")
WORDS = {  # by what a function calls its first argument
    **dict.fromkeys(("x", "q", "xq", "query", "queries", "hidden", "hidden_states"), "rotary"),
    **dict.fromkeys(("q_len", "query_length", "n_queries"), "bias"),
    **dict.fromkeys(("height", "h", "rows"), "plane"),
}
KEYS = ("k", "xk", "key", "keys")
SHORT = 48  # positions that are read at once
NONE, FAR = 1e-9, 257  # what is smaller is nothing, even at this position, where the slowest pairs have turned
MASKED, BLUR = -1e30, 1e-6  # −∞ that can be subtracted; what float32 leaves of 0
FORMS = (
    "f(positions, d_model), f(x, positions), f(q, k, positions), f(q, k), f(q_len, k_len), f(height, width, d_model)"
)
FORMS += " or f(x, height, width); with other names say kind='additive', 'rotary', 'bias' or 'plane'"


class Probe:
    """What is asked, whatever it is: a kind has some of these.

    Attributes: kind, dims; title, how words call it; short, the positions that are read at once; mixes, whether what
        becomes of a token depends on others; grown(at), where it differs: queries and keys of a text that has grown
        token by token.
    """

    kind = title = ""
    dims = DIMS
    planar = mixes = False
    grown: Callable | None = None
    short = np.arange(SHORT)

    def vectors(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what stands at positions that are read at once, as queries and as keys, each (n, d)."""
        raise NotImplementedError

    def alone(self, at: int) -> tuple[np.ndarray, np.ndarray]:
        """Return what stands at one position that comes alone, each (1, d)."""
        return self.vectors(np.array([at]))

    def scores(self, at: np.ndarray) -> np.ndarray:
        """Return the score of every one of these positions with every other, (n, n)."""
        queries, keys = self.vectors(at)
        return queries @ keys.T


class Rows(Probe):
    """An additive encoding."""

    kind = "additive"

    def __init__(self, one: Additive):
        self.one, self.dims, self.title = one, one.num_dims, one.title
        self.short = np.arange(one.at(seq_len=SHORT).max_positions)

    def vectors(self, at):
        rows = np.asarray(self.one.queries_and_keys(at)[0], np.float64)
        return rows, rows


class Turns(Probe):
    """A rotary encoding: `apply(q, k, at)` turns one query and one key, each (d,), at positions that come at once."""

    kind = "rotary"
    heads_alike = True  # whether a vector is turned alike in the first and the last head

    def __init__(self, title: str, dims: int, apply: Callable):
        self.title, self.dims, self.apply = title, dims, apply
        self.q, self.k = np.random.default_rng(0).normal(size=(2, dims))

    def vectors(self, at):
        return self.apply(self.q, self.k, at)

    def maps(self, at: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the matrices that a query and a key at a position are multiplied by, x @ R; each (d, d)."""
        rows = [self.apply(e, e, np.array([0, at])) for e in np.eye(self.dims)]
        return tuple(np.stack([row[side][1] for row in rows]) for side in (0, 1))

    @cached_property
    def turn(self) -> np.ndarray:
        """The matrix that turns a query from position 0 on to 1."""
        return self._on(1)

    def _on(self, at: int) -> np.ndarray:
        """Return what turns a query from position 0, where it may be turned or rearranged already, on to another."""
        begin, end = self.maps(0)[0], self.maps(at)[0]
        if np.array_equal(begin, np.diag(np.diag(begin))):
            return end
        further = end @ begin.T  # in the order in which dims come in
        return np.where(np.abs(further) < BLUR, 0, further)

    @cached_property
    def partners(self) -> np.ndarray:
        """The dim with which each one turns, −1 where it passes as it is; shape (d,)."""
        off = np.abs(self.turn) + np.abs(self._on(FAR))
        np.fill_diagonal(off, 0)
        return np.where(off.max(axis=1) > NONE, off.argmax(axis=1), -1)

    @cached_property
    def frequencies(self) -> np.ndarray:
        """Radians by which pairs turn from position 0 to 1, the first dim's first."""
        first = [i for i, j in enumerate(self.partners) if j > i]
        return np.array([np.arctan2(abs(self.turn[i, self.partners[i]]), self.turn[i, i]) for i in first])

    @property
    def pairing(self) -> str:
        dims, turning = np.arange(self.dims), np.flatnonzero(self.partners >= 0)
        if np.array_equal(self.partners[turning], turning ^ 1):
            return "interleaved"
        for half in (len(turning) // 2, self.dims // 2):  # of those that turn, or of all
            if np.array_equal(self.partners[turning], np.where(dims < half, dims + half, dims - half)[turning]):
                return "half"
        return "of another kind"


class Unplaced(Turns):
    """A function f(q, k) that is told no positions: queries are the last ones, as with a cache."""

    def __init__(self, title: str, dims: int, function: Callable):
        def apply(q, k, at):
            n = int(at.max()) + 1
            return tuple(_array(title, one)[at] for one in function(np.tile(q, (n, 1)), np.tile(k, (n, 1))))

        super().__init__(title, dims, apply)
        self.function = function

    def alone(self, at):
        query, keys = self.function(self.q[None], np.tile(self.k, (at + 1, 1)))
        return _array(self.title, query)[-1:], _array(self.title, keys)[-1:]


class Added(Probe):
    """A bias, or scores that depend on the offset: `matrix(q_len, k_len)` has shape (heads, q_len, k_len)."""

    def __init__(self, kind: str, title: str, matrix: Callable):
        self.kind, self.title, self.matrix = kind, title, matrix


class Patches(Probe):
    """An encoding of patches: `table(height, width)` returns queries and keys, row by row."""

    planar = True

    def __init__(self, kind: str, title: str, dims: int, table: Callable):
        self.kind, self.title, self.dims, self.table = kind, title, dims, table


def probe(mine, kind: str | None, dims: int | None, heads: int | None) -> Probe:
    """Return how to ask somebody's encoding; errors name the argument and the rule."""
    if kind is not None:
        validate.choice("kind", kind, KINDS)
    if isinstance(mine, type):
        raise TypeError(f"mine must be an object or a function, got the class {mine.__name__}: give {mine.__name__}(…)")
    function = callable(mine) and not isinstance(mine, (Encoding, type)) and not hasattr(mine, "__array__")
    names = _arguments(getattr(mine, "forward", mine)) if function else []  # a PyTorch module says there what it takes
    kind = kind or WORDS.get(names[0] if names else "", "additive")
    if not function or kind == "additive":
        try:
            (one,) = opened([mine])
            made = _of_object(one.at(**{one.width: dims}) if dims and one.width in one.values else one)
            if function:
                made.title = getattr(mine, "__name__", "mine")
                made.vectors(made.short)
        except (TypeError, ValueError) as error:
            if not function:
                raise
            raise type(error)(f"{error}; diagnose takes {FORMS}") from error
        return made
    if len(names) > 3:
        raise ValueError(f"mine must be {FORMS}, got f({', '.join(names)})")
    dims = dims or DIMS
    title = getattr(mine, "__name__", "mine")
    if kind == "bias":
        return Added("bias", title, lambda q_len, k_len: _heads(title, mine(q_len, k_len), q_len, k_len))
    if kind == "plane":
        return Patches("additive", title, dims, lambda h, w: (_rows(title, mine(h, w, dims), h, w),) * 2)
    if len(names) > 2 and WORDS.get(names[1]) == "plane":
        x = np.random.default_rng(0).normal(size=(2, 1, dims))
        turned = lambda h, w: tuple(_rows(title, mine(np.tile(one, (h * w, 1)), h, w), h, w) for one in x)  # noqa: E731
        return Patches("rotary", title, dims, turned)
    return _turning(mine, title, names, dims, heads)


def _arguments(function: Callable) -> list[str]:
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []  # of a function in C, say
    return [p.name for p in given if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _turning(mine: Callable, title: str, names: list[str], dims: int, heads: int | None) -> Turns:
    """Return the probe of f(x, positions), f(q, k, positions) or f(q, k)."""
    pair = names[1:2] and names[1] in KEYS
    if pair and len(names) == 2:
        return Unplaced(title, dims, mine)
    shape = _shape(mine, pair, dims) if heads is None else (validate.integer("heads", heads), -1, dims)

    def apply(q, k, at, head=-1):  # what the last head does, if nobody asks
        rows = [np.broadcast_to(x, (*shape[:-2], len(at), dims)).copy() for x in (q, k)]
        turned = mine(*rows, at) if pair else [mine(x, at) for x in rows]
        if pair and not (isinstance(turned, tuple | list) and len(turned) == 2):
            raise ValueError(f"mine must return queries and keys, both, got {type(turned).__name__}")
        for x in turned:
            if np.shape(x) != rows[0].shape:
                raise ValueError(f"mine must return x turned, of shape {rows[0].shape}, got {np.shape(x)}")
        return tuple(_array(title, x).reshape(-1, len(at), dims)[head] for x in turned)

    made = Turns(title, dims, apply)
    first, others = made.vectors(made.short), made.q + (np.arange(SHORT) == 0)[:, None]
    made.mixes = not np.allclose(apply(others, made.k, made.short)[0][1:], first[0][1:], atol=1e-4)
    moved = apply(made.q + 1, made.k, made.short)[0], apply(made.q, made.k + 1, made.short)[1]
    if any(map(np.allclose, first, moved)):
        raise ValueError("mine must return q and k turned, each from its own argument, but changing it changes nothing")
    made.heads_alike = np.allclose(apply(made.q, made.k, made.short, 0), apply(made.q, made.k, made.short), atol=1e-4)
    return made


def _shape(mine: Callable, pair: bool, dims: int) -> tuple[int, ...]:
    """Return the first shape that a function takes: (n, d), (heads, n, d) or (batch, heads, n, d)."""
    for shape in ((-1, dims), (2, -1, dims), (1, 2, -1, dims)):
        x, at = np.ones((*shape[:-2], 4, dims)), np.arange(4)
        try:
            made = mine(x, x, at)[0] if pair else mine(x, at)
        except Exception as error:
            failed = error
            continue
        if np.shape(made) == x.shape:
            return shape
        failed = ValueError(f"it returned shape {np.shape(made)} for x of shape {x.shape}")
    rule = f"take x of shape (n, {dims}) and positions of shape (n,), and return x turned"
    torch = "; PyTorch needs torch.as_tensor(x) and torch.as_tensor(positions)" * ("numpy" in str(failed))
    raise ValueError(f"mine must {rule}, got {type(failed).__name__}: {failed}{torch}") from failed


def _of_object(one: Encoding) -> Probe:
    one = one.at(start_pos=0) if "start_pos" in one.values else one
    if "columns" in one.values and one.has("queries_keys"):
        picture = lambda h, w: _in_64(one.at(seq_len=h * w, columns=w).queries_keys)  # noqa: E731
        return Patches(one.kind, one.title, one.num_dims, picture)
    if isinstance(one, Vectors) and one.kind == "rotary" and one.has("query_and_key"):

        def given(q, k, **values) -> Vectors:
            told = {"query_and_key": lambda self: np.stack([q, k])}
            return type(type(one).__name__, (type(one),), told)(**one.values | values)

        made = Turns(one.title, one.num_dims, lambda q, k, at: _in_64(given(q, k).queries_and_keys(at)))
        if "start_pos" in one.values:
            grown = lambda at: given(made.q, made.k, start_pos=int(at[0]), seq_len=len(at))  # noqa: E731
            made.grown = lambda at: _in_64(grown(at).queries_keys)
        return made
    if isinstance(one, Vectors) and isinstance(one, Additive):
        return Rows(one)
    if isinstance(one, (Bias, Relative)):

        def matrix(q_len, k_len):
            made = one.relate(np.ones((q_len, one.num_dims)), np.ones((k_len, one.num_dims)))
            return next(iter(made.values()))[None]

        return Added(one.kind, one.title, matrix)
    raise ValueError(f"mine must say what happens to queries and keys, which {one.name} does not")


def _in_64(pair) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.asarray(x, np.float64) for x in pair)


def _array(title: str, value) -> np.ndarray:
    made = validate.array(f"what {title} returns", validate.plain(value), min_ndim=2)
    return made.astype(np.float64)


def _rows(title: str, value, height: int, width: int) -> np.ndarray:
    """Return what belongs to each patch, row by row, of shape (height·width, d)."""
    made = _array(title, value)
    made = made.reshape(-1, made.shape[-1])
    if len(made) != height * width:
        rule = f"return a row for each of {height} × {width} patches, none for a class token"
        raise ValueError(f"mine must {rule}, got {len(made)} rows")
    return made


def _heads(title: str, value, q_len: int, k_len: int) -> np.ndarray:
    made = validate.array(f"what {title} returns", validate.plain(value), min_ndim=2, mask=True).astype(np.float64)
    if made.shape[-2:] != (q_len, k_len):
        made = np.broadcast_to(made, (*made.shape[:-2], q_len, k_len)) if 1 in made.shape[-2:] else made
    if made.shape[-2:] != (q_len, k_len):
        raise ValueError(f"mine must return an array of shape (heads, {q_len}, {k_len}), got {made.shape}")
    return np.maximum(made, MASKED).reshape(-1, q_len, k_len)
