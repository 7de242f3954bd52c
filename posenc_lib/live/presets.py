"""Panels worth showing: a name to call each by, the line that opens it, and what it shows."""

PRESETS = {
    "binary's jump": (
        "binary: odometer, steps; seq_len=16, d_model=4, query=7",
        "From 7 to 8 all four bits flip: the longest step of all. Move the query on.",
    ),
    "an idea that survives": (
        "binary: waves, heatmap; seq_len=32, d_model=5 | sine: waves, heatmap; seq_len=32, d_model=5, num_waves=3",
        "Bits flip slowly above and fast below; sines are the same wheels, made smooth and upside down.",
    ),
    "sine meets itself": (
        "sine: closest_pair, waves; seq_len=100, d_model=2",
        "Positions 11 and 99 all but share a point. Give it more dims.",
    ),
    "equal steps": (
        "sine+sinusoidal: steps; seq_len=64, d_model=8",
        "Beside its sine each wave has a cosine now: every step is as long as every other.",
    ),
    "base 100 wraps": (
        "sinusoidal: trajectory, heatmap, dot_product; seq_len=48, base=100, query=24",
        "With a small base these waves come round and round: points crowd on their circle. Raise the base.",
    ),
    "what the base does": (
        "sinusoidal: wavelengths_by_base, kernel_by_base; seq_len=256, d_model=128, base=10000",
        "A larger base makes longer waves, and dot products that reach farther.",
    ),
    "integers drown the word": (
        "integer+sinusoidal: token_cosine; seq_len=64, d_model=64, embed_scale=8",
        "Added integers leave next to nothing of a word; sinusoidal positions leave most of it.",
    ),
    "RoPE: only the offset counts": (
        "rope: vectors, score_by_offset; seq_len=32, head_dim=2, content=random, query=5, offset=3",
        "Play the query: both arrows turn, their dot product rests.",
    ),
    "added or turned": (
        "rope: similarity, additive_scores; seq_len=64, content=random",
        "The same query and key: turned, every diagonal has one colour; with positions added, it has many.",
    ),
    "Shaw clips": (
        "shaw: bucket_map, bucket_by_offset; seq_len=32, clip=4",
        "Beyond the clip all offsets share a row. Widen it.",
    ),
    "T5's handfuls": (
        "t5: bucket_by_offset, bucket_map; seq_len=200, max_distance=128",
        "Near offsets have a bucket each, far ones share ever larger handfuls.",
    ),
    "ALiBi past the length": (
        "learned+alibi: attention_row; seq_len=96, num_positions=64, query=60, causal=True",
        "A learned table ends at 64; ALiBi goes on. Make the text longer.",
    ),
    "ALiBi's rulers": (
        "alibi: head_biases, attention_span; seq_len=128, num_heads=8, query=127",
        "Each head reaches about twice as far as the one before, until the text ends.",
    ),
    "ports gone wrong": (
        "rope: permutation, checkpoint_port; seq_len=32, head_dim=8, content=random, permuted=False",
        "Weights made for interleaved pairs, turned as halves: wrong everywhere but at the query. Permute them.",
    ),
}
