"""What the library gives is what other people's code gave; each golden names its source."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.cope import counted_scores
from posenc_lib.encodings.fire import network_biases
from posenc_lib.encodings.xpos import Xpos

from ..conftest import ROOT


def turned(given, **settings):
    """Return queries and keys of shape (batch, seq_len, heads, head_dim), turned."""
    out = {name: pe.rope(x.swapaxes(1, 2), **settings) for name, x in given.items()}
    return {f"{name}_out": x.swapaxes(1, 2) for name, x in out.items()}


def turns(turn, n, head_dim, how=np.tile):
    """Return cosines and sines by which a function turns pairs of n rows, as models keep them."""
    x = turn(np.tile([1.0, 0.0], (n, head_dim // 2)))
    return {"cos": how(x[:, 0::2], 2), "sin": how(x[:, 1::2], 2)}


def scaled(record):
    """Return what `rope_scaling` makes of a config, at the golden's lengths and layer types."""
    args, made = record["args"], {}
    for name in (name for name in record["values"] if "inv_freq" in name):
        layer, (_, _, length) = name.removesuffix("inv_freq")[:-1], name.partition("@seq_len=")
        longest, seq_len = args.get("max_position_embeddings"), int(length or 0) or None
        parameters, dim = args["rope_parameters"], args["head_dim"]
        if layer in parameters:
            parameters, dim = parameters[layer], dim[layer]
        theta, factor = pe.rope_scaling(
            parameters, dim, max_position_embeddings=longest, seq_len=seq_len
        )
        made |= {name: theta, name.replace("inv_freq", "attention_factor"): factor}
    return made


def scaled_and_rounded(record):
    """Return these, and cosines and sines of the golden's own frequencies, angles in float32."""
    values, half = record["values"], record["args"]["head_dim"] // 2
    given = {"inv_freq": values["inv_freq"], "attention_factor": values["attention_factor"].item()}
    cos, sin = pe.cos_sin(record["args"]["POS"], 2 * half, **given, angles_dtype=np.float32)
    return scaled(record) | {"cos_at_POS": cos[:, :half], "sin_at_POS": sin[:, :half]}


def resonant(record):
    yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}
    theta = pe.resonance(pe.rope_scaling(yarn, 32)[0])
    return {"r_inv_freq": theta, "r_wavelengths": 2 * np.pi / theta}


def shaw(given):
    own = np.zeros_like(given["q"])  # keys of 0 leave the table's part alone
    rows = {"index": pe.relative_offsets(7), "index_cache": pe.relative_offsets(1, 7)}
    rows = {name: np.clip(offsets, -3, 3) + 3 for name, offsets in rows.items()}
    scores = {"key_scores": pe.shaw_scores(given["q"], own, given["table_k"])}
    return rows | scores


def distances(k_len, dim):
    """Return Transformer-XL's table, the farthest distance first."""
    return pe.sinusoidal(k_len, dim, layout="concatenated")[::-1]


def transformer_xl(given):
    """Return the weights of two heads of four dims, with a memory of three tokens."""
    tokens = np.concatenate([given["mems"], given["x"]])[:, 0]
    q, k, v = (tokens @ given["qkv_net.weight"].T).reshape(8, 3, 2, 4).transpose(1, 2, 0, 3)
    r = (distances(8, 8) @ given["r_net.weight"].T).reshape(8, 2, 4).swapaxes(0, 1)
    scores = pe.transformer_xl_scores(q[:, 3:], k, r, given["r_w_bias"], given["r_r_bias"])
    return {"attn_prob": pe.attention(q[:, 3:], k, v, scores=scores)[1]}


def t5_buckets(given):
    offsets = given["relative_position"]
    causal = pe.t5_bucket(offsets, bidirectional=False)
    return {"bidirectional": pe.t5_bucket(offsets), "causal": causal}


def mrope(sections, base, *, interleaved):
    """Return what makes of position_ids the tables of a model with M-RoPE."""
    of_pair = {"axis_of_pair": pe.axis_of_pair(sections, interleaved=interleaved)}
    theta = pe.inv_freq(128, base)

    def made(given):
        angles = np.tile(given["position_ids"][of_pair["axis_of_pair"]].T * theta, 2)
        return of_pair | {"cos": np.cos(angles), "sin": np.sin(angles)}

    return made


