"""Positional encodings as PyTorch modules, an extra: pip install -e ".[torch]".

Nothing else in the library imports this file. Tables come from the NumPy functions, computed in
float64 and rounded once.
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.sinusoidal import sinusoidal


class PositionalEncoding(nn.Module):
    """Add a sinusoidal table of max_len rows to token vectors, then apply dropout.

    The table is a buffer: it's saved and moved with the model, and optimizers don't see it.

    Source: Vaswani et al. 2017, sections 3.5 and 5.4.
    """

    table: Tensor

    def __init__(
        self, d_model: int, *, max_len: int = 4096, base: float = 10_000.0, dropout: float = 0.1
    ) -> None:
        super().__init__()
        max_len = validate.integer("max_len", max_len)
        table = sinusoidal(max_len, d_model, base=base, dtype=np.float32)
        self.register_buffer("table", torch.from_numpy(table))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, *, position_ids: Tensor | None = None) -> Tensor:
        """Return x, of shape (..., seq_len, d_model), plus the rows of its positions.

        Args:
            x: token vectors.
            position_ids: shape (seq_len,) or (..., seq_len); None means 0 … seq_len − 1.
        """
        if x.ndim < 2 or x.shape[-1] != self.table.shape[-1]:
            raise ValueError(
                f"x must have shape (..., seq_len, {self.table.shape[-1]}), got {tuple(x.shape)}"
            )
        rows = self.table[_positions(x, position_ids, len(self.table))]
        return self.dropout(x + rows.to(x.dtype))


def precompute_freqs_cis(
    dim: int, end: int, theta: float = 10_000.0, *, inv_freq: npt.ArrayLike | None = None
) -> Tensor:
    """Return e^{itθ} for the positions 0 … end − 1, complex64, of shape (end, dim / 2).

    Compute it once for all layers. The name and the arguments come from meta-llama/llama,
    llama/model.py, whose angles are float32; these are rounded once. theta is the base. inv_freq,
    shape (dim / 2,), replaces base^(−2i/dim), for example with `rope_scaling` for Llama 3.1.
    """
    end, theta = validate.integer("end", end), validate.real("theta", theta, above=0)
    return torch.from_numpy(freqs_cis(end, dim, theta, inv_freq=inv_freq).astype(np.complex64))


def apply_rotary_emb(xq: Tensor, xk: Tensor, freqs_cis: Tensor) -> tuple[Tensor, Tensor]:
    """Return queries and keys with interleaved pairs rotated, in float32 as in Meta's Llama.

    Args:
        xq: shape (batch, seq_len, heads, head_dim), with the sequence before the heads.
        xk: the same, possibly with fewer heads (grouped-query attention).
        freqs_cis: the rows for these positions, shape (seq_len, head_dim / 2), so slice the table
            first. If positions differ between sequences, `table[position_ids]`, shape (batch,
            seq_len, head_dim / 2).
    """
    return _turned("xq", xq, freqs_cis), _turned("xk", xk, freqs_cis)


def _turned(name: str, x: Tensor, freqs_cis: Tensor) -> Tensor:
    if x.ndim != 4 or x.shape[-1] % 2:
        rule = f"{name} must have shape (batch, seq_len, heads, head_dim), head_dim even"
        raise ValueError(f"{rule}, got {(*x.shape,)}")
    if not freqs_cis.is_complex():
        raise TypeError(f"freqs_cis must be complex, got {freqs_cis.dtype}")
    wanted = (x.shape[1], x.shape[-1] // 2)
    if (*freqs_cis.shape,) not in (wanted, (len(x), *wanted)):
        rule = f"(seq_len, head_dim / 2), here {wanted}, or one such table per sequence"
        advice = "Take the rows of the current positions: freqs_cis[start : start + seq_len]"
        raise ValueError(f"freqs_cis must have shape {rule}, got {(*freqs_cis.shape,)}. {advice}")
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * freqs_cis.unsqueeze(-2)).flatten(-2).to(x.dtype)


def _positions(x: Tensor, position_ids: Tensor | None, max_len: int, *, start: int = 0) -> Tensor:
    """Return the positions of x's tokens, (..., seq_len, dims): (seq_len,) or (..., seq_len)."""
    *lead, seq_len, _ = x.shape
    if position_ids is None:
        t = torch.arange(start, start + seq_len)
    else:
        t = torch.as_tensor(position_ids)
    if t.dtype == torch.bool or t.is_floating_point() or t.is_complex():
        raise TypeError(f"position_ids must be integers, got {t.dtype}")
    if (*t.shape,) not in ((seq_len,), (*lead, seq_len)):
        raise ValueError(
            f"position_ids must have shape {(seq_len,)} or {(*lead, seq_len)}, got {(*t.shape,)}"
        )
    if t.numel() and (t.min() < 0 or t.max() >= max_len):
        raise ValueError(
            f"positions must be 0 … max_len - 1 = {max_len - 1}, got {t.min()} … {t.max()}"
        )
    return t


