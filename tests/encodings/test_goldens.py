"""What the library gives is what other people's code gave; each golden names its source."""

import numpy as np
import pytest

import posenc_lib as pe

from ..conftest import ROOT


def turned(given, **settings):
    """Return queries and keys of shape (batch, seq_len, heads, head_dim), turned."""
    return {f"{name}_out": pe.rope(x.swapaxes(1, 2), **settings).swapaxes(1, 2) for name, x in given.items()}


def shaw(given):
    rows = pe.relative_offsets(7)
    return {
        "index": np.clip(rows, -3, 3) + 3,
        "index_cache": np.clip(pe.relative_offsets(1, 7), -3, 3) + 3,
        "key_scores": pe.shaw_scores(given["q"], np.zeros_like(given["q"]), given["table_k"]),  # the table's part alone
        "value_out": pe.shaw_values(given["p"], given["table_v"]),
    }


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
    return {"bidirectional": pe.t5_bucket(offsets), "causal": pe.t5_bucket(offsets, bidirectional=False)}


def scaled(record):
    """Return what `rope_scaling` and `cos_sin` make of a config, at every length that the golden has."""
    args, made = record["args"], {}
    parameters, given = args["rope_parameters"], {"max_position_embeddings": args.get("max_position_embeddings")}
    if "rope_type" not in parameters:  # nested by layer type
        for layer, own in parameters.items():
            turned = pe.rope_scaling(own, args["head_dim"][layer])
            made |= {f"{layer}_inv_freq": turned[0], f"{layer}_attention_factor": turned[1]}
        return made
    for at in {name.partition("@")[2] for name in record["values"] if name.startswith("inv_freq")}:
        seq_len = int(at.removeprefix("seq_len=")) if at else None
        turned = pe.rope_scaling(parameters, args["head_dim"], **given, seq_len=seq_len)
        made |= dict(
            zip(
                (f"inv_freq@{at}", f"attention_factor@{at}") if at else ("inv_freq", "attention_factor"),
                turned,
                strict=True,
            )
        )
    return made


def tables(record):
    """Return cosines and sines of the golden's own float32 frequencies, whose angles a model rounds."""
    values, half = record["values"], record["args"]["head_dim"] // 2
    given = {"inv_freq": values["inv_freq"], "attention_factor": values["attention_factor"].item()}
    both = pe.cos_sin(record["args"]["POS"], 2 * half, **given, angles_dtype=np.float32)
    return {f"{name}_at_POS": x[:, :half] for name, x in zip(("cos", "sin"), both, strict=True)}


def self_extend(record):
    offsets = pe.self_extend_offsets(24, 4, 8)
    return {"offset_used": np.tril(offsets)}


def resonant(record):
    yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}
    theta = pe.resonance(pe.rope_scaling(yarn, 32)[0])
    return {"r_inv_freq": theta, "r_wavelengths": 2 * np.pi / theta}


def temperatures(record):
    return {"scale": pe.attention_temperature(20, floor_scale=4)}


def turn_of(turned):
    """Return cosines and sines of each pair, (n, pairs) each, from interleaved pairs (1, 0) that were turned."""
    return turned[..., 0::2], turned[..., 1::2]


