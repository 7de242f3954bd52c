"""Where the time of one slider step goes, inside the kernel.

    python -m tests.benchmarks.step

What the wire and the browser add is the difference to `tests.benchmarks.live`.
"""

import statistics
import time
from collections import defaultdict
from contextlib import ExitStack
from functools import partial
from unittest import mock

from posenc_lib import explore
from posenc_lib.encodings.base import Vectors
from posenc_lib.live.explorer import Explorer, Settings
from posenc_lib.views import panel
from posenc_lib.views.panel import BlitCanvas, Panel

PARTS = {  # what the reader calls it: where it happens
    "limits of the sliders": (Settings, "settle"),
    "the arrays": (vars(Vectors)["queries_keys"], "func"),  # a cached property keeps its function
    "moving the artists, and words": (Panel, "update"),
    "axes, ticks and labels": (BlitCanvas, "_draw_axes"),
    "drawing what moved": (BlitCanvas, "frame"),
    "PNG": (panel, "encode"),
    "the rest": (Explorer, "_refresh"),
}
SLIDERS = {"base": [1e3, 2e3], "query": [20, 21], "seq_len": [127, 128]}
STEPS = 60


def timed(name: str, function, taken: dict):
    """Return the function with its time noted in ms, without that of the parts inside it."""

    def run(*args, **values):
        start, before = time.perf_counter(), sum(taken.values())
        result = function(*args, **values)
        inside = sum(taken.values()) - before
        taken[name] += 1e3 * (time.perf_counter() - start) - inside
        return result

    return run


def measure(slider: str) -> list[float]:
    """Return the median milliseconds of each part over some steps of a slider."""
    taken, steps = defaultdict(float), []
    explorer = explore("sinusoidal", seq_len=(120, 136), d_model=64, base=(10, 1e6), start={"seq_len": 128})
    with ExitStack() as patches:
        for name, (owner, attribute) in PARTS.items():
            wrapped = timed(name, getattr(owner, attribute), taken)
            patches.enter_context(mock.patch.object(owner, attribute, wrapped))
        for k in range(STEPS):
            taken.clear()
            explorer.sliders[slider].value = SLIDERS[slider][k % 2]
            steps.append([taken[name] for name in PARTS])
    explorer.close()
    return [statistics.median(times) for times in zip(*steps[2:], strict=True)]


if __name__ == "__main__":
    row = partial("{:<32}{:>10}{:>10}{:>10}".format)
    print(row("ms in the kernel, three views", *SLIDERS))
    columns = [measure(slider) for slider in SLIDERS]
    for name, *times in [*zip(PARTS, *columns, strict=True), ("sum", *map(sum, columns))]:
        print(row(name, *(f"{ms:.2f}" for ms in times)))
