"""A small transformer in NumPy, forward and backward, gradients written out.

x has one row per token of each text, (texts · length, d_model). Each layer adds to it twice:

    x = x + attention(rms_norm(x))
    x = x + relu(rms_norm(x) @ up + shift) @ down

On the way back, dx is the gradient of the loss with respect to x, and so on. For y = x @ w,
dw = xᵀ @ dy and dx = dy @ wᵀ. Whatever is used twice, like x above, gets both gradients' sum.
"""

import numpy as np

from posenc_lib.encodings.offsets import relative_offsets
from posenc_lib.lessons.training.positions import SPREAD, Entered, Size
from posenc_lib.lessons.training.tasks import NONE, SYMBOLS, VOCABULARY

LAYERS = 2
LEAST = 1e-6  # added to a mean square before its root


def shapes(size: Size) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of weights, by name."""
    d, inner = size.d_model, size.heads * size.head_dim
    named: dict[str, tuple[int, ...]] = {"tokens": (VOCABULARY, d), "out": (d, SYMBOLS)}
    for layer in range(LAYERS):
        named[f"qkv{layer}"] = d, 3 * inner
        named[f"heads{layer}"] = inner, d
        named[f"up{layer}"] = d, size.hidden
        named[f"shift{layer}"] = (size.hidden,)
        named[f"down{layer}"] = size.hidden, d
    return named


def drawn(rng: np.random.Generator, size: Size) -> dict[str, np.ndarray]:
    """Return the weights before training, by name: N(0, 1/rows) for matrices."""
    weights = {name: rng.normal(size=shape) for name, shape in shapes(size).items()}
    for name, w in weights.items():
        w *= SPREAD if name == "tokens" else 0 if name.startswith("shift") else len(w) ** -0.5
    return weights


def rms_norm(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return x / √(mean of x²) row by row, and 1/√…; a gain would be part of the next matrix."""
    scale = 1 / np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / x.shape[1] + x.dtype.type(LEAST))
    return x * scale, scale


