"""Tables, rotations and dot products beside the libraries people use, as ratios in one run.

    python -m tests.benchmarks.tables

The peers are the extra `posenc_lib[benchmark]`; without them NumPy is all that is compared. "copy" is the time of
`result.copy()`, the least that a fresh result of that size can take. Read the ratios, not the milliseconds.
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
DTYPES = ("float64", "float32")

try:
    import torch
    from positional_encodings.torch_encodings import PositionalEncoding1D
    from rotary_embedding_torch import apply_rotary_emb
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
except ImportError as missing:
    torch = None
    print(f"without peers ({missing})")


def seconds(way: Callable) -> float:
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


def compare(title: str, ways: dict[str, Callable], result: np.ndarray | None = None) -> None:
    """Time some ways by turns, once more to warm up, and print medians and ratios; the first way is ours."""
    ways = ways | ({} if result is None else {"copy": result.copy})
    turns = [{name: 1e3 * seconds(way) for name, way in ways.items()} for _ in range(ROUNDS + 1)][1:]
    middle = {name: statistics.median(turn[name] for turn in turns) for name in ways}
    ours = next(iter(middle.values()))
    print(f"\n{title:<58}{'ms':>9}{'÷ ours':>9}{'× copy':>9}")
    for name, ms in middle.items():
        copies = "" if result is None else f"{ms / middle['copy']:>9.2f}"
        print(f"  {name:<56}{ms:>9.2f}{ms / ours:>9.2f}{copies}")


def usual_table(xp, positions, dtype):
    """Return what most code does with NumPy or torch (xp): sines and cosines of an outer product."""
    computed = xp.float64 if xp is np else dtype
    frequencies = xp.exp(xp.arange(0, DIM, 2, dtype=computed) * (-math.log(10_000.0) / DIM))
    angles = xp.outer(xp.asarray(positions, dtype=computed), frequencies)
    table = xp.empty((len(angles), DIM), dtype=dtype)
    table[:, 0::2], table[:, 1::2] = xp.sin(angles), xp.cos(angles)
    return table


def library_table(encode):
    """Return the table of positional-encodings, without the one it keeps from the call before."""
    encode.cached_penc = None
    return encode(torch.empty(1, LENGTH, DIM))


def tables() -> None:
    for dtype in DTYPES:
        ours = partial(pe.sinusoidal, LENGTH, DIM, dtype=dtype)
        usual = partial(usual_table, np, np.arange(LENGTH), dtype)
        ways = {"posenc_lib.sinusoidal": ours, "NumPy, sin and cos of an outer product": usual}
        if torch:
            theirs = partial(usual_table, torch, torch.arange(LENGTH), getattr(torch, dtype))
            ways[f"torch, {torch.get_num_threads()} threads"] = theirs
        if torch and dtype == "float32":
            ways["positional-encodings"] = partial(library_table, PositionalEncoding1D(DIM))
        compare(f"table {LENGTH:,} × {DIM} {dtype}", ways, ours())


def rotations() -> None:
    """Time turning queries by a table that is given."""
    x = np.random.default_rng(0).normal(size=HEADS).astype(np.float32)
    freqs_cis = pe.freqs_cis(*HEADS[2:]).astype(np.complex64)
    dims = {"interleaved": (slice(0, None, 2), slice(1, None, 2)), "half": (slice(64), slice(64, None))}
    for pairing in dims:
        ways = {"posenc_lib.apply_rope": partial(pe.apply_rope, x, freqs_cis, pairing=pairing)}
        ways["NumPy slices"] = partial(slices, x, freqs_cis.real.copy(), freqs_cis.imag.copy(), *dims[pairing])
        if pairing == "interleaved":
            ways["NumPy, complex numbers"] = lambda: (x.view(np.complex64) * freqs_cis).view(np.float32)
        for name, way in peers(x, freqs_cis)[pairing].items() if torch else ():
            for threads in (1, torch.get_num_threads()):
                ways[f"{name}, {threads} thread{'s' * (threads > 1)}"] = partial(on, threads, way)
        compare(f"turn {HEADS} float32, {pairing}", ways, x)


def whole() -> None:
    """Time `rope` itself, which makes its angles, beside `apply_rope` with exact ones: all rows, and one token."""
    x = np.random.default_rng(0).normal(size=HEADS).astype(np.float32)
    exact, used = pe.freqs_cis(*HEADS[2:]), np.empty_like(x)
    for pairing in ("interleaved", "half"):
        ways = {"posenc_lib.rope": partial(pe.rope, x, pairing=pairing)}
        ways["posenc_lib.apply_rope, complex128"] = partial(pe.apply_rope, x, exact, pairing=pairing)
        ways["posenc_lib.apply_rope, complex64"] = partial(
            pe.apply_rope, x, exact.astype(np.complex64), pairing=pairing
        )
        ways["copy into memory that is used already"] = partial(np.copyto, used, x)
        compare(f"rope {HEADS} float32, {pairing}", ways, x)
    token, turned = x[:, :, :1], pe.freqs_cis([100], HEADS[-1])
    many = {"posenc_lib.rope, start_pos=100": partial(pe.rope, token, start_pos=100)}
    many["posenc_lib.apply_rope, angles given"] = partial(pe.apply_rope, token, turned)
    compare("one token of 32 heads, 1,000 times", {name: partial(again, way) for name, way in many.items()})


def again(way: Callable) -> None:
    for _ in range(1000):
        way()


def ids() -> None:
    """Time e^{itθ} for the positions that models are given, beside consecutive ones."""
    n, order = HEADS[2], np.random.default_rng(0).permutation
    packed = np.tile(np.arange(n // 8), 8)
    named = {"consecutive": np.arange(n), "every second": 2 * np.arange(n), "quarters": np.arange(n) / 4}
    named |= {"backwards": np.arange(n)[::-1], "8 texts packed": packed, "these shuffled": order(packed)}
    named |= {
        "padded before": np.r_[np.zeros(1000), np.arange(n - 1000)],
        "each twice": np.repeat(np.arange(n // 2), 2),
    }
    named |= {"a batch of 8, each with its start": 100 * np.arange(8)[:, None] + np.arange(n // 8)}
    ways = {name: partial(pe.freqs_cis, t, HEADS[-1]) for name, t in named.items()}
    compare(f"freqs_cis of {n} positions, dim {HEADS[-1]}", ways)


def slices(x, cos, sin, first, second) -> None:
    """Turn x as most NumPy code does."""
    out = np.empty_like(x)
    a, b = x[..., first], x[..., second]
    out[..., first], out[..., second] = a * cos - b * sin, a * sin + b * cos


def on(threads: int, way: Callable):
    """Call one of torch's ways on so many threads."""
    torch.set_num_threads(threads)
    return way()


