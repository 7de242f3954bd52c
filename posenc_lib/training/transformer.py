"""A transformer of two layers and two heads, in NumPy, with its gradients written out."""

from functools import cache
from typing import NamedTuple

import numpy as np

from posenc_lib.training.positions import D_MODEL, HEAD_DIM, HEADS, SPREAD, Entered
from posenc_lib.training.tasks import NONE, SYMBOLS, VOCABULARY

LAYERS, HIDDEN = 2, 64
SHAPES = {"tokens": (VOCABULARY, D_MODEL), "out": (D_MODEL, SYMBOLS)} | {
    f"{name}{layer}": shape
    for layer in range(LAYERS)
    for name, shape in {
        "qkv": (D_MODEL, 3 * D_MODEL),
        "heads": (D_MODEL, D_MODEL),
        "up": (D_MODEL, HIDDEN),
        "shift": (HIDDEN,),
        "down": (HIDDEN, D_MODEL),
    }.items()
}
LEAST = 1e-6  # added to a mean square before its root


class Normed(NamedTuple):
    """A row divided by the root of its mean square, and 1/that root."""

    x: np.ndarray
    scale: np.ndarray


def drawn(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return the weights before training, by name: N(0, 1/rows) for matrices."""
    weights = {name: rng.normal(size=shape) for name, shape in SHAPES.items()}
    for name, w in weights.items():
        w *= SPREAD if name == "tokens" else 0 if name.startswith("shift") else len(w) ** -0.5
    return weights


def normed(x: np.ndarray) -> Normed:
    """Return RMS norm, x / √(mean of x²); a gain would be part of the matrix that follows."""
    scale = 1 / np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / x.shape[1] + x.dtype.type(LEAST))
    return Normed(x * scale, scale)


def normed_back(kept: Normed, dy: np.ndarray) -> np.ndarray:
    """Return the gradient of x, given that of `normed(x).x`."""
    mean = np.einsum("ij,ij->i", kept.x, dy)[:, None] / dy.shape[1]
    return (dy - kept.x * mean) * kept.scale


def turned(x: np.ndarray, turn: np.ndarray | None) -> np.ndarray:
    """Return x, shape (…, length, head_dim), with each pair of dims, as a complex number, times turn."""
    if turn is None:
        return x
    return (x.view(turn.dtype) * turn).view(x.dtype)


class Attention:
    """Causal attention of all heads."""

    def __init__(self, w: dict, layer: int, h: np.ndarray, entered: Entered, texts: int):
        self.w, self.layer, self.h, self.entered = w, layer, h, entered
        qkv = (h @ w[f"qkv{layer}"]).reshape(texts, -1, 3, HEADS, HEAD_DIM).transpose(2, 0, 3, 1, 4)
        q, k, self.v = np.ascontiguousarray(qkv)
        self.q, self.k = turned(q, entered.turn), turned(k, entered.turn)
        scores = self.q @ self.k.swapaxes(2, 3)
        scores *= HEAD_DIM**-0.5
        if entered.bias is not None:
            scores += entered.bias
        scores += later(scores.shape[-1], scores.dtype)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        self.weights = scores
        self.mixed = (scores @ self.v).transpose(0, 2, 1, 3).reshape(h.shape)
        self.out = self.mixed @ w[f"heads{layer}"]

    def back(self, dout: np.ndarray, gradients: dict) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradients of h and of the scores."""
        texts, heads, length, _ = self.v.shape
        gradients[f"heads{self.layer}"] += self.mixed.T @ dout
        dmixed = (dout @ self.w[f"heads{self.layer}"].T).reshape(texts, length, heads, HEAD_DIM).transpose(0, 2, 1, 3)
        dscores = dmixed @ self.v.swapaxes(2, 3)
        dscores -= np.einsum("bhij,bhij->bhi", dscores, self.weights)[..., None]
        dscores *= self.weights
        back = None if self.entered.turn is None else self.entered.turn.conj()
        dqkv = np.empty((texts, length, 3, heads, HEAD_DIM), dout.dtype)
        to = dqkv.transpose(2, 0, 3, 1, 4)
        to[0] = turned(dscores @ self.k, back)
        to[1] = turned(dscores.swapaxes(2, 3) @ self.q, back)
        to[:2] *= HEAD_DIM**-0.5
        to[2] = self.weights.swapaxes(2, 3) @ dmixed
        dqkv = dqkv.reshape(len(self.h), -1)
        gradients[f"qkv{self.layer}"] += self.h.T @ dqkv
        return dqkv @ self.w[f"qkv{self.layer}"].T, dscores


@cache
def later(length: int, dtype: np.dtype) -> np.ndarray:
    """Return what keeps a query from later keys: 0 up to itself, beyond it far below every score."""
    return np.triu(np.full((length, length), -1e9, dtype), 1)


class Transformer:
    """One pass over texts: what the model says, and on the way back, how each weight should change.

    `weights` are those of `drawn`; x is a row for each token of each text, (texts · length, d_model).
    """

    def __init__(self, weights: dict[str, np.ndarray], tokens: np.ndarray, entered: Entered):
        self.w, self.tokens, self.entered = weights, tokens, entered
        x = weights["tokens"][tokens]
        if entered.rows is not None:
            x += entered.rows
        x = x.reshape(-1, D_MODEL)
        self.layers = []
        for layer in range(LAYERS):
            first = normed(x)
            attention = Attention(weights, layer, first.x, entered, len(tokens))
            x = x + attention.out
            second = normed(x)
            hidden = second.x @ weights[f"up{layer}"]
            hidden += weights[f"shift{layer}"]
            np.maximum(hidden, 0, out=hidden)
            x = x + hidden @ weights[f"down{layer}"]
            self.layers.append((first, attention, second, hidden))
        self.last = normed(x)
        self.logits = (self.last.x @ weights["out"]).reshape(*tokens.shape, SYMBOLS)

    def loss(self, answers: np.ndarray) -> tuple[float, float, np.ndarray]:
        """Return mean cross-entropy and accuracy where there are answers, and the gradient of the logits."""
        asked = answers.reshape(-1) != NONE
        logits, right = self.logits.reshape(-1, SYMBOLS)[asked], answers.reshape(-1)[asked]
        rows = np.arange(len(right))
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        loss = -np.log(np.maximum(p[rows, right], 1e-30)).mean()
        accuracy = (logits.argmax(axis=1) == right).mean()
        p[rows, right] -= 1
        back = np.zeros((len(asked), SYMBOLS), logits.dtype)
        back[asked] = p / len(right)
        return float(loss), float(accuracy), back

    def back(self, dlogits: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        """Return the gradients of the weights, of the rows that were added, (length, d_model), and of the biases."""
        w = self.w
        gradients = {name: np.zeros_like(one) for name, one in w.items() if name in SHAPES}
        gradients["out"] += self.last.x.T @ dlogits
        dx = normed_back(self.last, dlogits @ w["out"].T)
        dbias = 0
        for layer in reversed(range(LAYERS)):
            first, attention, second, hidden = self.layers[layer]
            gradients[f"down{layer}"] += hidden.T @ dx
            dhidden = dx @ w[f"down{layer}"].T
            dhidden *= hidden > 0
            gradients[f"up{layer}"] += second.x.T @ dhidden
            gradients[f"shift{layer}"] += dhidden.sum(axis=0)
            dx = dx + normed_back(second, dhidden @ w[f"up{layer}"].T)
            dfirst, dscores = attention.back(dx, gradients)
            if self.entered.bias is not None:
                dbias = dbias + dscores.sum(axis=0)
            dx = dx + normed_back(first, dfirst)
        one_hot = np.eye(VOCABULARY, dtype=dx.dtype)[self.tokens.reshape(-1)]
        gradients["tokens"] += one_hot.T @ dx
        return gradients, dx.reshape(*self.tokens.shape, D_MODEL).sum(axis=0), dbias
