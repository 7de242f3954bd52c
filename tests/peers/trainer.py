"""A second program for the tiny models of lessons 07 and 13, in PyTorch with autograd.

It shares no code with posenc_lib and draws its own texts and weights. Several models are trained at
once, seed by seed. `python tests/peers/trainer.py` prints what came out.
"""

import sys
from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy

DIMS, HIDDEN, SYMBOLS = 32, 64, 16
SHORT, TESTED, STEPS, BATCH, RATE = 32, 8192, 1000, 32, 0.01
WRITE, IGNORE, READ = 16, 17, 18
TASKS = "look_back", "recall", "flip_flop", "induction"
CLIP = 8  # of the model with a vector for each distance


class Layer(NamedTuple):
    """How a layer rotates, in radians a position for each pair, and how many tokens it sees."""

    speeds: tuple[float, ...] = ()
    window: int | None = None


class Row(NamedTuple):
    """A model: its layers, and its heads."""

    layers: tuple[Layer, Layer]
    heads: int = 2
    head_dim: int = 16
    learns: str = ""  # "numbers" for each distance and head, or "vectors" for each clipped distance


def speeds(base, dims=16, moving=None):
    pairs = dims // 2
    return tuple(base ** (-i / pairs) if i < (moving or pairs) else 0.0 for i in range(pairs))


NONE, FAST = Layer(), Layer(speeds(10))
ROPE, IN_WINDOW = Layer(speeds(10_000)), Layer(speeds(10_000), window=8)
ROWS = {
    "rope": Row((ROPE, ROPE)),
    "rope_100": Row((Layer(speeds(100)),) * 2),
    "rope_10": Row((FAST, FAST)),
    "p_rope": Row((Layer(speeds(10, moving=5)),) * 2),
    "rope_64": Row((Layer(speeds(10_000, 64)),) * 2, head_dim=64),
    "rope_8_heads": Row((ROPE, ROPE), heads=8),
    "rope_10_then_none": Row((FAST, NONE)),
    "none_then_rope_10": Row((NONE, FAST)),
    "window_then_none": Row((IN_WINDOW, NONE)),
    "window_then_rope": Row((IN_WINDOW, ROPE)),
}
LEARNED = {"numbers": Row((NONE, NONE), learns="numbers")}
LEARNED["vectors"] = Row((NONE, NONE), learns="vectors")


