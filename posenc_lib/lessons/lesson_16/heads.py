"""What's stored of a real model: queries and keys of six heads before RoPE, and what it said."""

import io
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.made import Made
from posenc_lib.encodings.parameter import seq_len_of
from posenc_lib.encodings.rope import Rope
from posenc_lib.files import stored, stored_data

FILE = Path(__file__).with_name("real_heads.npz")
SAID = Path(__file__).with_name("real_model.json")
# the model's; pairs are interleaved in its file
BASE, TRAINED = 100_000.0, 8192
PART = 2048  # tokens of a long text that share a perplexity
HEADS = {  # name: what the head attends to, its layer, and its number there
    "previous_head": ("the token before", 16, 0),
    "own_head": ("the token itself", 11, 6),
    "back_head": ("3 and 4 tokens back", 11, 2),
    "same_head": ("the same word", 8, 0),
    "follower_head": ("what followed before", 17, 5),
    "sink_head": ("the first token", 18, 8),
}


class RealHead(NamedTuple):
    """What one head made of a text.

    Attributes:
        looks_for, layer, head: what it mostly attends to, and which head it is.
        q, k: queries and keys before RoPE, float64 of shape (35, 64).
        tokens: the text, as the model reads it.
    """

    looks_for: str
    layer: int
    head: int
    q: np.ndarray
    k: np.ndarray
    tokens: tuple[str, ...]


@cache
def real_heads() -> dict[str, RealHead]:
    """Return six heads of SmolLM2-135M-Instruct by name.

    To open one: explore("rope", q=head.q, k=head.k, tokens=head.tokens, base=100_000). They were
    computed from 4-bit weights and rounded to float16. The text has no start token.

    >>> head = real_heads()["previous_head"]
    >>> head.looks_for, head.q.shape, head.tokens[:3]
    ('the token before', (35, 64), ('The', ' old', ' dog'))

    Source: measured here; the model is by Hugging Face (Allal et al. 2025, "SmolLM2"), under
        Apache-2.0.
    """
    with stored(FILE) as data:
        file = np.load(io.BytesIO(data), allow_pickle=False)  # noqa: TID251  (nothing in it is run)
        tokens = tuple(file["tokens"].tolist())
        shape = (2, len(tokens), -1)
        both = {name: file[name].astype(np.float64).reshape(shape) for name in HEADS}
    return {name: RealHead(*about, *both[name], tokens) for name, about in HEADS.items()}


@cache
def kept() -> dict[str, Any]:
    """Return the texts by name, and what the model said, by text and setting."""
    return stored_data(SAID, model=object, texts=dict, said=dict)


def _under_rope(name: str) -> Encoding:
    """Return a head as an encoding, with its model's RoPE."""
    head = real_heads()[name]
    rope = Rope(base=BASE, trained=TRAINED, seq_len=len(head.q))
    look = {
        "title": f"Real head ({head.layer}, {head.head}): {head.looks_for}",
        "parameters": (seq_len_of(len(head.q), high=len(head.q)), *rope.parameters[1:]),
        "no_slider": ("head_dim", "content", "draw", "trained"),
        "views": ("attention_map", "score_by_offset"),
        "tokens": head.tokens,
    }
    return rope.with_queries(head.q, head.k, name, **look)


REAL_HEADS = Made(lambda: HEADS, _under_rope)
