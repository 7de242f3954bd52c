"""The real model by a second program, transformers, which shares no code with ours.

python -m tests.benchmarks.real_model

It needs `pip install -e ".[benchmark,model]"` and the weights, reads the same file, and breaks the
positions in its own rotary embedding. What it finds goes to real_model.json: perplexities of three
texts, and the likeliest next words; how far our logits are from its; and perplexities along a text
longer than trained, with its own rules for PI and YaRN. One small model in 4 bits and four texts:
shapes, not benchmarks.
"""

import importlib.metadata
import json
import sys
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.models.llama import modeling_llama

FILE = Path(__file__).with_name("real_model.json")
UNSCALED, DIMS = 100_000.0, 64
rotate_half, apply = modeling_llama.rotate_half, modeling_llama.apply_rotary_pos_emb


def frequencies(base=UNSCALED, divided=1.0):
    return 1.0 / base ** (torch.arange(0, DIMS, 2, dtype=torch.float64) / DIMS) / divided


def neighbors(q, k, cos, sin, unsqueeze_dim=1):
    """Turn neighbors where halves belong together, as if a published file were Meta's."""
    cos, sin = (part[:, None, :, : DIMS // 2].repeat_interleave(2, dim=-1) for part in (cos, sin))

    def turned(x):
        partner = torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).flatten(-2)
        return x * cos + partner * sin

    return turned(q), turned(k)


def halves(q, k, cos, sin, unsqueeze_dim=1):
    """Turn halves where neighbors belong together.

    The loader has permuted the file's dims, so they go back first.
    """
    q, k = (x.unflatten(-1, (2, -1)).transpose(-1, -2).flatten(-2) for x in (q, k))
    return apply(q, k, cos, sin, unsqueeze_dim)


PAIRED = {"the other pairing": halves, "halves taken for neighbors": neighbors}


class Rotary(torch.nn.Module):
    """Cosines and sines of any frequencies at any positions."""

    def __init__(self, theta, positions=lambda n: torch.arange(n, dtype=torch.float64)):
        super().__init__()
        self.theta, self.positions = theta, positions

    def forward(self, x, position_ids):
        angles = torch.outer(self.positions(position_ids.shape[-1]).double(), self.theta)
        angles = torch.cat([angles, angles], dim=-1)[None]
        return angles.cos().float(), angles.sin().float()


def moved(by, dtype=torch.float64):
    return lambda n: (torch.arange(n, dtype=torch.float64) + by).to(dtype)


STILL = torch.arange(DIMS // 2) < DIMS // 4  # the fast half
SETTINGS = {
    "right positions": Rotary(frequencies()),
    "all moved by 1000": Rotary(frequencies(), moved(1000)),
    "all moved by 7000": Rotary(frequencies(), moved(7000)),
    "slow half stands still": Rotary(frequencies() * STILL),
    "fast half stands still": Rotary(frequencies() * ~STILL),
    "fastest pair stands still": Rotary(frequencies() * (torch.arange(DIMS // 2) > 0)),
    "base 10,000": Rotary(frequencies(10_000.0)),
    "base 500,000": Rotary(frequencies(500_000.0)),
    "linear (PI), factor 2": Rotary(frequencies(divided=2)),
    "linear (PI), factor 4": Rotary(frequencies(divided=4)),
    "bfloat16, moved by 1000": Rotary(frequencies(), moved(1000, torch.bfloat16)),
    **{name: Rotary(frequencies()) for name in PAIRED},
    "sign reversed": Rotary(-frequencies()),
    "no positions": Rotary(0 * frequencies()),
}

LONGER = {  # its own rules by the names that we have
    "as trained": {"rope_type": "default"},
    "each part alone": {"rope_type": "default"},
    "moved by 8192": {"rope_type": "default"},
    "PI": {"rope_type": "linear", "factor": 2.0},
    "YaRN": {
        "rope_type": "yarn",
        "factor": 2.0,
        "original_max_position_embeddings": 8192,
    },
    "YaRN's frequencies": {
        "rope_type": "yarn",
        "factor": 2.0,
        "attention_factor": 1.0,
        "original_max_position_embeddings": 8192,
    },
    "slowest 8 still": {"rope_type": "default"},
}
AT_ONCE, PART = 512, 2048  # tokens


def longer(model, ids: list[int]) -> dict[str, list[float]]:
    """Return the perplexity of each part of a long text by what is done to the positions."""
    told = {}
    for name, rule in LONGER.items():
        model.config.rope_parameters = rule | {"rope_theta": UNSCALED}
        model.model.rotary_emb = rotary = modeling_llama.LlamaRotaryEmbedding(model.config)
        if name == "slowest 8 still":
            rotary.inv_freq[-8:] = 0
        past, losses = None, []
        for start in range(0, len(ids), AT_ONCE):
            now, after = (torch.tensor(ids[start + k : start + k + AT_ONCE]) for k in (0, 1))
            begin = {"moved by 8192": start + 8192, "each part alone": start % PART}
            first = begin.get(name, start)
            if first == 0:  # nothing was read before
                past = None
            places = torch.arange(first, first + len(now))[None]
            with torch.no_grad():
                out = model(now[None], position_ids=places, past_key_values=past, use_cache=True)
            past = out.past_key_values
            logits = out.logits[0, : len(after)]
            losses.append(torch.nn.functional.cross_entropy(logits, after, reduction="none"))
        told[name] = [round(float(part.mean().exp()), 4) for part in torch.cat(losses).split(PART)]
        print(name, told[name], flush=True)
    return told


def main(weights: Path, texts: dict[str, str], long_text: list[int], ours) -> dict:
    """Return versions, perplexities and next words, and how far our logits are from these."""
    where = {"pretrained_model_name_or_path": str(weights.parent), "gguf_file": weights.name}
    plain = {"dtype": torch.float32, "attn_implementation": "eager"}
    model = AutoModelForCausalLM.from_pretrained(**where, **plain).eval()
    tokenizer = AutoTokenizer.from_pretrained(**where)
    found = {"transformers": importlib.metadata.version("transformers"), "said": {}, "logits": {}}
    own = model.model.rotary_emb
    for text, words in texts.items():
        ids = tokenizer(words, add_special_tokens=False, return_tensors="pt").input_ids
        for name, rotary in {"as transformers has it": own, **SETTINGS}.items():
            model.model.rotary_emb = rotary
            modeling_llama.apply_rotary_pos_emb = PAIRED.get(name, apply)
            with torch.no_grad():
                logits = model(ids, use_cache=False).logits[0]
            losses = torch.nn.functional.cross_entropy(logits[:-1], ids[0, 1:], reduction="none")
            best = torch.softmax(logits[-1].double(), -1).topk(5)
            likeliest = zip(best.indices.tolist(), best.values.tolist(), strict=True)
            told = [[tokenizer.decode([k]), round(share, 4)] for k, share in likeliest]
            perplexity = round(float(losses.mean().exp()), 4)
            found["said"].setdefault(text, {})[name] = {"perplexity": perplexity, "next": told}
            if name in ("right positions", "the other pairing", "bfloat16, moved by 1000"):
                tokens, mine = ours(words, name)
                assert tokens == ids[0].tolist(), "two tokenizers"
                away = np.abs(mine - logits.numpy())
                found["logits"].setdefault(text, {})[name] = {
                    "largest difference": round(float(away.max()), 5),
                    "median": round(float(np.median(away)), 6),
                    "largest logit": round(float(logits.abs().max()), 2),
                }
            compared = found["logits"].get(text, {}).get(name, "")
            print(text, name, found["said"][text][name], compared, flush=True)
    modeling_llama.apply_rotary_pos_emb = apply
    return found | {"longer": longer(model, long_text)}


if __name__ == "__main__":
    from posenc_lib.lessons.lesson_16 import real_model as real

    def ours(words, name):
        return real.computed(words, real.SETTINGS[name])

    torch.set_num_threads(1 if "--one-thread" in sys.argv else torch.get_num_threads())
    prose = FILE.with_name("real_model_text.txt").read_text(encoding="utf-8")
    long_text = real.model().tokens(prose)
    found = main(real.weights_file(), real.kept()["texts"], long_text, ours)
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
