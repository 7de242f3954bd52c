"""How `diagnose` gets a text, a bias or an image out of an encoding."""

import inspect
from collections.abc import Callable
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Additive, Bias, Encoding, Relative, Vectors
from posenc_lib.encodings.own import opened

SHORT = 48  # positions in a short text
WORDS = {  # names of a function's first argument, by kind
    "additive": (),
    "rotary": ("x", "q", "xq", "query", "queries", "hidden", "hidden_states"),
    "bias": ("q_len", "query_length", "n_queries"),
    "plane": ("height", "h", "rows"),
}
FORMS = (
    "f(positions, d_model), f(x, positions), f(q, k, positions), "
    "f(q, k), f(q_len, k_len), f(height, width, d_model) or f(x, height, width). "
    "If your arguments have other names, pass kind='additive', 'rotary', 'bias' or 'plane'"
)
POSITIONS = "positions", "position_ids", "pos"  # names they have if they're optional
HOLDS, FAILS, OPEN = "holds", "FAILS", "–"  # open: doesn't apply, or was never promised
Told = tuple[str, str, str]  # verdict, what was seen, likely cause
SAME = 1.5e-2  # relative tolerance: more than bfloat16 loses, less than a bug changes


def close(one: np.ndarray, other: np.ndarray, within: float = SAME) -> bool:
    """Return whether two arrays agree, relative to the largest number. NaN equals NaN."""
    largest = np.nanmax(np.abs(other), initial=0)
    return np.allclose(one, other, rtol=0, atol=within * largest, equal_nan=True)


