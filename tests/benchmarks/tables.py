"""Tables, rotations and dot products beside the libraries people use, as ratios in one run.

    python -m tests.benchmarks.tables

The peers are the extra `posenc_lib[benchmark]`; those that are not installed are left out. "copy" is the time of
`result.copy()`, the least that a fresh result of that size can take. Read the ratios, not the milliseconds.
"""

import statistics
import time
import tracemalloc
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
    from positional_encodings.torch_encodings import PositionalEncoding1D
    from rotary_embedding_torch import apply_rotary_emb
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
except ImportError as missing:
    torch = None
    print(f"without peers ({missing})")


def plain_table(positions, dtype=np.float64) -> np.ndarray:
    """Return what most NumPy code does: sines and cosines of an outer product."""
    angles = np.multiply.outer(np.asarray(positions, float), 10_000.0 ** -(np.arange(0, DIM, 2) / DIM))
    table = np.empty((len(angles), DIM), dtype)
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


def torch_table(positions, dtype):
    """Return what most torch code does, in the given dtype throughout."""
    t = torch.as_tensor(positions).to(dtype)
    angles = torch.outer(t, torch.exp(torch.arange(0, DIM, 2, dtype=dtype) * (-np.log(10_000.0) / DIM)))
    table = torch.empty(len(t), DIM, dtype=dtype)
    table[:, 0::2], table[:, 1::2] = torch.sin(angles), torch.cos(angles)
    return table


def double_loop(rows: int) -> np.ndarray:
    """Return some rows as tutorials make them, number by number."""
    import math

    table = np.empty((rows, DIM))
    for t in range(rows):
        for i in range(0, DIM, 2):
            angle = t / 10_000 ** (i / DIM)
            table[t, i], table[t, i + 1] = math.sin(angle), math.cos(angle)
    return table


def compare(title: str, ways: dict[str, Callable], copied: np.ndarray | None = None) -> None:
    """Time some ways by turns and print medians and ratios; the first way is ours."""
    if copied is not None:
        ways = {**ways, "copy": copied.copy}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(ROUNDS + 1):
        for name, way in ways.items():
            start = time.perf_counter()
            result = way()
            taken[name].append(time.perf_counter() - start)
            del result
            if turn == 0:
                taken[name].clear()  # the first turn warms up
    middle = {name: 1e3 * statistics.median(times) for name, times in taken.items()}
    ours = next(iter(middle.values()))
    print(f"\n{title:<58}{'ms':>9}{'÷ ours':>9}{'× copy':>9}")
    for name, ms in middle.items():
        copies = f"{ms / middle['copy']:>9.2f}" if "copy" in middle else ""
        print(f"  {name:<56}{ms:>9.2f}{ms / ours:>9.2f}{copies}")


def tables() -> None:
    """Time whole tables."""
    for dtype in (np.float64, np.float32):
        ways = {"posenc_lib.sinusoidal": lambda dtype=dtype: pe.sinusoidal(LENGTH, DIM, dtype=dtype)}
        ways["NumPy, sin and cos of an outer product"] = lambda dtype=dtype: plain_table(np.arange(LENGTH), dtype)
        if torch:
            kind = getattr(torch, np.dtype(dtype).name)
            ways[f"torch, {torch.get_num_threads()} threads"] = lambda kind=kind: torch_table(range_of(LENGTH), kind)
            if dtype == np.float32:
                ways["positional-encodings"] = partial(library_table, PositionalEncoding1D(DIM))
        compare(f"table {LENGTH:,} × {DIM} {np.dtype(dtype).name}", ways, pe.sinusoidal(LENGTH, DIM, dtype=dtype))
    compare(
        "512 × 128 float32",
        {"ours": lambda: pe.sinusoidal(512, DIM, dtype=np.float32)}
        | {"NumPy": lambda: plain_table(np.arange(512), np.float32)},
    )
    start = time.perf_counter()
    double_loop(256)
    loop = (time.perf_counter() - start) / 256 * LENGTH
    print(f"\n  the double loop of tutorials would take {1e3 * loop:,.0f} ms (measured on 256 rows)")


def range_of(length: int):
    return torch.arange(length)


def library_table(encode):
    """Return the table of positional-encodings, without the one it keeps from the call before."""
    encode.cached_penc = None
    return encode(torch.empty(1, LENGTH, DIM))


