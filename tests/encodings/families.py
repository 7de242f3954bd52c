"""Make posenc_lib/encodings/families.json: what the code of each model_type decides, found by trying it.

Run `python tests/encodings/families.py` with the extra `benchmark`. Each family is run as its class stands, and once
for each key that may count: a key counts if another value of it changes what turns. What cannot be found so, because
several keys work together, is said below in BY_HAND; rope_sweep.py then compares all with transformers' own modules.
"""

import inspect
import json
import sys
from pathlib import Path

from traced import MODEL_MAPPING, AutoConfig, Traced, traced
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "posenc_lib" / "encodings" / "families.json"
BASE, DIMS = 54_321.0, 96  # values that are nobody's default
HEADS = ("qk_rope_head_dim", "rotary_dim", "head_dim", "kv_channels", "attention_head_dim", "global_head_dim")
SILENT = (*HEADS, "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
SILENT += ("sliding_window", "original_max_position_embeddings", "rope_interleave", "mrope_section")
FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"
PATTERNS = "sliding_window_pattern full_attention_interval global_attn_every_n_layers layer_group_size".split()
NAMES = {"sinks": "sinks", "sink_proj": "sinks", "attention_sink_bias": "sinks"}
NAMES |= dict.fromkeys(("q_norm", "query_layernorm", "q_layernorm", "query_norm"), "qk_norm")
NEEDED = {  # what a class must be given before it can be made or turns at all
    "deepseek_v2": {"num_experts_per_tok": 2, "q_lora_rank": 64},
    **dict.fromkeys(("hunyuan_v1_dense", "hunyuan_v1_moe", "hunyuan_vl_text", "ministral", "nemotron"), {"head_dim": 128}),
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense"] * 40},
    **dict.fromkeys(("qwen3_omni_moe_text", "qwen3_omni_moe_talker_text"), {"hidden_size": 2048, "num_attention_heads": 16}),
    "diffusion_gemma_text": {"num_experts": 8, "top_k_experts": 2, "moe_intermediate_size": 64},
    **dict.fromkeys(("glm4v_text", "glm_image_text"), {"partial_rotary_factor": 0.5}),
    "glm4v_moe_text": {"head_dim": 128},
    "esm": {"vocab_size": 33, "position_embedding_type": "rotary", "pad_token_id": 1},
    "zamba2": {"use_mem_rope": True},
    "granitemoehybrid": {"position_embedding_type": "rope", "layer_types": [LINEAR, FULL] * 16},
    "bamba": {"attn_layer_indices": [1, 3]},
    "lfm2_moe": {"layer_types": ["conv", FULL] * 16},
    **dict.fromkeys(("step3p5", "step3p7_text"), {"sliding_window": 512}),
}


def _gemma(local: str = "rope_local_base_freq", full: str = "rope_theta", both: bool = False) -> dict:
    begun = {"rope_type": "default"}
    sliding = {"theta": local, "default": begun} | ({} if both else {"scaled": False})
    return {"types": {FULL: {"theta": full, "default": begun}, SLIDING: sliding}}


GEMMA = _gemma() | {"silent": {"rope_theta": 1e6, "rope_local_base_freq": 1e4}}
MODERN = _gemma("local_rope_theta", "global_rope_theta", True)
MODERN |= {"silent": {"global_rope_theta": 160_000.0, "local_rope_theta": 1e4}}


def _apart(**types) -> dict:
    """Return a row of a family that reads rope_parameters by type of layer only; here are its defaults."""
    return {"by_type": True, "types": {kind: {"scaled": False, "default": one} for kind, one in types.items()}}


GEMMA4 = _apart(
    sliding_attention={"rope_theta": 1e4},
    full_attention={"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
)
GEMMA4["types"][FULL]["heads"] = ["global_head_dim"]
INTERVAL = {"marks": "no_rope_layers"}
BY_HAND: dict[str, dict] = {
    **dict.fromkeys(("gemma3_text", "gemma3n_text", "t5gemma2_text", "t5gemma2_decoder"), GEMMA),
    **dict.fromkeys(("modernbert", "modernbert-decoder"), MODERN),
    "olmo3": {
        "types": {
            FULL: {"default": {"rope_type": "default"}},
            SLIDING: {"theta": 500_000.0, "scaled": False, "default": {"rope_type": "default"}},
        }
    },
    **dict.fromkeys(("gemma4_text", "gemma4_unified_text", "diffusion_gemma_text"), GEMMA4),
    "deepseek_v4": {
        "silent": {"rope_theta": 1e4, "compress_rope_theta": 160_000.0, "partial_rotary_factor": 0.125},
        "heads": ["qk_rope_head_dim", "head_dim"],
        "layers": {"of": ["heavily_compressed_attention", "compressed_sparse_attention"], "but": {"1": "heavily_compressed_attention"}},
        "types": {
            SLIDING: {"label": "main", "scaled": False},
            **dict.fromkeys(
                ("heavily_compressed_attention", "compressed_sparse_attention"),
                {"label": "compress", "theta": "compress_rope_theta", "cool": True},
            ),
        },
    },
    **dict.fromkeys(("exaone4", "exaone_moe", "exaone4_5_text", "kolibri1"), {"still": [FULL], "unless": "sliding_window"}),
    **dict.fromkeys(("hunyuan_v1_dense", "hunyuan_v1_moe", "hunyuan_vl_text"), {"alpha": True}),
    **dict.fromkeys(("phi3", "phi4_multimodal"), {"long": True}),
    "phimoe": {"mscales": True},
    "llama4_text": {**INTERVAL, "silent": {"no_rope_layer_interval": 4}, "marked": "chunked_attention"},
    "smollm3": {**INTERVAL, "silent": {"no_rope_layer_interval": 4}},
    "mistral_large4_text": {**INTERVAL, "silent": {"no_rope_layer_interval": 4}},
    **dict.fromkeys(("granite_swa", "granitemoe_swa"), {"marks": "layer_rope_theta", "own_base": True}),
    **dict.fromkeys(("muse_glimmer_text", "muse_spark_text"), {"marks": "layer_rope_theta", "still": [FULL]}),
    "zamba2": {"needs": {"use_mem_rope": True}, "times": 2, "heads": []},
    "falcon": {"needs": {"alibi": False}, "silent": {"alibi": False}},
    "granitemoehybrid": {"needs": {"position_embedding_type": "rope"}, "silent": {"position_embedding_type": "nope"}},
    "esm": {"needs": {"position_embedding_type": "rotary"}, "silent": {"position_embedding_type": "absolute"}},
    "bamba": {"at": {"key": "attn_layer_indices", "is": FULL, "else": LINEAR}, "forced": {"partial_rotary_factor": 0.5}},
    "lfm2": {"at": {"key": "full_attn_idxs", "is": FULL, "else": "conv"}},
}