def basis(positions, head_dim):
    """Return one vector for each position whose interleaved pairs are all (1, 0)."""
    return np.tile([1.0, 0.0], (np.shape(positions)[1], head_dim // 2))


def unit_turns(positions, head_dim, **settings):
    """Return the cosines and sines by which `rope_nd` turns each pair, (n, pairs) each."""
    return turn_of(pe.rope_nd(basis(positions, head_dim), positions, pairing="interleaved", **settings))


def doubled(cos, sin, how):
    """Return cosines and sines for both dims of each pair, as models keep them."""
    return {"cos": how(cos), "sin": how(sin)}


def side_by_side(x):
    return np.repeat(x, 2, axis=-1)


def twice(x):
    return np.concatenate([x, x], axis=-1)


def grid(*sizes):
    """Return the coordinates of all cells of a grid, row by row, shape (axes, cells)."""
    return np.indices(sizes).reshape(len(sizes), -1)


def resized(given):
    return pe.resize_table(given["pos_embed"][0], (2, 2), (3, 4), prefix=1)[None]


def mae(record):
    return np.concatenate([np.zeros((1, 16)), pe.sinusoidal_2d(4, 4, 16, order="xy")])


def mrope(sections, base, *, interleaved):
    """Return what makes of position_ids the tables of a model with M-RoPE."""

    def make(given):
        ids = given["position_ids"]
        turned = unit_turns(ids, 128, sections=sections, base=base, interleaved=interleaved)
        return doubled(*turned, twice) | {"axis_of_pair": pe.axis_of_pair(sections, interleaved=interleaved)}

    return make


def two_images(record):
    return {"position_ids": pe.mrope_positions([2, (2, 2), 1, (2, 3), 3])}


def rope_vit(given):
    x, settings = np.tile([1.0, 0.0], (6, 4)), {"base": 100.0, "order": "xy"}
    real, imag = turn_of(pe.rope_2d(x, 2, 3, **settings))
    return {"real": real, "imag": imag} | {f"{name}_out": pe.rope_2d(x, 2, 3, **settings) for name, x in given.items()}


def rope_mixed(given):
    """Return what two heads make, each with frequencies of its own."""
    of_heads = [{"frequencies": given["freqs"][:, head], "order": "xy"} for head in range(2)]
    x = np.tile([1.0, 0.0], (6, 4))
    real, imag = (
        np.array(part) for part in zip(*(turn_of(pe.rope_2d(x, 2, 3, **one)) for one in of_heads), strict=True)
    )
    q = [pe.rope_2d(given["q"][:, head], 2, 3, **one) for head, one in enumerate(of_heads)]
    return {"real": real, "imag": imag, "q_out": np.stack(q, axis=1)}


def eva(given):
    """Return what a picture of 3 × 3 patches makes, squeezed onto the 2 × 2 of training, and unsqueezed."""
    settings = {"sections": [2, 2], "restart": True}
    squeezed = grid(3, 3) / 3 * 2
    made = doubled(*unit_turns(squeezed, 8, **settings), side_by_side)
    same = side_by_side(unit_turns(grid(3, 3), 8, **settings)[0])
    return made | {"cos_same_size": same, "q_out": pe.rope_nd(given["q"], squeezed, pairing="interleaved", **settings)}


def dinov3(record):
    """Return the turns of patches whose middles lie in [−1, 1], by each side or by the shorter or longer one."""
    made = {}
    for name, sides in (("separate", [2, 3]), ("min", [2, 2]), ("max", [3, 3])):
        places = 2 * np.pi * (2 * (grid(2, 3) + 0.5) / np.array(sides)[:, None] - 1)
        cos, sin = unit_turns(places, 8, sections=[2, 2], base=100.0, restart=True)
        made |= {f"cos_{name}": twice(cos), f"sin_{name}": twice(sin)}
    return made


def pixtral(given):
    turned = pe.rope_2d(
        np.tile([1.0] * 8 + [0.0] * 8, (6, 1)), 2, 3, base=100.0, frequencies="alternate", pairing="half"
    )
    return {"cos": twice(turned[:, :8]), "sin": twice(turned[:, 8:])}


def flux(given):
    turned = unit_turns(given["ids"].T, 16, sections=[2, 3, 3], restart=True)
    return doubled(*turned, side_by_side)


def cogvideox(record):
    return doubled(*unit_turns(grid(2, 2, 3), 16, sections=[2, 3, 3], restart=True), side_by_side)


def timesteps(record):
    t, later = np.array(record["args"]["timesteps"]), {"flip_sin_to_cos": True, "downscale_freq_shift": 0.0}
    return {
        "ddpm_default": pe.timestep_embedding(t, 8),
        "flip_sin_to_cos_shift0": pe.timestep_embedding(t, 8, **later),
        "scale1000": pe.timestep_embedding(t / 1000, 8, **later, scale=1000.0),
    }


def nerf(given):
    return pe.fourier_features(given["x"], 2.0 ** np.arange(4), include_input=True)


def kerple(given):
    return {kind: pe.kerple(given["a"], given["p"], 8, kind=kind) for kind in ("log", "power")}


def fire(given):
    by_name, in_order = (pe.fire(10, x, c=0.5, threshold=6.0) for x in (given, list(given.values())))
    np.testing.assert_array_equal(by_name, in_order)
    return by_name


def sandwich(record):
    both = pe.sandwich(4, 8, 16)[None]
    return {"bidirectional": both, "causal": np.tril(both)}


def xpos(given):
    return dict(zip(("q_out", "k_out"), pe.xpos(given["q"], given["k"], scale_base=64), strict=True))


def cope(given):
    q, k, v = (given[name] for name in ("query", "key", "value"))
    return dict(
        zip(("output", "attention"), pe.attention(q, k, v, scores=pe.cope(q, k, given["pos_emb"])), strict=True)
    )


FAR = [0, 1, 1000, 4096, 32768, 131071, 1000003]
T2T = {"base": 10_000.0 ** (8 / 6), "layout": "concatenated"}  # its wavelengths are spaced otherwise: 10000^(i/3)
CASES = {  # golden: what we make of its inputs, and how near it must come
    "alibi_bias_h8__x_transformers": (lambda given: pe.alibi(8, 6), 1e-6),
    "alibi_slopes_1_20__ofirpress": (lambda given: {str(n): pe.alibi_slopes(n) for n in range(1, 21)}, 1e-14),
    "attention_temperature_llama4__hf": (temperatures, 1e-6),
    "binary__cpython_format": (lambda given: {"msb_first": pe.binary(64, 6)}, 0),
    "cope_npos4__authors": (cope, 1e-6),
    "fire_h3_w8_L6__mcleish7": (fire, 1e-6),
    "kerple_h2__authors": (kerple, 1e-6),
    "learned_2d_resampled__timm": (resized, 1e-6),
    "mrope_chunked_16_24_24__hf_qwen2_vl": (mrope([16, 24, 24], 1e6, interleaved=False), 1e-6),
    "mrope_interleaved_24_20_20__hf_qwen3_vl": (mrope([24, 20, 20], 5e6, interleaved=True), 1e-6),
    "mrope_position_ids_two_images__hf_qwen2_vl": (two_images, 0),
    "nerf_embedding_L4__nerf_pytorch": (nerf, 1e-6),
    "resonance_yarn_factor4__authors": (resonant, 1e-6),
    "rope_2d_normalised__dinov3": (dinov3, 1e-6),
    "rope_2d_pixtral_d16__hf": (pixtral, 1e-6),
    "rope_3d_cogvideox__diffusers": (cogvideox, 1e-6),
    "rope_axial_2d__rope_vit": (rope_vit, 1e-6),
    "rope_axial_2d_interpolated__eva02": (eva, 1e-6),
    "rope_flux_ids__diffusers": (flux, 1e-6),
    "rope_half__hf_llama": (lambda given: turned(given, pairing="half"), 1e-6),
    "rope_interleaved__meta_llama": (turned, 1e-6),
    "rope_interleaved_f64__hf_gptj": (turned, 1e-12),
    "rope_mixed_2d__rope_vit": (rope_mixed, 1e-6),
    "rope_partial_half__hf_gpt_neox": (lambda given: turned(given, pairing="half", rotary_dim=8), 1e-6),
    "rope_permute_meta_to_hf__hf4": (lambda given: pe.convert_pairing(np.arange(256.0).reshape(16, 16), 2), 0),
    "rope_scaling_dynamic_factor4__hf": (scaled, 1e-6),
    "rope_scaling_linear_factor8__hf": (lambda record: scaled(record) | tables(record), 1e-6),
    "rope_scaling_llama3_3b_3.2__hf": (lambda record: scaled(record) | tables(record), 1e-6),
    "rope_scaling_longrope_phi3_vision_real__hf": (scaled, 1e-6),
    "rope_scaling_proportional_gemma4__hf": (scaled, 1e-6),
    "rope_scaling_yarn_beta16_2__hf": (lambda record: scaled(record) | tables(record), 1e-6),
    "sandwich_h4_d16__nemo": (sandwich, 1e-6),
    "self_extend_positions_g4_w8__authors": (self_extend, 0),
    "shaw__opennmt": (shaw, 1e-6),
    "sinusoidal_2d_concat_cls__mae": (mae, 1e-12),
    "sinusoidal_concat_paper_f64__hf_gptj": (lambda given: pe.sinusoidal(16, 8, layout="concatenated"), 1e-12),
    "sinusoidal_concat_t2t_d8__tensor2tensor": (lambda given: pe.sinusoidal(16, 8, **T2T), 1e-6),
    "sinusoidal_interleaved_f64__keras_hub": (lambda given: pe.sinusoidal(16, 8), 1e-12),
    "sinusoidal_interleaved_largepos_f64__keras_hub": (lambda given: pe.sinusoidal(FAR, 128), 1e-9),  # θ in float64
    "t5_bias_decoder__hf_t5": (lambda given: pe.t5_bias(given["table"], 12, bidirectional=False), 1e-6),
    "t5_bias_encoder__hf_t5": (lambda given: pe.t5_bias(given["table"], 12), 1e-6),
    "t5_buckets__hf_t5": (t5_buckets, 0),
    "timestep_embedding__diffusers": (timesteps, 1e-5),  # angles up to 999 in float32
    "transformer_xl_R__hf_transfo_xl": (lambda given: distances(8, 8), 1e-6),
    "transformer_xl_attention__hf_transfo_xl": (transformer_xl, 1e-6),
    "xpos_d8_sb64__torchscale": (xpos, 1e-6),
}


@pytest.mark.parametrize("name", CASES)
def test_a_golden_is_met(name, golden):
    record, (make, tolerance) = golden(name), CASES[name]
    ours, theirs = make(record.get("inputs") or record), record["values"]
    for part in ours if isinstance(ours, dict) else [...]:
        np.testing.assert_allclose(ours[part], theirs[part], rtol=tolerance, atol=tolerance)


def test_every_golden_is_used():
    assert {path.stem for path in (ROOT / "tests/goldens").iterdir()} == set(CASES)
