"""How each implementation in transformers knows position: from its own files into census.json.

Run `python tests/encodings/census.py` with the extra `benchmark`; nothing is made or run. A folder
below transformers/models is one implementation. Its modeling files are read without comments,
docstrings and what is never called, and a kind is there if the code has one of its words. So a
folder may have several kinds, one for pictures and one for text, say.
"""

import ast
import importlib.metadata
import importlib.util
import json
import re
from pathlib import Path

from posenc_lib.encodings.census import ABSENT, census
from posenc_lib.encodings.rope_config import families

TABLE = Path(__file__).parents[2] / "posenc_lib" / "encodings" / "census.json"
NOT_MODELS = ("auto", "deprecated")
KINDS = {  # name: a word of the code
    "rotary": (
        r"apply_rotary|apply_\w*rope|RotaryEmbedding|RopePositionEmbedding|"
        r"rotary_emb\b|rotary_pos_emb"
    ),
    "learned or absolute table": (
        r"\b(wpe|w?pos(ition)?_?embed(ding)?s?(_table)?|embed_positions|positional_embeddings?)\s*"
        r"=\s*(nn\.(Embedding|Parameter)|\w*LearnedPositional\w*)|LearnedPositionalEmbedding|"
        r"\bposition_embeddings?\s*=\s*nn\.(Embedding|Parameter)"
    ),
    "sinusoidal": r"[Ss]inusoid|create_sinusoidal|SinePositionEmbedding",
    "relative bias or relative positions": (
        r"relative_attention_bias|relative_position_bias|relative_position_index|rel_pos_[hw]|"
        r"relative_position_embedding|RelPositional|RelPositionMulti|rel_attn|compute_bias|"
        r"linear_pos\b|rel_embeddings"
    ),
    "part of the dims, or a part of their own": (
        r"partial_rotary_factor|qk_rope_head_dim|rotary_dim|rotary_ndims"
    ),
    "QK-norm": r"\b(q_norm|query_norm|q_layernorm|query_layernorm|qk_norm|q_norm_\w+)\b",
    "axial, rows and columns": r"axial",
    "layers without attention": (
        r"'linear_attention'|Mamba|GatedDelta|ShortConv|RecurrentBlock|LightningAttention|"
        r"RgLru|Rwkv"
    ),
    "pairs for time, height, width (M-RoPE)": r"mrope_section",
    "learned sinks": r"\bsinks?\b|attention_sink_bias|sink_proj",
    "a temperature that grows with position": (
        r"get_llama_4_attn|attn_temperature_tuning|log_scaling_n_floor|logn"
    ),
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


def code(paths: list[Path]) -> str:
    """Return the code of a folder's files that is ever used, without comments and docstrings."""
    body = [node for path in paths for node in ast.parse(path.read_text(encoding="utf-8")).body]
    for node in (inner for outer in body for inner in ast.walk(outer)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            # a decorator that is given a function does not call it
            node.decorator_list = []
            if ast.get_docstring(node, clean=False):
                node.body[0] = ast.Pass()
    kept = used(body)
    return "\n".join(map(ast.unparse, kept))


def used(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return a module's statements without functions and classes that nothing in it names."""
    while True:
        names = [named(node) for node in body]
        kept = []
        for k, node in enumerate(body):
            others = set().union(*names[:k], *names[k + 1 :])
            if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name in others:
                kept.append(node)
        if len(kept) == len(body):
            return kept
        body = kept


def named(node: ast.stmt) -> set[str]:
    """Return the names that a statement reads; __all__ reads those that it lists."""
    each = list(ast.walk(node))
    found = {one.id for one in each if isinstance(one, ast.Name)}
    found |= {one.attr for one in each if isinstance(one, ast.Attribute)}
    if isinstance(node, ast.Assign) and "__all__" in found:
        found |= {one.value for one in each if isinstance(one, ast.Constant)}
    return found


def without_rope(folder: Path) -> bool:
    """Return whether a model of this folder has attention layers that turn and some that do not."""
    files = [path.read_text(encoding="utf-8") for path in folder.glob("configuration_*.py")]
    kinds = set(re.findall(r'model_type(?:: str)? = "([^"]+)"', "\n".join(files)))
    rows = [families().get(kind, {}) for kind in kinds]
    return any("marks" in row or row.get("still") for row in rows)


def counted(models: Path) -> dict[str, list[str]]:
    """Return by kind the folders that have it."""
    found: dict[str, list[str]] = {kind: [] for kind in [*KINDS, SOME, ABSENT]}
    for folder in sorted(path for path in models.iterdir() if path.name not in NOT_MODELS):
        text = code(sorted(folder.glob("modeling_*.py")))
        kinds = [kind for kind, words in KINDS.items() if re.search(words, text)]
        if without_rope(folder):
            kinds.append(SOME)
        if text and not kinds:
            kinds.append(ABSENT)
        for kind in kinds:
            found[kind].append(folder.name)
    return found


if __name__ == "__main__":
    found = counted(Path(importlib.util.find_spec("transformers").origin).parent / "models")
    head = {"transformers": importlib.metadata.version("transformers")}
    head["implementations"] = len({name for each in found.values() for name in each})
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in (head | found).items())
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(census())
