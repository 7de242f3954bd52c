"""A second program for lesson 13's rows of RoPE, in PyTorch: autograd, cosines and sines.

Autograd finds the gradients; cosines and sines turn the pairs. It shares no code with posenc_lib
and draws its own texts and weights; several models are trained at once, seed by seed.
`python tests/peers/trainer.py` prints what came out.
"""

import sys

import torch
from torch.nn.functional import cross_entropy

DIMS, HEADS, HIDDEN, LAYERS, SYMBOLS = 32, 2, 64, 2, 16
SHORT, TESTED, STEPS, BATCH, RATE = 32, 8192, 1000, 32, 0.01
WRITE, READ = 16, 17
SPEEDS = {  # radians a position, for each of eight pairs
    "rope": [10_000 ** (-i / 8) for i in range(8)],
    "rope_100": [100 ** (-i / 8) for i in range(8)],
    "rope_10": [10 ** (-i / 8) for i in range(8)],
    "p_rope": [10 ** (-i / 8) for i in range(5)] + [0, 0, 0],
}


def texts(task, shape, draw):
    """Return tokens and answers, shape (…, length); −100 where nothing is asked."""
    tokens = torch.randint(SYMBOLS, shape, generator=draw)
    answers = torch.full(shape, -100)
    if task == "look_back":
        answers[..., 3:] = tokens[..., :-3]
        return tokens, answers
    asked = torch.rand(shape, generator=draw) < 0.2
    asked[..., :2] = False
    tokens[asked] = READ
    tokens[..., 0] = WRITE
    return tokens, torch.where(asked, tokens[..., 1:2].expand(shape), answers)


def normed(x):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)


def turned(x, speeds):
    """Return x, shape (…, length, 16), turned: dims 2i and 2i + 1 by position times speed i."""
    angle = torch.arange(x.shape[-2])[:, None] * torch.tensor(speeds)
    a, b = x[..., 0::2], x[..., 1::2]
    pairs = a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()
    return torch.stack(pairs, -1).flatten(-2)


def weights(models, draw):
    """Return the weights of so many models, as leaves."""
    sizes = {"tokens": (SYMBOLS + 2, DIMS), "out": (DIMS, SYMBOLS)}
    for n in range(LAYERS):
        sizes |= {
            f"q{n}": (DIMS, DIMS),
            f"k{n}": (DIMS, DIMS),
            f"v{n}": (DIMS, DIMS),
            f"o{n}": (DIMS, DIMS),
        }
        sizes |= {f"up{n}": (DIMS, HIDDEN), f"shift{n}": (1, HIDDEN), f"down{n}": (HIDDEN, DIMS)}
    made = {}
    for name, (rows, columns) in sizes.items():
        scale = 0.5**0.5 if name == "tokens" else 0.0 if "shift" in name else rows**-0.5
        made[name] = (torch.randn(models, rows, columns, generator=draw) * scale).requires_grad_()
    return made


def logits(w, tokens, speeds):
    """Return what the models say, shape (models, texts, length, symbols)."""
    models, some, length = tokens.shape
    x = w["tokens"][torch.arange(models)[:, None, None], tokens].reshape(models, -1, DIMS)
    later = torch.ones(length, length, dtype=torch.bool).triu(1)
    for n in range(LAYERS):
        h = normed(x)
        q, k, v = (
            (h @ w[f"{name}{n}"]).view(models, some, length, HEADS, -1).transpose(2, 3)
            for name in "qkv"
        )
        scores = turned(q, speeds) @ turned(k, speeds).transpose(-1, -2) / (DIMS / HEADS) ** 0.5
        mixed = scores.masked_fill(later, -torch.inf).softmax(-1) @ v
        x = x + mixed.transpose(2, 3).reshape(models, -1, DIMS) @ w[f"o{n}"]
        x = x + torch.relu(normed(x) @ w[f"up{n}"] + w[f"shift{n}"]) @ w[f"down{n}"]
    return (normed(x) @ w["out"]).view(models, some, length, SYMBOLS)


def trained(encoding, task, models, seed=1234):
    """Return each model's share of right answers in the last quarter of texts, by their length."""
    torch.set_num_threads(1)  # several would wait for each other
    draw, speeds = torch.Generator().manual_seed(seed), SPEEDS[encoding]
    w = weights(models, draw)
    adam = torch.optim.Adam(w.values(), RATE, betas=(0.9, 0.98))
    up, down = STEPS * 0.1, STEPS * 0.9
    for step in range(STEPS):
        adam.param_groups[0]["lr"] = RATE * min((step + 1) / up, (STEPS - step) / down, 1)
        tokens, answers = texts(task, (models, BATCH, SHORT), draw)
        said = logits(w, tokens, speeds)
        each = [
            cross_entropy(one.flatten(0, 1), right.flatten())
            for one, right in zip(said, answers, strict=True)
        ]
        adam.zero_grad()
        sum(each).backward()
        adam.step()
    found = {}
    with torch.no_grad():
        for length in (32, 64, 128, 256):
            tokens, answers = texts(task, (models, TESTED // length, length), draw)
            answers[..., : length * 3 // 4] = -100
            asked, right = answers >= 0, logits(w, tokens, speeds).argmax(-1) == answers
            found[length] = ((right & asked).sum((1, 2)) / asked.sum((1, 2))).tolist()
    return found


if __name__ == "__main__":
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    for task in ("look_back", "recall"):
        for encoding in ("p_rope", "rope_10", "rope", "rope_100"):
            found = trained(encoding, task, models)
            told = (
                f"{n}: {sum(a) / len(a):.2f} ({min(a):.2f}–{max(a):.2f})" for n, a in found.items()
            )
            print(f"{task:<10} {encoding:<9}", *told, flush=True)
