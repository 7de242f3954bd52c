"""The PyTorch modules equal the NumPy functions; skipped without torch, but never in CI."""

import os

import numpy as np
import pytest

import posenc_lib as pe

if not os.environ.get("CI"):
    pytest.importorskip("torch", reason='PyTorch is not installed (pip install -e ".[torch]")')

import torch

from posenc_lib.pytorch import (
    CausalSelfAttention,
    PositionalEncoding,
    apply_rotary_emb,
    precompute_freqs_cis,
)


def tensor(array):
    return torch.from_numpy(np.asarray(array, np.float32))


def test_the_table_is_added_and_any_ids_give_their_rows(rng):
    module, x = PositionalEncoding(8, max_len=20).eval(), tensor(rng.normal(size=(2, 5, 8)))
    np.testing.assert_allclose(module(x) - x, np.tile(pe.sinusoidal(5, 8), (2, 1, 1)), atol=1e-6)
    zeros, rows = torch.zeros(2, 3, 8), module.table
    ids = torch.tensor([[0, 0, 1], [7, 3, 12]])
    assert torch.equal(module(zeros, position_ids=ids), rows[ids])
    assert torch.equal(module(zeros, position_ids=ids[1]), rows[ids[[1, 1]]])


def test_the_table_is_saved_and_cast_but_not_trained(tmp_path):
    module = PositionalEncoding(8, max_len=6, base=50.0)
    assert list(module.parameters()) == []
    torch.save(module.state_dict(), tmp_path / "model.pt")
    other = PositionalEncoding(8, max_len=6)  # another base until the state is loaded
    assert not torch.equal(other.table, module.table)
    other.load_state_dict(torch.load(tmp_path / "model.pt", weights_only=True))
    assert torch.equal(other.table, module.table)
    assert module.to(torch.bfloat16).table.dtype == torch.bfloat16


def test_turning_equals_rope_and_meta(golden):
    record = golden("rope_interleaved__meta_llama")
    q, k = (tensor(record["inputs"][name]) for name in ("q", "k"))
    freqs = precompute_freqs_cis(q.shape[-1], q.shape[1], 10000.0)
    for ours, name, x in zip(apply_rotary_emb(q, k, freqs), ("q", "k"), (q, k), strict=True):
        np.testing.assert_allclose(ours, record["values"][f"{name}_out"], rtol=1e-6, atol=1e-6)
        wanted = pe.rope(x.numpy().swapaxes(1, 2))
        np.testing.assert_allclose(ours.swapaxes(1, 2), wanted, rtol=1e-6, atol=1e-6)
    far = precompute_freqs_cis(8, 1_000_004)[1_000_003].numpy()
    np.testing.assert_allclose(far, pe.freqs_cis([1_000_003], 8)[0], rtol=0, atol=6e-8)
    linear = precompute_freqs_cis(8, 5, inv_freq=pe.inv_freq(8) / 2)
    np.testing.assert_allclose(linear, pe.freqs_cis(np.arange(5) / 2, 8), atol=1e-7)


