"""Positional encodings as PyTorch modules; an extra: pip install -e ".[torch]".

Nothing else in the library imports this file. Tables come from the NumPy functions: computed in float64, rounded once.
"""

import math

import numpy as np
import torch
from torch import nn

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.sinusoidal import sinusoidal


class PositionalEncoding(nn.Module):
    """Add the sinusoidal table to word vectors, then drop out.

    The table is a buffer: it is saved with the model and moves with it, and no optimizer sees it.

    Args:
        d_model: dims of a word vector, even, at least 2.
        max_len: rows of the table.
        base: greater than 0.
        dropout: probability, 0 … 1.

    Source: Vaswani et al. 2017, sections 3.5 and 5.4.
    """

    def __init__(self, d_model: int, *, max_len: int = 4096, base: float = 10_000.0, dropout: float = 0.1):
        super().__init__()
        table = sinusoidal(validate.integer("max_len", max_len), d_model, base=base, dtype=np.float32)
        self.register_buffer("table", torch.from_numpy(table))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, start: int = 0) -> torch.Tensor:
        """Return x, of shape (..., seq_len, d_model), plus the rows of its positions, the first of which is `start`.

        Raises:
            ValueError: the text is longer than the table.
        """
        return self.dropout(x + _rows(self.table, start, x.shape[-2]).to(x.dtype))


def precompute_freqs_cis(head_dim: int, max_len: int, *, base: float = 10_000.0) -> torch.Tensor:
    """Return e^{itθ} for the positions 0 … max_len − 1, made once for all heads and layers.

    Args:
        head_dim: dims of a head, even, at least 2.
        max_len: number of positions.
        base: greater than 0.

    Returns:
        complex64 tensor of shape (max_len, head_dim / 2); angles in float64, rounded once.

    Source: Su et al. 2021, "RoFormer", eq. 12; the name is that of Meta's Llama code.
    """
    return torch.from_numpy(freqs_cis(validate.integer("max_len", max_len), head_dim, base).astype(np.complex64))


def apply_rotary_emb(q: torch.Tensor, k: torch.Tensor, freqs_cis: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return q and k with interleaved pairs of dims turned, as one multiplication of complex numbers.

    Args:
        q: shape (..., seq_len, head_dim).
        k: the same; its leading axes may be others (grouped-query attention).
        freqs_cis: the rows of these very positions, shape (seq_len, head_dim / 2): slice the table first.

    Returns:
        tensors of the shapes and dtypes of q and k, computed in float32.

    Raises:
        ValueError: freqs_cis has another number of rows or of pairs.

    Source: Su et al. 2021, "RoFormer", eq. 12.
    """
    return _turned(q, freqs_cis), _turned(k, freqs_cis)


def _turned(x: torch.Tensor, freqs_cis: torch.Tensor) -> torch.Tensor:
    wanted = (x.shape[-2], x.shape[-1] // 2)
    if tuple(freqs_cis.shape) != wanted or x.shape[-1] % 2:
        raise ValueError(
            f"freqs_cis must have shape (seq_len, head_dim / 2), here {wanted}, got {tuple(freqs_cis.shape)}; "
            f"take the rows of the positions at hand: freqs_cis[start : start + seq_len]"
        )
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * freqs_cis).flatten(-2).to(x.dtype)


def _rows(table: torch.Tensor, start: int, seq_len: int) -> torch.Tensor:
    start = validate.integer("start", start, low=0)
    if start + seq_len > len(table):
        raise ValueError(f"max_len must be at least {start + seq_len} for this text, got {len(table)}")
    return table[start : start + seq_len]


class CausalSelfAttention(nn.Module):
    """Self-attention whose queries and keys RoPE turns, with a cache for words that were there before.

    Args:
        d_model: dims of a word vector.
        num_heads: heads that share them; d_model / num_heads must be even.
        max_len: the longest text, cache included.
        base: greater than 0.

    Source: Vaswani et al. 2017, section 3.2; Su et al. 2021, section 3.2.
    """

    def __init__(self, d_model: int, num_heads: int, *, max_len: int = 4096, base: float = 10_000.0):
        super().__init__()
        d_model, self.num_heads = validate.integer("d_model", d_model), validate.integer("num_heads", num_heads)
        if d_model % (2 * num_heads):
            raise ValueError(f"d_model must be a multiple of 2·num_heads = {2 * num_heads}, got {d_model}")
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model, bias=False), nn.Linear(d_model, d_model, bias=False)
        # no buffer: model.to(torch.bfloat16) would round it, and angles do not survive that
        self.freqs_cis = precompute_freqs_cis(d_model // num_heads, max_len, base=base)

    def forward(self, x: torch.Tensor, cache: tuple | None = None) -> tuple[torch.Tensor, tuple]:
        """Return what each word takes from those before it, and the cache for the next call.

        Args:
            x: the new words, shape (batch, seq_len, d_model).
            cache: what the call before returned, or None at the beginning of a text.

        Returns:
            (output of the shape of x, (keys, values) of all words so far, shapes (batch, heads, k_len, head_dim)).

        Raises:
            ValueError: the text is longer than max_len.
        """
        batch, seq_len, d_model = x.shape
        q, k, v = self.qkv(x).view(batch, seq_len, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        start = 0 if cache is None else cache[0].shape[-2]
        self.freqs_cis = self.freqs_cis.to(x.device)
        q, k = apply_rotary_emb(q, k, _rows(self.freqs_cis, start, seq_len))
        if cache is not None:
            k, v = (torch.cat([before, new], dim=-2) for before, new in zip(cache, (k, v), strict=True))
        seen = torch.ones(seq_len, start + seq_len, dtype=torch.bool, device=x.device).tril(start)
        scores = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(~seen, -torch.inf)
        mixed = torch.softmax(scores, dim=-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, seq_len, d_model)), (k, v)
