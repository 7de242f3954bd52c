"""Panels worth showing: a name to call each by, the line that opens it, what it shows, and what to move."""

from typing import NamedTuple


class Preset(NamedTuple):
    """What is shown, in a line and in a sentence, and the sliders to move; Play moves the first.

    The sentence holds wherever these stand, but for those of ends: it goes when one of them moves.
    """

    line: str
    says: str
    moves: tuple[str, ...]
    speed: str = "medium"
    ends: tuple[str, ...] = ()


PRESETS = {
    "binary's jump": Preset(
        "binary: odometer, steps; seq_len=16, d_model=4, query=7",
        "From 7 to 8 all four bits flip: the longest step of all. Play the query, and watch which bits flip.",
        ("query", "seq_len"),
    ),
    "an idea that survives": Preset(
        "binary+sine: waves; seq_len=32, d_model=5, num_waves=5",
        "Bits flip slowly above and fast below; sines are the same wheels, made smooth and upside down.",
        ("seq_len", "num_waves"),
    ),
    "sine meets itself": Preset(
        "sine: closest_pair, waves; seq_len=100, d_model=2",
        "In two dims, positions 11 and 99 all but share a point. Give it more dims.",
        ("d_model", "num_waves"),
        ends=("d_model",),
    ),
    "equal steps": Preset(
        "sine+sinusoidal: steps; seq_len=64, d_model=8",
        "Beside its sine each wave has a cosine now: every step is as long as every other.",
        ("base", "seq_len", "d_model"),
        "fast",
    ),
    "base 100 wraps": Preset(
        "sinusoidal: trajectory, heatmap, dot_product; seq_len=48, base=100, query=24",
        "With a small base these waves come round and round: points crowd on their circle. Raise the base.",
        ("base", "query", "seq_len"),
        "fast",
    ),
    "what the base does": Preset(
        "sinusoidal: wavelengths_by_base, kernel_by_base; seq_len=256, d_model=128, base=10000",
        "A larger base makes longer waves, and dot products that reach farther.",
        ("base", "d_model"),
        "fast",
    ),
    "integers drown the word": Preset(
        "integer+sinusoidal: token_cosine; seq_len=64, d_model=64, embed_scale=8",
        "Added integers leave next to nothing of a word; sinusoidal positions leave most of it.",
        ("embed_scale", "seq_len"),
        "fast",
    ),
    "RoPE: only the offset counts": Preset(
        "rope: vectors, score_by_offset; seq_len=32, head_dim=2, content=random, query=5, offset=3",
        "Play the query: both arrows turn, their dot product rests.",
        ("query", "offset"),
    ),
    "added or turned": Preset(
        "rope: similarity, additive_scores; seq_len=64, content=random",
        "The same query and key: turned, every diagonal has one colour; with positions added, it has many.",
        ("seq_len", "head_dim", "base"),
    ),
    "one word everywhere": Preset(
        "sinusoidal+rope: token_scores; seq_len=64, d_model=64, head_dim=64, word_norm=8, matrices=True",
        "The same word at every position, through two random matrices: only RoPE keeps its diagonals.",
        ("word_norm", "seq_len"),
    ),
    "Shaw clips": Preset(
        "shaw: bucket_map, bucket_by_offset; seq_len=32, clip=4",
        "Beyond the clip all offsets share a row. Widen it.",
        ("clip", "seq_len", "offset", "query"),
    ),
    "T5's handfuls": Preset(
        "t5: bucket_by_offset, bucket_map; seq_len=200, max_distance=128, offset=-20",
        "Near offsets have a bucket each, far ones share ever larger handfuls; negative is the past.",
        ("offset", "max_distance", "num_buckets", "seq_len"),
        "fast",
    ),
    "ALiBi past the length": Preset(
        "learned+alibi: attention_row; seq_len=96, num_positions=64, query=56, causal=True",
        "A learned table ends at 64; ALiBi goes on. Play the query past 63.",
        ("query", "seq_len"),
        "fast",
    ),
    "ALiBi's rulers": Preset(
        "alibi: head_biases, attention_span; seq_len=128, num_heads=8, query=127",
        "Each head reaches about twice as far as the one before, until the text ends.",
        ("head", "num_heads", "seq_len"),
        "slow",
        ("num_heads",),
    ),
    "ports gone wrong": Preset(
        "rope: permutation, checkpoint_port; seq_len=32, head_dim=8, content=random, permuted=False",
        "Weights made for interleaved pairs, turned as halves: wrong everywhere but at the query. Permute them.",
        ("permuted", "query", "head_dim"),
        "slow",
        ("permuted",),
    ),
    "RoPE at four times its length": Preset(
        "rope: lookback, anywhere; rope_type=linear, factor=4, trained=512, look_back=16, times=4",
        "Positions squeezed to a quarter: all distances still count alike, but who looks back misses. Try yarn.",
        ("look_back", "times"),
        "fast",
    ),
    "attention thins out": Preset(
        "t5: dilution; seq_len=32, max_distance=64, bidirectional=False, look_back=3, times=4, sharpen=ln T / ln L",
        "In a longer text attention thins out (grey); sharper scores hold it together (blue). Lengthen the text.",
        ("times", "look_back"),
        "slow",
    ),
    "what a scaling does to each pair": Preset(
        "rope: frequencies; head_dim=128, rope_type=yarn, trained=512, factor=4, times=4",
        "YaRN keeps pairs that turn often in training and divides those that do not come round. Try another type.",
        ("factor", "rope_type", "trained", "times"),
        "slow",
        ("rope_type",),
    ),
    "Llama 3.1's parts": Preset(
        "llama_3_1: frequencies; times=4",
        "Fast pairs are kept, slow ones slowed eight times, and few lie in between. Lengthen the text.",
        ("times",),
    ),
    "Gemma 3's two bases": Preset(
        "gemma_3: frequencies; layer=sliding_attention",
        "Layers that look at all tokens turn slowly, those with a window fast: change the layer.",
        ("layer", "times"),
    ),
    "Qwen 2.5 with YaRN": Preset(
        "qwen_2_5: frequencies, angles_seen; times=4",
        "Slowed four times, no pair meets a new angle in a text four times as long. Make it longer still.",
        ("times",),
        ends=("times",),
    ),
    "Phi-3's cliff": Preset(
        "phi_3: cliff; past=1",
        "One token more than in training, and nearly all frequencies change at once. Drag back across the edge.",
        ("past",),
    ),
    "DeepSeek-V3's ramp": Preset(
        "deepseek_v3: frequencies, angles_seen; times=16",
        "Few of its dims turn at all, by YaRN for forty times the length. Shorten the text again.",
        ("times",),
    ),
    "a diagonal comes into sight": Preset(
        "rope_2d: directions, window_head; base=10, pairs=axial, tilt=0, wish=diagonal",
        "Pairs that turn by row or by column cannot see a diagonal; turned to 45 degrees, they can. Play the tilt.",
        ("tilt", "base"),
    ),
    "a picture among words": Preset(
        "mrope: axis_positions, axis_of_pair; model=Qwen2-VL, before=5, tall=4, wide=6, after=3",
        "A picture takes as many positions as its longer side has patches. Make it wider, then taller.",
        ("wide", "tall"),
        "slow",
    ),
    "a fit by heart": Preset(
        "fourier: signal_fit; scale=1, features=64, points=32",
        "Waves too slow blur the curve, waves too fast know its points by heart and nothing between. Play the scale.",
        ("scale", "draw", "points"),
        "slow",
    ),
    "the best head of RoPE": Preset(
        "rope: best_head; seq_len=32, head_dim=16, look_back=3",
        "Fitted on 32 tokens, it loses its token step by step in longer texts. More dims help, mostly.",
        ("head_dim", "look_back"),
        "slow",
    ),
    "gates that leak": Preset(
        "cope: leaking_count; seq_len=205, npos=32, leak=0.01, every=41",
        "Five tokens should count, two hundred should not; a hundredth of each of these makes two. Close the gates.",
        ("leak", "every"),
    ),
}