def peers(x: np.ndarray, freqs_cis: np.ndarray) -> dict[str, dict[str, Callable]]:
    """Return how other libraries turn x, by pairing."""
    tensor, turned, angle = map(torch.from_numpy, (x, freqs_cis, np.angle(freqs_cis)))
    cos, sin = (f(torch.cat([angle, angle], dim=-1))[None] for f in (torch.cos, torch.sin))
    one = tensor[:, :1, :1]  # transformers turns query and key at once: here hardly any key

    def complex_numbers():
        pairs = torch.view_as_complex(tensor.reshape(*HEADS[:3], -1, 2))
        return torch.view_as_real(pairs * turned).flatten(3)

    interleaved = {"torch, complex (as Meta's Llama)": complex_numbers}
    interleaved["rotary-embedding-torch"] = lambda: apply_rotary_emb(angle.repeat_interleave(2, dim=-1), tensor)
    half = {"transformers (Llama)": lambda: apply_rotary_pos_emb(tensor, one, cos, sin)}
    return {"interleaved": interleaved, "half": half}


def similarities() -> None:
    table, ours = pe.sinusoidal(4096, 512), partial(pe.sinusoidal_similarity, 4096, 512)
    ways = {"posenc_lib.sinusoidal_similarity": ours, "NumPy, P @ P.T (table given)": lambda: table @ table.T}
    compare("similarity 4096 × 4096, d = 512", ways)


def precision() -> None:
    """Print how far tables are from the truth, computed in extended precision."""
    frequencies = np.longdouble(10_000) ** -(np.arange(0, DIM, 2, dtype=np.longdouble) / DIM)

    def told(name: str, position: int, *rows) -> None:
        angles = position * frequencies
        errors = (max(abs(row[0::2] - np.sin(angles)).max(), abs(row[1::2] - np.cos(angles)).max()) for row in rows)
        print(f"  {f'{name} at {position:,}':<56}" + "".join(f"{float(error):>11.1e}" for error in errors))

    print(f"\n{'largest error':<58}{'float64':>11}{'float32':>11}")
    told("ours", LENGTH - 1, *(pe.sinusoidal(LENGTH, DIM, dtype=dtype)[-1] for dtype in DTYPES))
    told("ours", FAR, *(pe.sinusoidal(FAR + np.arange(2), DIM, dtype=dtype)[0] for dtype in DTYPES))
    told("NumPy", FAR, usual_table(np, [FAR], "float64")[0])
    if torch:
        told("torch", FAR, *(usual_table(torch, [FAR], getattr(torch, dtype))[0].numpy() for dtype in DTYPES))


if __name__ == "__main__":
    for part in (tables, rotations, whole, ids, similarities, precision):
        part()
