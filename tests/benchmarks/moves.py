"""How much CPU one move of a slider takes, as a ratio to the three pictures of lesson 00.

Run it with `python -m tests.benchmarks.moves`. All panels are moved in turns, in one process, and
nothing is shown on a page: this is the kernel's part, from the slider's value to the picture's PNG.
"""

import statistics
import time
from itertools import chain

import posenc_lib as pe

ROUNDS, STEPS = 3, 60


def panels() -> dict:
    """Return each panel with the slider that moves and the values that it takes."""
    bases = {"base": (10, 1e6)}
    usual = pe.explore("sinusoidal", **bases)
    fern = {"seq_len": 64, "d_model": 64, "offset": (-63, 63), "look_back": (0, 20)} | bases
    fern = pe.explore("sinusoidal", views="phasor_sum", **fern)
    tape = {"seq_len": 512, "head_dim": 16, "content": "random", "offset": (-8, 8)}
    tape = pe.explore("rope", views="rotated_together", frozen="ylim", **tape)
    arcs = {"rope_type": "linear", "factor": (1, 8), "pairing": ["interleaved", "half"]}
    arcs = pe.explore("previous_head", views="attention_arcs", **arcs)
    ten = [value for _, value in usual.sliders["base"].options][:: 101 // STEPS]
    return {
        "sinusoidal, base": (usual, "base", ten),
        "phasor_sum, offset": (fern, "offset", range(-30, 30)),
        "phasor_sum, base": (fern, "base", ten),
        "phasor_sum, look_back": (fern, "look_back", range(21)),
        "rotated_together, query": (tape, "query", range(100, 160)),
        "rotated_together, offset": (tape, "offset", range(-8, 9)),
        "attention_arcs, query": (arcs, "query", range(35)),
        "attention_arcs, factor": (arcs, "factor", (1, 2, 4, 8)),
    }


def main() -> None:
    """Print a row for each panel."""
    taken: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, (panel, slider, values) in panels().items():
            for value in chain(values, reversed(values)):
                begun = time.process_time()
                panel.set(**{slider: value})
                taken.setdefault(name, []).append(1000 * (time.process_time() - begun))
            panel.close()
    first = statistics.median(taken["sinusoidal, base"])
    print("| move | ms of CPU, median | × the first |\n|---|---|---|")
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"| {name} | {median:.1f} | {median / first:.2f} |")


if __name__ == "__main__":
    main()
