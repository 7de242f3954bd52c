"""A model's own queries and keys, from one head, instead of toy ones."""

import numpy as np

from posenc_lib.encodings import own, validate
from posenc_lib.encodings.base import Encoding


def given_queries_keys(encodings: list[Encoding], q=None, k=None, tokens=()) -> list[Encoding]:
    """Return the encodings with these queries and keys; see `explore`."""
    if q is None or k is None:
        raise TypeError("q and k must be passed together")
    q, k = _of_one_head("q", q), _of_one_head("k", k)
    if q.shape != k.shape:
        rule = "q and k must have the same shape, (seq_len, head_dim)"
        raise ValueError(f"{rule}, got {q.shape} and {k.shape}")
    tokens = _words(tokens, len(q))
    names = {encoding.name for encoding in encodings}
    return [_with_queries(encoding, q, k, tokens, names) for encoding in encodings]


def _of_one_head(name: str, value) -> np.ndarray:
    whole = validate.as_array(name, validate.plain(value))
    array = validate.of_one(whole)
    if array.ndim > 2 and array.dtype.kind in "biuf":
        one = ", ".join("0" * (whole.ndim - 2))
        rule = f"{name} must come from one head, shape (seq_len, head_dim), got shape {whole.shape}"
        raise ValueError(f"{rule}. Pick one: {name}[{one}] if heads come before positions")
    return validate.finite_table(name, array)


def _words(tokens, number: int) -> tuple[str, ...]:
    listed = isinstance(tokens, (list, tuple, np.ndarray)) and len(tokens) in (0, number)
    words = tuple(tokens) if listed else (None,)
    if not all(isinstance(word, str) for word in words):
        rule = f"tokens must be a list with one word for each of the {number} rows of q"
        raise ValueError(f"{rule}, got {validate.show(tokens)}")
    for word in words:
        validate.writable("tokens", word)
    return words


def _with_queries(encoding: Encoding, q, k, tokens: tuple, names: set) -> Encoding:
    if "content" not in encoding.values:
        rule = "q and k must be for rotary or relative encodings"
        raise ValueError(f"{rule}, got {encoding.name} with them")
    values = {"content": encoding.defaults["content"]}
    values["seq_len"] = min(len(q), own.SHOWN)
    if "head_dim" in encoding.values:
        values["head_dim"] = q.shape[1]
    elif q.shape[1] != encoding.num_dims:
        rule = f"q must have the {encoding.num_dims} dims of {encoding.name}'s heads"
        raise ValueError(f"{rule}, got shape {q.shape}")
    parameters = {p.name: p for p in encoding.parameters}
    parameters["seq_len"] = own.seq_len_until(q)
    about = {"parameters": tuple(parameters.values()), "tokens": tokens}
    about["no_slider"] = (*encoding.no_slider, "head_dim", "content", "draw")
    name = own.free_name(encoding.name, names)
    return encoding.at(**values).with_queries(q, k, name, **about)