def texts(task, shape, draw):
    """Return tokens and answers, shape (…, length); −100 where nothing is asked."""
    tokens = torch.randint(SYMBOLS, shape, generator=draw)
    answers = torch.full(shape, -100)
    length = shape[-1]
    if task == "look_back":
        answers[..., 3:] = tokens[..., :-3]
        return tokens, answers
    if task == "two_kinds":  # one back after the first eight symbols, three back after the others
        three = torch.nn.functional.pad(tokens[..., :-3], (3, 0), value=-100)
        one = torch.nn.functional.pad(tokens[..., :-1], (1, 0), value=-100)
        return tokens, torch.where(tokens < 8, one, three)
    if task == "induction":  # what followed this symbol last time
        followed = torch.full((*shape[:-1], SYMBOLS), -100)
        for at in range(length):
            if at:
                followed.scatter_(-1, tokens[..., at - 1 : at], tokens[..., at : at + 1])
            answers[..., at] = followed.gather(-1, tokens[..., at : at + 1])[..., 0]
        return tokens, answers
    if task == "flip_flop":
        kinds = torch.rand((*shape[:-1], length // 2), generator=draw)
        kinds[..., 0] = 0
        memory = torch.full(shape[:-1], -100)
        for pair in range(length // 2):
            kind, at = kinds[..., pair], 2 * pair
            writes, reads = kind < 0.2, kind >= 0.8
            tokens[..., at] = torch.where(writes, WRITE, torch.where(reads, READ, IGNORE))
            tokens[..., at + 1] = torch.where(reads, memory, tokens[..., at + 1])
            answers[..., at] = torch.where(reads, memory, -100)
            memory = torch.where(writes, tokens[..., at + 1], memory)
        return tokens, answers
    asked = torch.rand(shape, generator=draw) < 0.2
    asked[..., :2] = False
    tokens[asked] = READ
    tokens[..., 0] = WRITE
    return tokens, torch.where(asked, tokens[..., 1:2].expand(shape), answers)


def normed(x):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)


def turned(x, speeds):
    """Return x, shape (…, length, dims), turned: dims 2i and 2i + 1 by position times speed i."""
    if not speeds:
        return x
    angle = torch.arange(x.shape[-2])[:, None] * torch.tensor(speeds)
    a, b = x[..., 0::2], x[..., 1::2]
    pairs = a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()
    return torch.stack(pairs, -1).flatten(-2)


def weights(row, models, draw):
    """Return the weights of so many models, as leaves."""
    inner = row.heads * row.head_dim
    sizes = {"tokens": (SYMBOLS + 3, DIMS), "out": (DIMS, SYMBOLS)}
    for n in range(len(row.layers)):
        sizes |= {f"{name}{n}": (DIMS, inner) for name in "qkv"}
        sizes |= {f"o{n}": (inner, DIMS)}
        sizes |= {f"up{n}": (DIMS, HIDDEN), f"shift{n}": (1, HIDDEN), f"down{n}": (HIDDEN, DIMS)}
    made = {}
    for name, (rows, columns) in sizes.items():
        scale = 0.5**0.5 if name == "tokens" else 0.0 if "shift" in name else rows**-0.5
        made[name] = (torch.randn(models, rows, columns, generator=draw) * scale).requires_grad_()
    if row.learns:
        shape = (row.heads, SHORT) if row.learns == "numbers" else (CLIP + 1, row.head_dim)
        made[row.learns] = torch.zeros(models, *shape, requires_grad=True)
    return made


def added(row, w, q, back):
    """Return what the learned positions add to the scores, before they are divided."""
    nearest = back.clamp(min=0)
    if row.learns == "numbers":
        return w["numbers"][:, None, :, nearest.clamp(max=SHORT - 1)] * row.head_dim**0.5
    if row.learns == "vectors":
        vectors = w["vectors"][:, nearest.clamp(max=CLIP)]  # (models, length, length, dims)
        return torch.einsum("mshid,mijd->mshij", q, vectors)
    return 0.0


def logits(row, w, tokens):
    """Return what the models say, shape (models, texts, length, symbols)."""
    models, some, length = tokens.shape
    x = w["tokens"][torch.arange(models)[:, None, None], tokens].reshape(models, -1, DIMS)
    at = torch.arange(length)
    for n, layer in enumerate(row.layers):
        back = at[:, None] - at
        hidden = (back < 0) | (back >= (layer.window or length))
        h, heads = normed(x), (models, some, length, row.heads, row.head_dim)
        q, k, v = ((h @ w[f"{name}{n}"]).view(heads).transpose(2, 3) for name in "qkv")
        scores = turned(q, layer.speeds) @ turned(k, layer.speeds).transpose(-1, -2)
        scores = scores + added(row, w, q, back)
        mixed = (scores / row.head_dim**0.5).masked_fill(hidden, -torch.inf).softmax(-1) @ v
        x = x + mixed.transpose(2, 3).reshape(models, some * length, -1) @ w[f"o{n}"]
        x = x + torch.relu(normed(x) @ w[f"up{n}"] + w[f"shift{n}"]) @ w[f"down{n}"]
    return (normed(x) @ w["out"]).view(models, some, length, SYMBOLS)


def fitted(row, task, models, draw):
    """Return the weights of so many models after training."""
    torch.set_num_threads(1)  # several would wait for each other
    w = weights(row, models, draw)
    adam = torch.optim.Adam(w.values(), RATE, betas=(0.9, 0.98))
    up, down = STEPS * 0.1, STEPS * 0.9
    for step in range(STEPS):
        adam.param_groups[0]["lr"] = RATE * min((step + 1) / up, (STEPS - step) / down, 1)
        tokens, answers = texts(task, (models, BATCH, SHORT), draw)
        said = logits(row, w, tokens)
        pairs = zip(said, answers, strict=True)
        losses = [cross_entropy(one.flatten(0, 1), right.flatten()) for one, right in pairs]
        adam.zero_grad()
        sum(losses).backward()
        adam.step()
    return w


def learned(kind, task, models, seed=1234):
    """Return the learned numbers, (models, heads, distances), in order of distance.

    For vectors, it's what each symbol's query in the first layer makes of them, (models, heads,
    symbols, distances).
    """
    row = LEARNED[kind]
    w = fitted(row, task, models, torch.Generator().manual_seed(seed))
    if kind == "numbers":
        return w["numbers"].detach().numpy()
    q = (normed(w["tokens"][:, :SYMBOLS]) @ w["q0"]).view(models, SYMBOLS, row.heads, row.head_dim)
    return torch.einsum("mshd,mnd->mhsn", q, w["vectors"]).detach().numpy()


def trained(name, task, models, seed=1234):
    """Return each model's share of right answers in the last quarter of texts, by their length."""
    draw, row, found = torch.Generator().manual_seed(seed), ROWS[name], {}
    w = fitted(row, task, models, draw)
    with torch.no_grad():
        for length in (32, 64, 128, 256):
            right = asked = 0
            for _ in range(4):  # a quarter at once, to save memory
                shape = models, TESTED // length // 4, length
                tokens, answers = texts(task, shape, draw)
                answers[..., : length * 3 // 4] = -100
                there = answers >= 0
                right = right + (there & (logits(row, w, tokens).argmax(-1) == answers)).sum((1, 2))
                asked = asked + there.sum((1, 2))
            found[length] = (right / asked).tolist()
    return found


if __name__ == "__main__":
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    names = sys.argv[2:] or list(ROWS)
    for name in names:
        for task in TASKS:
            found = trained(name, task, models)
            told = []
            for n, right in found.items():
                mean = sum(right) / len(right)
                told.append(f"{n}: {mean:.2f} ({min(right):.2f}–{max(right):.2f})")
            print(f"{task:<10} {name:<18}", *told, flush=True)