def runs(numbers: np.ndarray) -> str:
    """Return ascending integers as text, like 0 to 7 and 32 to 39."""
    parts = np.split(numbers, np.flatnonzero(np.diff(numbers) != 1) + 1)
    ends = [f"{part[0]} to {part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts]
    return listed(ends)


def listed(things: list) -> str:
    """Return things as text, like 1, 2 and 3. A long list loses its middle."""
    words = [str(thing) for thing in things]
    return validate.listed(words if len(words) < 7 else [*words[:4], "…", words[-1]])


def reorders(matrix: np.ndarray) -> bool:
    """Return whether a matrix only changes the order of dims, their lengths and signs."""
    return bool(((np.abs(matrix) > SAME).sum(axis=1) == 1).all())


def are_waves(row: np.ndarray) -> bool:
    """Return whether position 0's row has as many sines as cosines, and nothing else."""
    zeros, ones = (np.abs(row - value) < 1e-6 for value in (0, 1))
    return bool((zeros | ones).all() and zeros.sum() == ones.sum())


class Tokens:
    """The vectors of a text.

    read(q, k, positions) puts a query and a key at several positions in one pass, each (n, d).

    Attributes:
        text: the vectors at the `short` positions. alone(at) returns those of a single token.
        end: number of positions, if known.
        grown: the vectors of a text decoded token by token, if that makes a difference.
        mixes: whether a token's vectors depend on the other tokens.
        promised: whether scores should depend only on the offset. True for rotations, and for
            sines with as many cosines.
    """

    mixes, grown, end = False, None, None

    def __init__(self, kind: str, title: str, dims: int, read: Callable, short: int = SHORT):
        self.kind, self.title, self.dims, self.read = kind, title, dims, read
        self.q, self.k = np.random.default_rng(0).normal(size=(2, dims))
        self.short, self.vectors = np.arange(short), partial(read, self.q, self.k)
        self.alone = lambda at: self.vectors(np.array([at]))
        self.text = self.vectors(self.short)
        self.promised = kind == "rotary" or are_waves(self.alone(0)[0][0])

    def maps(self, at: int) -> np.ndarray:
        """Return the matrices R of x @ R, shape (2, 2, d, d).

        The first axis is query or key, the second position 0 or `at`.
        """
        return np.moveaxis([self.read(e, e, np.array([0, at])) for e in np.eye(self.dims)], 0, 2)

    @cached_property
    def at_0(self) -> np.ndarray:
        """The matrices of x @ at_0 at position 0, (2, d, d), for queries and keys.

        Their overall lengths are left out.
        """
        begins = self.maps(1)[:, 0]
        lengths = np.linalg.norm(begins, axis=(1, 2), keepdims=True) / np.sqrt(self.dims)
        return begins / np.maximum(lengths, 1e-300)

    @cached_property
    def undo(self) -> np.ndarray:
        """The matrix that undoes `at_0` of a query, except for dims that are lost there."""
        return np.linalg.pinv(self.at_0[0], rcond=1e-6)

    def step(self, at: int = 1) -> np.ndarray:
        """Return the matrix that rotates a query from where position 0 has it to another."""
        return self.undo @ self.maps(at)[0, 1]

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The first and the second dims of the pairs that rotate."""
        turn, still = np.abs(self.step(SHORT)), self.undo @ self.at_0[0]
        np.fill_diagonal(still, 1e-31)
        np.fill_diagonal(turn, 10 * np.abs(still).max())  # smaller ones don't count
        partner, dims = turn.argmax(axis=1), np.arange(self.dims)
        return dims[partner > dims], partner[partner > dims]

    def strays(self, matrix: np.ndarray) -> bool:
        """Return whether a matrix, (d, d), takes dims to other pairs."""
        pair, (first, second) = np.arange(self.dims), self.pairs
        pair[second] = first
        return bool((np.abs(matrix) > SAME)[pair[:, None] != pair].any())

    @property
    def moves(self) -> bool:
        """Whether position 0 takes a query's dims to other pairs."""
        return self.strays(self.at_0[0])

    @property
    def pairing(self) -> str:
        """How dims are paired, judging by how far apart partners are."""
        apart = set(np.subtract(*self.pairs))
        return "interleaved" if apart == {-1} else "half" if len(apart) == 1 else "other"

    @property
    def turning(self) -> str:
        """How many dims rotate, and which with which unless all of them do."""
        first, second = self.pairs
        told = f"{2 * len(first)} of {self.dims} dims rotate"
        apart = sorted(set(second - first))
        half = 2 * len(first) == self.dims and apart == [self.dims // 2]
        if half or (self.pairing == "interleaved" and 2 * len(first) == self.dims):
            return f"{told}, {self.pairing} pairing"
        if not apart:
            return told
        which = runs(np.sort(np.concatenate(self.pairs)))
        if " and " in which and len(apart) == 1 and apart != [1]:
            which = f"{runs(first)} with {runs(second)}"
        told += f": dims {which}, partners {listed(apart)} apart"
        return f"{told}, interleaved pairing" if apart == [1] else told


class Grid(NamedTuple):
    """What depends on two lengths: a bias (NaN where masked) or an image's queries and keys."""

    kind: str
    title: str
    of: Callable


def probe(mine: object, kind: str | None, dims: int | None, heads: int | None) -> Tokens | Grid:
    """Return what reads `mine`. Errors name the argument and the rule."""
    if kind is not None:
        validate.choice("kind", kind, tuple(WORDS))
    dims = None if dims is None else validate.integer("dims", dims, low=2, even=True)
    heads = None if heads is None else validate.integer("heads", heads)
    validate.fit_memory(SHORT * (dims or 64) * (heads or 1), dims=dims or 64, heads=heads or 1)
    of_ours = isinstance(mine, Encoding) or (isinstance(mine, type) and issubclass(mine, Encoding))
    if isinstance(mine, type) and not of_ours:
        raise TypeError(
            f"mine must be an object or a function, not the class {mine.__name__}. "
            f"Pass {mine.__name__}(…)"
        )
    if not callable(mine) or of_ours or hasattr(mine, "__array__"):
        return _of_encoding(mine, dims)
    arguments = inspect.signature(mine).parameters.values()
    needed = [p for p in arguments if p.default is p.empty]
    names = [p.name for p in needed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    kind = kind or _kind_of(names)
    title, dims = getattr(mine, "__name__", "mine"), dims or 64
    if kind == "additive":
        try:
            made = _of_encoding(mine, dims)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{error}. diagnose takes {FORMS}") from error
        made.title = title
        return made
    if len(names) > 3:
        raise ValueError(f"mine must be {FORMS}. Yours is f({', '.join(names)})")
    if kind == "bias":
        return Grid(
            "bias", title, lambda q_len, k_len: _biases(title, mine(q_len, k_len), q_len, k_len)
        )
    if kind == "plane":
        return Grid("additive", title, lambda h, w: 2 * (_rows(title, mine(h, w, dims), h * w),))
    if names[2:] and names[1] in WORDS["plane"]:
        x = np.random.default_rng(0).normal(size=(2, dims))

        def turned(vector, h, w):
            return _rows(title, mine(np.tile(vector, (h * w, 1)), h, w), h * w)

        return Grid("rotary", title, lambda h, w: (turned(x[0], h, w), turned(x[1], h, w)))
    if len(names) == 1 or names[1] not in ("k", "xk", "key", "keys"):
        return _of_turns(lambda q, k, at: (mine(q, at), mine(k, at)), title, dims, heads)
    at_name = next((p.name for p in arguments if p.name in POSITIONS), "")
    if len(names) == 2 and at_name:
        return _of_turns(lambda q, k, at: mine(q, k, **{at_name: at}), title, dims, heads)
    return _of_pair(mine, title, dims) if len(names) == 2 else _of_turns(mine, title, dims, heads)


def _kind_of(names: list[str]) -> str:
    """Return which kind of encoding a function is, going by its argument names."""
    for kind, words in WORDS.items():
        if names and names[0] in words and (kind != "plane" or names[2:]):
            return kind
    return "additive"


def _of_pair(mine: Callable, title: str, dims: int) -> Tokens:
    """Return the probe of f(q, k), which gets no positions. Queries come last, as with a cache."""

    def read(q, k, at, first=0):
        queries, keys = at.max() + 1 - first, at.max() + 1
        turned = mine(np.tile(q, (queries, 1)), np.tile(k, (keys, 1)))
        return _rows(title, turned[0], queries)[at - first], _rows(title, turned[1], keys)[at]

    made = Tokens("rotary", title, dims, read)
    made.alone = lambda at: read(made.q, made.k, np.array([at]), first=at)
    return made


def _of_turns(mine: Callable, title: str, dims: int, heads: int | None) -> Tokens:
    """Return the probe of f(q, k, positions)."""
    shape = () if heads is None else (heads,)

    def read(q, k, at):
        rows = [np.broadcast_to(x, (*shape, len(at), dims)).copy() for x in (q, k)]
        turned = mine(*rows, at)
        if np.shape(turned[0]) != rows[0].shape:
            raise ValueError(
                f"it returned shape {np.shape(turned[0])} for x of shape {rows[0].shape}"
            )
        return tuple(_rows(title, x, len(at)) for x in turned)

    # a different vector at position 1 should change only that row
    other = (np.arange(SHORT) == 1)[:, None]
    try:
        made = Tokens("rotary", title, dims, read)
        queries = read(made.q + other, made.k, made.short)[0]
        keys = read(made.q, made.k + other, made.short)[1]
    except Exception as error:
        axes = "n" if heads is None else "heads, n"
        rule = f"take x of shape ({axes}, {dims}) and positions of shape (n,), and return x rotated"
        torch = ""
        if "numpy" in str(error):
            torch = "; PyTorch needs torch.as_tensor(x) and torch.as_tensor(positions)"
        raise ValueError(
            f"mine must {rule}. It fails with {type(error).__name__}: {error}{torch}"
        ) from error
    both = zip((queries, keys), made.text, strict=True)
    moved = [~np.isclose(now, before, atol=1e-4).all(axis=1) for now, before in both]
    if not (moved[0][1] and moved[1][1]):
        raise ValueError(
            "mine must return q and k rotated, each from its own argument, "
            "but changing that argument changes nothing"
        )
    made.mixes = bool((moved[0] > other[:, 0]).any())
    return made


def _of_encoding(mine: object, dims: int | None) -> Tokens | Grid:
    """Return the probe of a library encoding, a table, or anything else `explore` takes."""
    (one,) = opened([mine], called="mine")
    wanted = {"start_pos": 0, one.width: dims or one.num_dims}
    one = one.at(**{name: value for name, value in wanted.items() if name in one.values})
    if "columns" in one.values and one.has("queries_keys"):
        return Grid(one.kind, one.title, lambda h, w: one.at(seq_len=h * w, columns=w).queries_keys)
    if isinstance(one, Additive):
        short = one.at(seq_len=SHORT).max_positions
        made = Tokens(
            "additive", one.title, one.num_dims, lambda q, k, at: one.queries_and_keys(at), short
        )
        made.end = one.highest.get("seq_len")
        return made
    if isinstance(one, (Bias, Relative)):
        heads = [one]
        if "head" in one.values:
            heads = [one.at(head=k) for k in range(one.highest["head"] + 1)]

        def related(q_len, k_len) -> np.ndarray:
            q, k = (np.ones((n, one.num_dims)) for n in (q_len, k_len))
            return np.stack([next(iter(head.relate(q, k).values())) for head in heads])

        return Grid(one.kind, one.title, related)
    if not (isinstance(one, Vectors) and one.has("query_and_key")):
        raise ValueError(f"mine must say what happens to queries and keys, but {one.name} doesn't")

    def given(q, k, **values) -> Vectors:
        return one.at(**values).with_content(q, k)

    def read(q, k, at) -> tuple:
        return given(q, k).queries_and_keys(at)

    def grown(at) -> tuple:
        text = given(made.q, made.k, start_pos=int(at[0]), seq_len=len(at))
        return text.queries_keys

    made = Tokens("rotary", one.title, one.num_dims, read)
    if "start_pos" in one.values:
        made.grown = grown
    return made


def _rows(title: str, value: object, n: int) -> np.ndarray:
    """Return n rows, shape (n, d). With several heads, take the last one."""
    given = validate.array(f"what {title} returns", validate.plain(value), min_ndim=2)
    rows = given.astype(np.float64)
    return rows.reshape(-1, n, rows.shape[-1])[-1]


def _biases(title: str, value: object, q_len: int, k_len: int) -> np.ndarray:
    """Return biases, shape (heads, q_len, k_len), with NaN where masked."""
    given = validate.array(f"what {title} returns", validate.plain(value), min_ndim=2, mask=True)
    made = given.astype(np.float64)
    try:
        made = np.broadcast_to(made, (*made.shape[:-2], q_len, k_len)).reshape(-1, q_len, k_len)
    except ValueError as error:
        raise ValueError(
            f"mine must return an array of shape (heads, {q_len}, {k_len}), got {made.shape}"
        ) from error
    return np.where(made < -1e29, np.nan, made)