def in_plane(given, **settings):
    """Return what pictures of 2 × 3 patches make of given vectors, and of (1, 0) in each pair."""
    pairs = turns(lambda x: pe.rope_2d(x, 2, 3, **settings), 6, 8, lambda x, _: x)
    out = {f"{name}_out": pe.rope_2d(x, 2, 3, **settings) for name, x in given.items()}
    return {"real": pairs["cos"], "imag": pairs["sin"]} | out


def rope_mixed(given):
    """Return what two heads make, each with frequencies of its own."""
    q, theta = given["q"], given["freqs"]
    heads = [in_plane({"q": q[:, h]}, frequencies=theta[:, h], order="xy") for h in range(2)]
    first, second = heads
    return {name: np.stack([x, second[name]], axis=x.ndim - 2) for name, x in first.items()}


def pixtral(record):
    x = np.tile([1.0] * 8 + [0.0] * 8, (6, 1))
    x = pe.rope_2d(x, 2, 3, base=100.0, frequencies="alternate", pairing="half")
    return {"cos": np.tile(x[:, :8], 2), "sin": np.tile(x[:, 8:], 2)}


def timesteps(record):
    return {"ddpm_default": pe.timestep_embedding(record["args"]["timesteps"], 8)}


def fire(given):
    layers = list(given.values())
    return network_biases(pe.relative_offsets(10), layers, c=0.5, threshold=6.0)


def sandwich(record):
    both = pe.sandwich(4, 8, 16)[None]
    return {"bidirectional": both, "causal": np.tril(both)}


def cope(given):
    q, k, v = (given[name] for name in ("query", "key", "value"))
    later = pe.relative_offsets(q.shape[-2], k.shape[-2]) > 0
    scores = np.where(later, -np.inf, counted_scores(q, k, given["pos_emb"]))
    output, attention = pe.attention(q, k, v, scores=scores)
    return {"output": output, "attention": attention}