def rotations() -> None:
    """Time turning queries by a table that is given."""
    x = np.random.default_rng(0).normal(size=HEADS).astype(np.float32)
    hands = pe.phasors(HEADS[2], HEADS[3]).astype(np.complex64)
    cos, sin = hands.real.copy(), hands.imag.copy()

    def slices(first, second):
        out = np.empty_like(x)
        a, b = x[..., first], x[..., second]
        out[..., first], out[..., second] = a * cos - b * sin, a * sin + b * cos
        return out

    pairs = {"interleaved": (slice(0, None, 2), slice(1, None, 2)), "half": (slice(64), slice(64, None))}
    for pairing, dims in pairs.items():
        ways = {"posenc_lib.apply_rope": lambda pairing=pairing: pe.apply_rope(x, hands, pairing=pairing)}
        ways["NumPy slices"] = lambda dims=dims: slices(*dims)
        if pairing == "interleaved":
            ways["NumPy, complex numbers"] = lambda: (x.view(np.complex64) * hands).view(np.float32)
        if torch:
            ways |= torch_rotations(x, hands, pairing)
        compare(f"turn {HEADS} float32, {pairing}", ways, x)


def torch_rotations(x: np.ndarray, hands: np.ndarray, pairing: str) -> dict[str, Callable]:
    """Return the peers' ways to turn, with one thread and with all."""
    tensor, turned = torch.from_numpy(x), torch.from_numpy(hands)
    angle = torch.from_numpy(np.angle(hands))
    if pairing == "interleaved":
        peers = {
            "torch, complex (as Meta's Llama)": lambda: torch.view_as_real(
                torch.view_as_complex(tensor.reshape(*HEADS[:3], -1, 2)) * turned
            ).flatten(3),
            "rotary-embedding-torch": lambda: apply_rotary_emb(angle.repeat_interleave(2, dim=-1), tensor),
        }
    else:
        cos, sin = (f(torch.cat([angle, angle], dim=-1))[None] for f in (torch.cos, torch.sin))
        one = tensor[:, :1, :1]  # transformers turns query and key at once: here hardly any key
        peers = {"transformers (Llama)": lambda: apply_rotary_pos_emb(tensor, one, cos, sin)[0]}
    return {f"{name}, {n} thread{'s' * (n > 1)}": on(n, way) for name, way in peers.items() for n in THREADS}


THREADS = (1, torch.get_num_threads()) if torch else ()


def on(threads: int, way: Callable) -> Callable:
    """Return a way that runs on so many threads."""

    def run():
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            return way()
        finally:
            torch.set_num_threads(before)

    return run


def similarities() -> None:
    """Time all dot products of a sinusoidal table."""
    table = pe.sinusoidal(4096, 512)
    ways = {"posenc_lib.sinusoidal_similarity": lambda: pe.sinusoidal_similarity(4096, 512)}
    compare("similarity 4096 × 4096, d = 512", ways | {"NumPy, P @ P.T (table given)": lambda: table @ table.T})


def precision() -> None:
    """Print how far tables are from the truth, computed in extended precision."""
    frequencies = np.longdouble(10_000) ** -(np.arange(0, DIM, 2, dtype=np.longdouble) / DIM)

    def error(row, position):
        exact = np.sin(position * frequencies), np.cos(position * frequencies)
        return float(max(np.abs(row[0::2] - exact[0]).max(), np.abs(row[1::2] - exact[1]).max()))

    last = LENGTH - 1
    print(f"\n{'largest error':<58}{'float64':>11}{'float32':>11}")
    far = {dtype: pe.sinusoidal(FAR + np.arange(2), DIM, dtype=dtype)[0] for dtype in (np.float64, np.float32)}
    print(f"  {f'ours at {last:,}':<56}{error(pe.sinusoidal(LENGTH, DIM)[last], last):>11.1e}", end="")
    print(f"{error(pe.sinusoidal(LENGTH, DIM, dtype=np.float32)[last], last):>11.1e}")
    print(f"  {f'ours at {FAR:,}':<56}{error(far[np.float64], FAR):>11.1e}{error(far[np.float32], FAR):>11.1e}")
    print(f"  {f'NumPy at {FAR:,}':<56}{error(plain_table([FAR])[0], FAR):>11.1e}")
    if torch:
        wide, narrow = (torch_table([FAR], kind)[0].numpy() for kind in (torch.float64, torch.float32))
        print(f"  {f'torch at {FAR:,}':<56}{error(wide, FAR):>11.1e}{error(narrow, FAR):>11.1e}")


def growth() -> None:
    """Print time per number and peak memory as the table grows."""
    print(f"\n{'growth: positions':<30}{'ns per number':>16}{'peak memory ÷ result':>24}")
    for power in range(12, 21, 2):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            table = pe.sinusoidal(2**power, DIM)
            times.append(time.perf_counter() - start)
        tracemalloc.start()
        pe.sinusoidal(2**power, DIM)
        peak = tracemalloc.get_traced_memory()[1] / table.nbytes
        tracemalloc.stop()
        print(f"  2^{power:<26}{1e9 * statistics.median(times) / table.size:>16.2f}{peak:>24.3f}")


if __name__ == "__main__":
    for part in (tables, rotations, similarities, precision, growth):
        part()
