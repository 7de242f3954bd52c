"""The PyTorch modules equal the NumPy functions; skipped without torch, but never in CI."""

import os

import numpy as np
import pytest

import posenc_lib as pe

if not os.environ.get("CI"):
    pytest.importorskip("torch", reason='PyTorch is not installed (pip install -e ".[torch]")')

import torch

from posenc_lib.pytorch import CausalSelfAttention, PositionalEncoding, apply_rotary_emb, precompute_freqs_cis


def tensor(array):
    return torch.from_numpy(np.asarray(array, np.float32))


def test_the_table_is_added_and_any_start_gives_its_rows(rng):
    module, x = PositionalEncoding(8, max_len=20).eval(), tensor(rng.normal(size=(2, 5, 8)))
    np.testing.assert_allclose(module(x) - x, np.tile(pe.sinusoidal(5, 8), (2, 1, 1)), atol=1e-6)
    torch.testing.assert_close(module(torch.zeros(4, 8), start=16), module(torch.zeros(20, 8))[16:], rtol=0, atol=0)


def test_the_table_is_saved_and_cast_but_not_trained(tmp_path):
    module = PositionalEncoding(8, max_len=6, base=50.0)
    assert list(module.parameters()) == []
    torch.save(module.state_dict(), tmp_path / "model.pt")
    other = PositionalEncoding(8, max_len=6)  # another base until the state is loaded
    assert not torch.equal(other.table, module.table)
    other.load_state_dict(torch.load(tmp_path / "model.pt", weights_only=True))
    assert torch.equal(other.table, module.table)
    assert module.to(torch.bfloat16).table.dtype == torch.bfloat16


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_results_have_the_dtype_of_the_tokens(dtype):
    assert PositionalEncoding(8)(torch.zeros(1, 3, 8, dtype=dtype)).dtype == dtype
    q, k = apply_rotary_emb(*torch.ones(2, 1, 3, 8, dtype=dtype), precompute_freqs_cis(8, 3))
    assert q.dtype == k.dtype == dtype


def test_dropout_drops_in_training_only():
    module, x = PositionalEncoding(64, dropout=0.5), torch.ones(1, 50, 64)
    assert 0.4 < (module(x) == 0).float().mean() < 0.6
    assert (module.eval()(x) == 0).float().mean() < 0.05


def test_turning_equals_rope_and_meta(golden):
    record = golden("rope_interleaved__meta_llama")
    q, k = (tensor(record["inputs"][name].swapaxes(1, 2)) for name in ("q", "k"))
    freqs = precompute_freqs_cis(q.shape[-1], q.shape[-2])
    for ours, name, x in zip(apply_rotary_emb(q, k, freqs), ("q", "k"), (q, k), strict=True):
        np.testing.assert_allclose(ours.swapaxes(1, 2), record["values"][f"{name}_out"], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(ours, pe.rope(x.numpy()), rtol=1e-6, atol=1e-6)
    far = precompute_freqs_cis(8, 1_000_004)[1_000_003].numpy()
    np.testing.assert_allclose(far, pe.freqs_cis([1_000_003], 8)[0], rtol=0, atol=6e-8)


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


def test_a_cast_model_keeps_its_angles():
    module = CausalSelfAttention(16, 2, max_len=600).to(torch.bfloat16)
    assert module.freqs_cis.dtype == torch.complex64
    assert not torch.equal(module.freqs_cis[256], module.freqs_cis[257])
    assert module(torch.randn(1, 5, 16, dtype=torch.bfloat16))[0].dtype == torch.bfloat16


X = torch.zeros(1, 5, 8)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: PositionalEncoding(8, max_len=4)(X), "max_len must be at least 5 for this text"),
        (lambda: PositionalEncoding(8, max_len=7)(X, start=3), "max_len must be at least 8"),
        (lambda: PositionalEncoding(7), "d_model must be even, got 7"),
        (lambda: PositionalEncoding(8, max_len=0), "max_len must be at least 1, got 0"),
        (lambda: PositionalEncoding(8)(X, start=-1), "start must be at least 0, got -1"),
        (lambda: precompute_freqs_cis(7, 4), "dim must be even, got 7"),
        (lambda: apply_rotary_emb(X, X, precompute_freqs_cis(8, 10)), r"head_dim / 2\), here \(5, 4\), got \(10, 4\)"),
        (lambda: CausalSelfAttention(10, 4), "d_model must be a multiple of 2·num_heads = 8, got 10"),
        (lambda: CausalSelfAttention(8, 2, max_len=3)(X), "max_len must be at least 5"),
    ],
)
def test_bad_input_gets_its_error(call, words):
    with pytest.raises(ValueError, match=words):
        call()