def xpos(given):
    """Return both turned; the authors scale by places counted from the middle of the text."""
    one, n = Xpos(head_dim=8, scale_base=64), given["q"].shape[-2]
    middle = np.repeat(one.decay([(n + 1) // 2]), 2, axis=-1)
    q, k = one.turned_query(given["q"], np.arange(n)), one.turned_key(given["k"], np.arange(n))
    return {"q_out": q / middle, "k_out": k * middle}


FAR = [0, 1, 1000, 4096, 32768, 131071, 1000003]
# its wavelengths are spaced otherwise: 10000^(i/3)
T2T = {"base": 10_000.0 ** (8 / 6), "layout": "concatenated"}
OURS = {  # golden: what we make of its inputs; where it has none, of its record
    "alibi_bias_h8__x_transformers": lambda given: pe.alibi(8, 6),
    "alibi_slopes_1_20__ofirpress": lambda given: {
        str(n): pe.alibi_slopes(n) for n in range(1, 21)
    },
    "attention_temperature_llama4__hf": lambda given: {
        "scale": pe.attention_temperature(20, floor_scale=4)
    },
    "binary__cpython_format": lambda given: {"msb_first": pe.binary(64, 6)},
    "cope_npos4__authors": cope,
    "fire_h3_w8_L6__mcleish7": fire,
    "kerple_h2__authors": lambda given: {
        kind: pe.kerple(given["a"], given["p"], 8, kind=kind) for kind in KERPLES
    },
    "learned_2d_resampled__timm": lambda given: pe.resize_table(
        given["pos_embed"][0], (2, 2), (3, 4), prefix=1
    )[None],
    "mrope_chunked_16_24_24__hf_qwen2_vl": mrope([16, 24, 24], 1e6, interleaved=False),
    "mrope_interleaved_24_20_20__hf_qwen3_vl": mrope([24, 20, 20], 5e6, interleaved=True),
    "mrope_position_ids_two_images__hf_qwen2_vl": lambda given: {
        "position_ids": pe.mrope_positions(TWO_IMAGES)
    },
    "nerf_embedding_L4__nerf_pytorch": lambda given: np.hstack(
        [given["x"], pe.fourier_features(given["x"], 2.0 ** np.arange(4))]
    ),
    "resonance_yarn_factor4__authors": resonant,
    "rope_2d_pixtral_d16__hf": pixtral,
    "rope_axial_2d__rope_vit": lambda given: in_plane(given, base=100.0, order="xy"),
    "rope_half__hf_llama": lambda given: turned(given, pairing="half"),
    "rope_interleaved__meta_llama": turned,
    "rope_interleaved_f64__hf_gptj": turned,
    "rope_mixed_2d__rope_vit": rope_mixed,
    "rope_partial_half__hf_gpt_neox": lambda given: turned(given, pairing="half", rotary_dim=8),
    "rope_permute_meta_to_hf__hf4": lambda given: pe.convert_pairing(
        np.arange(256.0).reshape(16, 16), 2
    ),
    "rope_scaling_dynamic_factor4__hf": scaled,
    "rope_scaling_linear_factor8__hf": scaled_and_rounded,
    "rope_scaling_llama3_3b_3.2__hf": scaled_and_rounded,
    "rope_scaling_longrope_phi3_vision_real__hf": scaled,
    "rope_scaling_proportional_gemma4__hf": scaled,
    "rope_scaling_yarn_beta16_2__hf": scaled_and_rounded,
    "sandwich_h4_d16__nemo": sandwich,
    "self_extend_positions_g4_w8__authors": lambda given: {
        "offset_used": np.tril(pe.self_extend_offsets(24, 4, 8))
    },
    "shaw__opennmt": shaw,
    "sinusoidal_2d_concat_cls__mae": lambda given: np.pad(
        pe.sinusoidal_2d(4, 4, 16, order="xy"), [(1, 0), (0, 0)]
    ),
    "sinusoidal_concat_paper_f64__hf_gptj": lambda given: pe.sinusoidal(
        16, 8, layout="concatenated"
    ),
    "sinusoidal_concat_t2t_d8__tensor2tensor": lambda given: pe.sinusoidal(16, 8, **T2T),
    "sinusoidal_interleaved_f64__keras_hub": lambda given: pe.sinusoidal(16, 8),
    "sinusoidal_interleaved_largepos_f64__keras_hub": lambda given: pe.sinusoidal(FAR, 128),
    "t5_bias_decoder__hf_t5": lambda given: pe.t5_bias(given["table"], 12, bidirectional=False),
    "t5_bias_encoder__hf_t5": lambda given: pe.t5_bias(given["table"], 12),
    "t5_buckets__hf_t5": t5_buckets,
    "timestep_embedding__diffusers": timesteps,
    "transformer_xl_R__hf_transfo_xl": lambda given: distances(8, 8),
    "transformer_xl_attention__hf_transfo_xl": transformer_xl,
    "xpos_d8_sb64__torchscale": xpos,
}
KERPLES, TWO_IMAGES = ("log", "power"), [2, (2, 2), 1, (2, 3), 3]
WHOLE = "binary mrope_position_ids_two_images rope_permute_meta_to_hf".split()
WHOLE += ["self_extend_positions_g4_w8", "t5_buckets"]
FLOAT64 = "sinusoidal_2d_concat_cls sinusoidal_concat_paper_f64 sinusoidal_interleaved_f64".split()
FLOAT64 += ["rope_interleaved_f64"]
NEAR = {  # how near we must come; 1e-6 where a golden is of float32
    **dict.fromkeys(WHOLE, 0),
    **dict.fromkeys(FLOAT64, 1e-12),
    "alibi_slopes_1_20": 1e-14,
    "sinusoidal_interleaved_largepos_f64": 1e-9,  # its θ in float64
    "timestep_embedding": 1e-5,  # angles up to 999 in float32
}


@pytest.mark.parametrize("name", OURS)
def test_a_golden_is_met(name, golden):
    record, near = golden(name), NEAR.get(name.partition("__")[0], 1e-6)
    ours, theirs = OURS[name](record.get("inputs") or record), record["values"]
    for part in ours if isinstance(ours, dict) else [...]:
        np.testing.assert_allclose(ours[part], theirs[part], rtol=near, atol=near)


def test_every_golden_is_used():
    assert {path.stem for path in (ROOT / "tests/goldens").iterdir()} == set(OURS)
    assert set(NEAR) <= {name.partition("__")[0] for name in OURS}
