"""Where the time of one slider step goes, inside the kernel.

    python -m tests.benchmarks.step

What the wire and the browser add is the difference to `tests.benchmarks.live`.
"""

import statistics
import time
from collections import defaultdict
from contextlib import contextmanager

from posenc_lib import explore
from posenc_lib.encodings.sample import Sample
from posenc_lib.live import stage
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.settings import Settings
from posenc_lib.views import Panel

PARTS = (  # (what the reader calls it, where it happens); a part within another one is taken out of it
    ("limits of the sliders", Settings, "fit"),
    ("the arrays", Sample, "_tables"),
    ("moving the artists", Panel, "update"),
    ("axes, ticks and labels", stage.Stage, "_draw_axes"),
    ("drawing what moved", stage.Stage, "frame"),
    ("PNG", stage, "encode"),
    ("the line of words", Panel, "describe"),
    ("all of it", Explorer, "_refresh"),
)
SLIDERS = {"base": [1e3, 2e3], "query": [20, 21], "seq_len": [127, 128]}
STEPS = 60


@contextmanager
def timed():
    """Let each part report its own time, without that of the parts inside it; yield the times by part, in ms."""
    taken, running, kept = defaultdict(float), [], []

    def wrap(name, function):
        def run(*args, **values):
            start, inside = time.perf_counter(), len(running)
            running.append(0.0)
            try:
                return function(*args, **values)
            finally:
                whole = 1e3 * (time.perf_counter() - start)
                taken[name] += whole - running.pop()
                if inside:
                    running[-1] += whole

        return run

    for name, owner, attribute in PARTS:
        before = vars(owner)[attribute]
        kept.append((owner, attribute, before))
        if hasattr(before, "func"):  # a cached property keeps its function
            kept.append((before, "func", before.func))
            before.func = wrap(name, before.func)
        else:
            setattr(owner, attribute, wrap(name, before))
    try:
        yield taken
    finally:
        for owner, attribute, before in kept:
            setattr(owner, attribute, before)


def measure(slider: str) -> dict[str, float]:
    """Return the median milliseconds of each part over some steps of a slider."""
    seen = defaultdict(list)
    panel = explore("sinusoidal", seq_len=(120, 136), d_model=64, base=(10, 1e6), start={"seq_len": 128})
    with timed() as taken:
        for k in range(STEPS):
            taken.clear()
            panel.sliders[slider].value = SLIDERS[slider][k % 2]
            for name, _, _ in PARTS:
                seen[name].append(taken[name])
    panel.close()
    return {name: statistics.median(times[2:]) for name, times in seen.items()}


if __name__ == "__main__":
    measured = {slider: measure(slider) for slider in SLIDERS}
    print(f"{'ms in the kernel, three views':<32}" + "".join(f"{slider:>10}" for slider in measured))
    for name, _, _ in PARTS[:-1]:
        print(f"{name:<32}" + "".join(f"{parts[name]:>10.2f}" for parts in measured.values()))
    print(f"{'the rest':<32}" + "".join(f"{parts['all of it']:>10.2f}" for parts in measured.values()))
    print(f"{'sum':<32}" + "".join(f"{sum(parts.values()):>10.2f}" for parts in measured.values()))