def test_each_sequence_of_a_batch_may_have_positions_of_its_own(rng):
    q, k = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 2, 8)
    ids = torch.tensor([[0, 1, 0], [9, 4, 7]])
    table = precompute_freqs_cis(8, 10, 500.0)
    for x, turned in zip((q, k), apply_rotary_emb(q, k, table[ids]), strict=True):
        for one, row, t in zip(x, turned, ids, strict=True):
            wanted = pe.rope(one.numpy().swapaxes(0, 1), t.numpy(), base=500.0)
            np.testing.assert_allclose(row.swapaxes(0, 1), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("pieces", [[7], [3, 4], [1] * 7])
def test_attention_equals_numpy_all_at_once_and_in_pieces_with_a_cache(pieces, rng):
    torch.manual_seed(0)
    module, x, cache, parts = CausalSelfAttention(24, 3), rng.normal(size=(2, 7, 24)), None, []
    for piece in tensor(x).split(pieces, dim=1):
        part, cache = module(piece, cache)
        parts.append(part.detach())
    assert cache[0].shape == cache[1].shape == (2, 3, 7, 8)
    qkv, out = (layer.weight.detach().numpy().astype(float).T for layer in (module.qkv, module.out))
    q, k, v = (x @ qkv).reshape(2, 7, 3, 3, 8).transpose(2, 0, 3, 1, 4)
    mixed = pe.attention(pe.rope(q), pe.rope(k), v, causal=True)[0].swapaxes(1, 2).reshape(2, 7, 24)
    np.testing.assert_allclose(torch.cat(parts, dim=1), mixed @ out, rtol=1e-4, atol=1e-5)


def test_a_padded_batch_gives_what_each_sequence_gives_alone():
    torch.manual_seed(0)
    module, x = CausalSelfAttention(16, 2).eval(), torch.randn(2, 6, 16, requires_grad=True)
    real = torch.tensor([[False, False, True, True, True, True], [True] * 6])  # padded on the left
    ids = (real.cumsum(1) - 1).clamp(0)
    padded, _ = module(x, mask=real, position_ids=ids)
    alone, _ = module(x[:1, 2:])
    torch.testing.assert_close(padded[:1, 2:], alone)
    torch.testing.assert_close(padded[1:], module(x[1:])[0])
    assert not padded[0, :2].any()  # nothing to see there
    start, cache = module(x[:, :4], mask=real[:, :4], position_ids=ids[:, :4])
    on, _ = module(x[:, 4:], cache, mask=real, position_ids=ids[:, 4:])
    torch.testing.assert_close(torch.cat([start, on], dim=1), padded)
    # each token sees itself and the one before
    window = torch.ones(2, 6, 6, dtype=torch.bool).triu(-1)
    torch.testing.assert_close(module(x, mask=window)[0][:, 5:], module(x[:, 4:])[0][:, 1:])
    padded.sum().backward()
    assert x.grad.isfinite().all()


def test_a_cast_model_keeps_its_angles():
    module = CausalSelfAttention(16, 2, max_len=600).to(torch.bfloat16)
    assert module.freqs_cis.dtype == torch.complex64
    assert not torch.equal(module.freqs_cis[256], module.freqs_cis[257])
    assert module(torch.randn(1, 5, 16, dtype=torch.bfloat16))[0].dtype == torch.bfloat16


X, HEADS, TABLE = torch.zeros(1, 5, 8), torch.zeros(2, 5, 1, 8), precompute_freqs_cis(8, 10)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: PositionalEncoding(8, max_len=4)(X),
            r"positions must be 0 … max_len - 1 = 3, got 0 … 4",
        ),
        (
            lambda: PositionalEncoding(8)(X, position_ids=X[0, :, 0]),
            "must be integers, got torch.float32",
        ),
        (
            lambda: PositionalEncoding(8)(X, position_ids=torch.arange(4)),
            r"shape \(5,\) or \(1, 5\), got \(4,\)",
        ),
        (
            lambda: PositionalEncoding(8)(X[..., :1]),
            r"x must have shape \(..., seq_len, 8\), got \(1, 5, 1\)",
        ),
        (
            lambda: apply_rotary_emb(HEADS, HEADS, TABLE),
            r"head_dim / 2\), here \(5, 4\), .* got \(10, 4\)",
        ),
        (
            lambda: apply_rotary_emb(HEADS, X, TABLE[:5]),
            r"xk must have shape \(batch, seq_len, heads, head_dim\)",
        ),
        (
            lambda: apply_rotary_emb(HEADS, HEADS, TABLE[:5].real),
            "freqs_cis must be complex, got torch.float32",
        ),
        (
            lambda: CausalSelfAttention(10, 4),
            "d_model must be a multiple of 2·num_heads = 8, got 10",
        ),
        (lambda: CausalSelfAttention(8, 2)(X, mask=X[..., 0]), "mask must be boolean"),
        (
            lambda: CausalSelfAttention(8, 2)(X, mask=X[:, :4, 0] == 0),
            r"shape \(1, 5\) or \(1, 5, 5\), got \(1, 4\)",
        ),
    ],
)
def test_bad_input_gets_its_error(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()