class CausalSelfAttention(nn.Module):
    """Self-attention with RoPE and a cache.

    max_len is the longest sequence, including the cache.

    Source: Vaswani et al. 2017, section 3.2; Su et al. 2021, section 3.2.
    """

    def __init__(
        self, d_model: int, num_heads: int, *, max_len: int = 4096, base: float = 10_000.0
    ) -> None:
        super().__init__()
        d_model = validate.integer("d_model", d_model)
        self.num_heads = validate.integer("num_heads", num_heads)
        if d_model % (2 * num_heads):
            raise ValueError(
                f"d_model must be a multiple of 2·num_heads = {2 * num_heads}, got {d_model}"
            )
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)
        # not a buffer: model.to(torch.bfloat16) would round it and ruin the angles
        self.freqs_cis = precompute_freqs_cis(d_model // num_heads, max_len, base)

    def forward(
        self,
        x: Tensor,
        cache: tuple[Tensor, Tensor] | None = None,
        *,
        position_ids: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the output for each token, and the cache (keys, values) for the next call.

        Args:
            x: the new tokens, shape (batch, seq_len, d_model).
            cache: the cache from the previous call, or None at the start of a sequence.
            position_ids: shape (seq_len,) or (batch, seq_len); None continues from the cache.
            mask: True where a key may be seen, False for padding, shape (batch, k_len) or (batch,
                seq_len, k_len), where k_len includes the cache. A query without keys gets zeros.
        """
        if x.ndim != 3 or x.shape[-1] != self.qkv.in_features:
            raise ValueError(
                f"x must have shape (batch, seq_len, {self.qkv.in_features}), got {(*x.shape,)}"
            )
        batch, seq_len, d_model = x.shape
        before = 0 if cache is None else cache[0].shape[-2]
        t = _positions(x, position_ids, len(self.freqs_cis), start=before)
        self.freqs_cis = self.freqs_cis.to(x.device)
        q, k, v = self.qkv(x).view(batch, seq_len, 3, self.num_heads, -1).unbind(2)
        q, k, v = (y.transpose(1, 2) for y in (*apply_rotary_emb(q, k, self.freqs_cis[t]), v))
        if cache is not None:
            k, v = (torch.cat(pair, dim=-2) for pair in zip(cache, (k, v), strict=True))
        seen = torch.ones(seq_len, before + seq_len, dtype=torch.bool, device=x.device).tril(before)
        if mask is not None:
            seen = seen & _checked_mask(mask, batch, *seen.shape)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        return self.out(mixed.transpose(1, 2).reshape(batch, seq_len, d_model)), (k, v)


def _checked_mask(mask: Tensor, batch: int, q_len: int, k_len: int) -> Tensor:
    """Return a mask with an axis for the heads."""
    if mask.dtype != torch.bool:
        raise TypeError(f"mask must be boolean, True where a key may be seen, got {mask.dtype}")
    if (*mask.shape,) not in ((batch, k_len), (batch, q_len, k_len)):
        rule = f"mask must have shape {(batch, k_len)} or {(batch, q_len, k_len)}"
        raise ValueError(f"{rule}, got {(*mask.shape,)}")
    return mask[:, None] if mask.ndim == 3 else mask[:, None, None]
