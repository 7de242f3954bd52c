"""How each implementation in transformers knows position: read out of its own files into census.json.

Run `python tests/encodings/census.py` with the extra `benchmark`; nothing is made or run. A folder below
transformers/models is one implementation. Its modeling files are read without comments and docstrings, and a kind is
there if the code has one of its words. So a folder may have several kinds, one for pictures and one for text, say.
"""

import ast
import importlib.metadata
import importlib.util
import json
import re
from pathlib import Path

TABLE = Path(__file__).parents[2] / "posenc_lib" / "encodings" / "census.json"
NOT_MODELS = ("auto", "deprecated")
KINDS = {  # name: a word of the code
    "rotary": r"apply_rotary|apply_\w*rope|RotaryEmbedding|RopePositionEmbedding|rotary_emb\b|rotary_pos_emb",
    "learned or absolute table": (
        r"\b(wpe|w?pos(ition)?_?embed(ding)?s?(_table)?|embed_positions|positional_embeddings?)\s*=\s*"
        r"(nn\.(Embedding|Parameter)|\w*LearnedPositional\w*)|LearnedPositionalEmbedding|"
        r"\bposition_embeddings?\s*=\s*nn\.(Embedding|Parameter)"
    ),
    "sinusoidal": r"[Ss]inusoid|create_sinusoidal|SinePositionEmbedding",
    "relative bias or relative positions": (
        r"relative_attention_bias|relative_position_bias|relative_position_index|rel_pos_[hw]|"
        r"relative_position_embedding|RelPositional|RelPositionMulti|rel_attn|compute_bias|linear_pos\b|rel_embeddings"
    ),
    "part of the dims, or a part of their own": r"partial_rotary_factor|qk_rope_head_dim|rotary_dim|rotary_ndims",
    "QK-norm": r"\b(q_norm|query_norm|q_layernorm|query_layernorm|qk_norm|q_norm_\w+)\b",
    "axial, rows and columns": r"axial",
    "layers without attention": (
        r"'linear_attention'|Mamba|GatedDelta|ShortConv|RecurrentBlock|LightningAttention|RgLru|Rwkv"
    ),
    "pairs for time, height, width (M-RoPE)": r"mrope_section",
    "learned sinks": r"\bsinks?\b|attention_sink_bias|sink_proj",
    "a temperature that grows with position": r"get_llama_4_attn|attn_temperature_tuning|log_scaling_n_floor|logn",
    "ALiBi": r"[Aa]libi",
    "PoPE": r"\bPoPE\b|Pope(Rotary|Position)",
    "FoPE": r"\bFoPE\b|Fope[A-Z]",
    "GRAPE": r"\bGRAPE\b|Grape[A-Z]",
    "PaTH": r"\bPaTH\b|PathAttention",
    "CoPE": r"\bCoPE\b|ContextualPosition|Cope[A-Z]",
    "KERPLE": r"[Kk]erple|KERPLE",
    "FIRE": r"\bFIRE\b|FirePosition|FireBias",
    "RePo": r"\bRePo\b|RepoPosition",
    "DroPE": r"\bDroPE\b|[Dd]rope_",
    "xPos": r"[Xx]pos\b|XPos|xPos",
}
SOME = "some layers without RoPE"  # which these are only a run shows: families.json


def code(path: Path) -> str:
    """Return a file's code, without comments and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            body[0] = ast.Pass()
    return ast.unparse(tree)


def without_rope(folder: Path, table: dict) -> bool:
    """Say whether a model of this folder has layers that turn beside attention layers that do not."""
    files = [path.read_text(encoding="utf-8") for path in folder.glob("configuration_*.py")]
    kinds = set(re.findall(r'model_type(?:: str)? = "([^"]+)"', "\n".join(files)))
    return any({"marks"} & set(table.get(kind, {})) or table.get(kind, {}).get("still") for kind in kinds)


def counted(models: Path, table: dict) -> dict[str, list[str]]:
    """Return by kind the folders that have it."""
    found: dict[str, list[str]] = {kind: [] for kind in [*KINDS, SOME, "none of these"]}
    for folder in sorted(path for path in models.iterdir() if path.is_dir() and path.name not in NOT_MODELS):
        files = sorted(folder.glob("modeling_*.py"))
        if not files:
            continue
        text = "\n".join(map(code, files))
        kinds = [kind for kind, words in KINDS.items() if re.search(words, text)]
        kinds += [SOME] * without_rope(folder, table)
        for kind in kinds or ["none of these"]:
            found[kind].append(folder.name)
    return found


def main() -> None:
    models = Path(importlib.util.find_spec("transformers").origin).parent / "models"
    table = json.loads(TABLE.with_name("families.json").read_text(encoding="utf-8"))
    found = counted(models, table)
    folders = sorted({name for each in found.values() for name in each})
    head = {"transformers": importlib.metadata.version("transformers"), "implementations": len(folders)}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    lines += [f"  {json.dumps(kind)}: {json.dumps(each)}" for kind, each in found.items()]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(*head.items(), *((kind, len(each)) for kind, each in found.items()), sep="\n")


if __name__ == "__main__":
    main()