def rms_norm_back(normed: np.ndarray, scale: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """Return the gradient of x: dy without its part along the row, times scale.

    The norm takes that part away.
    """
    along = np.einsum("ij,ij->i", normed, dy)[:, None] / dy.shape[1]
    return (dy - normed * along) * scale


def turned(x: np.ndarray, turn: np.ndarray | None) -> np.ndarray:
    """Return x, (…, length, head_dim), with each pair of dims, as a complex number, times turn."""
    return x if turn is None else (x.view(turn.dtype) * turn).view(x.dtype)


def exchanged(x: np.ndarray) -> np.ndarray:
    """Return x with keys exchanged for distances back to them, or the other way around.

    x has shape (…, length, length). Later keys and distances before the text get 0.
    """
    from_query = np.maximum(-relative_offsets(x.shape[-1]), 0)
    return np.tril(np.take_along_axis(x, np.broadcast_to(from_query, x.shape), axis=-1))


class Attention:
    """Causal attention of a layer's heads: softmax(q·(k + vector)/√d + bias) @ v.

    q and k may be turned.
    """

    def __init__(
        self, w: dict, layer: int, h: np.ndarray, entered: Entered, texts: int, size: Size
    ):
        self.w, self.layer, self.h, self.turn = w, layer, h, entered.turn
        self.vectors = entered.vectors
        qkv = (h @ w[f"qkv{layer}"]).reshape(texts, -1, 3, size.heads, size.head_dim)
        # each (texts, heads, length, head_dim)
        q, k, self.v = np.ascontiguousarray(qkv.transpose(2, 0, 3, 1, 4))
        self.q, self.k = turned(q, self.turn), turned(k, self.turn)
        scores = self.q @ self.k.swapaxes(2, 3)
        if self.vectors is not None:
            scores += exchanged(self.q @ self.vectors.T)
        scores *= size.head_dim**-0.5
        if entered.bias is not None:
            scores += entered.bias
        scores[:, :, ~np.tri(scores.shape[-1], dtype=bool)] = -np.inf  # no query sees a later key
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        self.weights = weights / weights.sum(axis=-1, keepdims=True)
        mixed = (self.weights @ self.v).transpose(0, 2, 1, 3)
        self.mixed = mixed.reshape(len(h), -1)  # the heads side by side
        self.out = self.mixed @ w[f"heads{layer}"]

    def back(self, dout: np.ndarray, gradients: dict) -> tuple[np.ndarray, Entered]:
        """Return the gradients of h and of what entered; put those of weights among the others."""
        texts, heads, length, head_dim = self.v.shape
        gradients[f"heads{self.layer}"] = self.mixed.T @ dout
        dmixed = (dout @ self.w[f"heads{self.layer}"].T).reshape(texts, length, heads, head_dim)
        dmixed = dmixed.transpose(0, 2, 1, 3)
        dweights = dmixed @ self.v.swapaxes(2, 3)
        mean = np.einsum("bhij,bhij->bhi", dweights, self.weights)[..., None]
        dscores = (dweights - mean) * self.weights  # weights sum to 1: only differences count
        # a rotation's gradient is turned back
        unturn = None if self.turn is None else self.turn.conj()
        dqkv = np.empty((texts, length, 3, heads, head_dim), dout.dtype)
        dq, dk, dv = dqkv.transpose(2, 0, 3, 1, 4)
        dq[:] = turned(dscores @ self.k, unturn) * head_dim**-0.5
        dk[:] = turned(dscores.swapaxes(2, 3) @ self.q, unturn) * head_dim**-0.5
        dv[:] = self.weights.swapaxes(2, 3) @ dmixed
        dvectors = None
        if self.vectors is not None:
            by_distance = exchanged(dscores) * head_dim**-0.5
            dq += by_distance @ self.vectors
            dvectors = np.einsum("bhin,bhid->nd", by_distance, self.q)
        dqkv = dqkv.reshape(len(self.h), -1)
        gradients[f"qkv{self.layer}"] = self.h.T @ dqkv
        d = Entered(bias=dscores.sum(axis=0), vectors=dvectors)
        return dqkv @ self.w[f"qkv{self.layer}"].T, d


class Transformer:
    """One pass over texts of tokens: its `logits`, and on the way back the gradients of weights."""

    def __init__(
        self,
        weights: dict[str, np.ndarray],
        tokens: np.ndarray,
        entered: tuple[Entered, ...],  # layer by layer
        size: Size,
    ):
        self.w, self.tokens, self.layers = weights, tokens, []
        x = weights["tokens"][tokens]
        if entered[0].rows is not None:
            x += entered[0].rows
        x = x.reshape(-1, size.d_model)
        for layer in range(LAYERS):
            first = rms_norm(x)
            attention = Attention(weights, layer, first[0], entered[layer], len(tokens), size)
            x = x + attention.out
            second = rms_norm(x)
            hidden = np.maximum(second[0] @ weights[f"up{layer}"] + weights[f"shift{layer}"], 0)
            x = x + hidden @ weights[f"down{layer}"]
            self.layers.append((first, attention, second, hidden))
        self.last = rms_norm(x)
        self.logits = (self.last[0] @ weights["out"]).reshape(*tokens.shape, SYMBOLS)

    def loss(self, answers: np.ndarray) -> tuple[float, float, np.ndarray]:
        """Return mean cross-entropy and accuracy where there are answers, and logits' gradients."""
        asked = answers.reshape(-1) != NONE
        logits, right = self.logits.reshape(-1, SYMBOLS)[asked], answers.reshape(-1)[asked]
        rows = np.arange(len(right))
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        loss = -np.log(np.maximum(p[rows, right], 1e-30)).mean()
        accuracy = (logits.argmax(axis=1) == right).mean()
        p[rows, right] -= 1  # the gradient of −log softmax: what was said minus what is right
        dlogits = np.zeros((len(asked), SYMBOLS), logits.dtype)
        dlogits[asked] = p / len(right)
        return float(loss), float(accuracy), dlogits

    def back(self, dlogits: np.ndarray) -> tuple[dict[str, np.ndarray], Entered]:
        """Return the gradients of weights and of what entered, summed over layers."""
        w, dbias, dvectors = self.w, 0, 0
        gradients = {"out": self.last[0].T @ dlogits}
        dx = rms_norm_back(*self.last, dlogits @ w["out"].T)
        for layer in reversed(range(LAYERS)):
            first, attention, second, hidden = self.layers[layer]
            gradients[f"down{layer}"] = hidden.T @ dx
            dhidden = dx @ w[f"down{layer}"].T * (hidden > 0)
            gradients[f"up{layer}"] = second[0].T @ dhidden
            gradients[f"shift{layer}"] = dhidden.sum(axis=0)
            dx = dx + rms_norm_back(*second, dhidden @ w[f"up{layer}"].T)
            dfirst, d = attention.back(dx, gradients)
            dbias = dbias + d.bias
            dvectors = dvectors if d.vectors is None else dvectors + d.vectors
            dx = dx + rms_norm_back(*first, dfirst)
        one_hot = np.eye(VOCABULARY, dtype=dx.dtype)[self.tokens.reshape(-1)]
        gradients["tokens"] = one_hot.T @ dx
        drows = dx.reshape(*self.tokens.shape, -1).sum(axis=0)
        return gradients, Entered(rows=drows, bias=dbias, vectors=dvectors)
