"""Tables, rotations and dot products beside the libraries people use, as ratios in one run.

    python -m tests.benchmarks.tables

The peers are the extra `posenc_lib[benchmark]`; without them NumPy is all that is compared. "copy"
is the time of `result.copy()`, the least that a fresh result of that size can take. All results are
fresh: what a way returns is freed before the next one, and memory of this size comes from the
system anew. Read the ratios, not the milliseconds.
"""

import math
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import posenc_lib as pe

LENGTH, DIM = 131_072, 128
FAR = 1_000_003  # a position where angles in float32 have lost their digits
HEADS = (1, 32, 4096, 128)
ROUNDS = 7

try:
    import torch
    from rotary_embedding_torch import apply_rotary_emb
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
except ImportError as missing:
    torch = None
    print(f"without peers ({missing})")


def seconds(way: Callable) -> float:
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


def compare(title: str, ways: dict[str, Callable], result: np.ndarray) -> None:
    """Time some ways by turns and print medians and ratios; the first way is ours."""
    ways = ways | {"copy": result.copy}
    turns = [{name: 1e3 * seconds(way) for name, way in ways.items()} for _ in range(ROUNDS + 1)]
    turns = turns[1:]  # the first is to warm up
    middle = {name: statistics.median(turn[name] for turn in turns) for name in ways}
    ours = next(iter(middle.values()))
    print(f"\n{title:<58}{'ms':>9}{'÷ ours':>9}{'× copy':>9}")
    for name, ms in middle.items():
        print(f"  {name:<56}{ms:>9.2f}{ms / ours:>9.2f}{ms / middle['copy']:>9.2f}")


def usual_table(xp, positions, dtype):
    """Return what most code makes with NumPy or torch (xp): sines and cosines of outer products."""
    computed = xp.float64 if xp is np else dtype
    frequencies = xp.exp(xp.arange(0, DIM, 2, dtype=computed) * (-math.log(10_000.0) / DIM))
    angles = xp.outer(xp.asarray(positions, dtype=computed), frequencies)
    table = xp.empty((len(angles), DIM), dtype=dtype)
    table[:, 0::2], table[:, 1::2] = xp.sin(angles), xp.cos(angles)
    return table


def tables() -> None:
    for dtype in ("float64", "float32"):
        ours = partial(pe.sinusoidal, LENGTH, DIM, dtype=dtype)
        usual = partial(usual_table, np, np.arange(LENGTH), dtype)
        ways = {"posenc_lib.sinusoidal": ours, "NumPy, sin and cos of an outer product": usual}
        if torch:
            theirs = partial(usual_table, torch, torch.arange(LENGTH), getattr(torch, dtype))
            ways[f"torch, {torch.get_num_threads()} threads"] = theirs
        compare(f"table {LENGTH:,} × {DIM} {dtype}", ways, ours())


def rotations() -> None:
    """Time `rope`, which makes its angles, beside turning by given angles, exact or narrow."""
    x = np.random.default_rng(0).normal(size=HEADS).astype(np.float32)
    exact = pe.freqs_cis(*HEADS[2:])
    narrow = exact.astype(np.complex64)
    cos, sin, complex_x = narrow.real.copy(), narrow.imag.copy(), x.view(np.complex64)
    dims = {"interleaved": (slice(0, None, 2), slice(1, None, 2))}
    dims["half"] = (slice(64), slice(64, None))
    for pairing in dims:
        ways = {"posenc_lib.rope": partial(pe.rope, x, pairing=pairing)}
        ways["posenc_lib.apply_rope"] = partial(pe.apply_rope, x, exact, pairing=pairing)
        own_precision = partial(pe.apply_rope, x, narrow, pairing=pairing)
        ways["posenc_lib.apply_rope, complex64"] = own_precision
        ways["NumPy slices"] = partial(slices, x, cos, sin, *dims[pairing])
        if pairing == "interleaved":
            ways["NumPy, complex numbers"] = lambda: (complex_x * narrow).view(np.float32)
        if torch:
            ways |= peers(x, narrow)[pairing]
        compare(f"turn {HEADS} float32, {pairing}", ways, x)


def slices(x, cos, sin, first, second) -> None:
    """Turn x as most NumPy code does."""
    out = np.empty_like(x)
    a, b = x[..., first], x[..., second]
    out[..., first], out[..., second] = a * cos - b * sin, a * sin + b * cos


def peers(x: np.ndarray, freqs_cis: np.ndarray) -> dict[str, dict[str, Callable]]:
    """Return how other libraries turn x, by pairing."""
    tensor, angle = map(torch.from_numpy, (x, np.angle(freqs_cis)))
    cos, sin = (f(torch.cat([angle, angle], dim=-1))[None] for f in (torch.cos, torch.sin))
    one = tensor[:, :1, :1]  # transformers turns query and key at once: here hardly any key

    def lucid():
        return apply_rotary_emb(angle.repeat_interleave(2, dim=-1), tensor)

    def llama():
        return apply_rotary_pos_emb(tensor, one, cos, sin)

    half = {"transformers (Llama)": llama}
    return {"interleaved": {"rotary-embedding-torch": lucid}, "half": half}


def similarities() -> None:
    def ours():
        return pe.sinusoidal_kernel(pe.relative_offsets(1, 4096), 512)

    table = pe.sinusoidal(4096, 512)
    ways = {"posenc_lib.sinusoidal_kernel": ours}
    ways["NumPy, P @ P.T (table given)"] = lambda: table @ table.T
    compare("all dot products of 4096 positions, d = 512", ways, ours())


def precision() -> None:
    """Print how far a table is from the truth, computed in extended precision."""
    angles = FAR * np.longdouble(10_000) ** -(np.arange(0, DIM, 2, dtype=np.longdouble) / DIM)
    made = {"posenc_lib": pe.sinusoidal([FAR], DIM, dtype="float32")}
    made["NumPy"] = usual_table(np, [FAR], "float64")
    if torch:
        made["torch"] = usual_table(torch, [FAR], torch.float32).numpy()
    print(f"\nlargest error at position {FAR:,}")
    for name, (row,) in made.items():
        error = max(abs(row[0::2] - np.sin(angles)).max(), abs(row[1::2] - np.cos(angles)).max())
        print(f"  {f'{name}, {row.dtype}':<56}{float(error):>9.1e}")


if __name__ == "__main__":
    for part in (tables, rotations, similarities, precision):
        part()
