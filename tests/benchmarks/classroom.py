"""What a class costs: two encodings beside one, and memory and processor time of one learner's kernel.

python -m tests.benchmarks.classroom
"""

import statistics
import time
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient

from posenc_lib import playground
from posenc_lib.live.settings import steps

PAIRS = (("sinusoidal", "rope"), ("rope", "alibi"), ("sine", "sinusoidal"), ("t5", "shaw"))
ROUNDS = 40


def step_time(names: str) -> float:
    """Return the median time in ms from a slider's move to the finished picture, in the kernel."""
    ground = playground(f"{names}: dot_product, similarity, score_by_offset")
    slider = ground.sides[0].sliders["query"]
    values, times = steps(slider), []
    for k in range(ROUNDS):
        begin = time.perf_counter()
        slider.value = values[(7 * k) % len(values)]
        times.append(1000 * (time.perf_counter() - begin))
    ground.close()
    return statistics.median(times[5:])


def learner(path: Path) -> tuple[float, float]:
    """Return (memory in MB, processor seconds) of a kernel in which a whole notebook was run and is still open."""
    book = nbformat.read(path, as_version=4)
    client = NotebookClient(book, timeout=300, kernel_name="python3")
    with client.setup_kernel(cwd=str(path.parent)):
        for index, cell in enumerate(book.cells):
            client.execute_cell(cell, index)
        kernel = psutil.Process(client.km.provisioner.pid)
        spent = kernel.cpu_times()
        return kernel.memory_info().rss / 1e6, spent.user + spent.system


if __name__ == "__main__":
    print(f"{'one step of the query, kernel, ms':<34} {'one':>8} {'two':>8}   two ÷ one")
    for pair in PAIRS:
        one, two = max(map(step_time, pair)), step_time("+".join(pair))
        print(f"{' and '.join(pair):<34} {one:>8.1f} {two:>8.1f} {two / one:>11.2f}")
    print(f"\n{'one learner, all explorers open':<34} {'memory':>8} {'processor':>10}")
    for path in sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb")):
        memory, seconds = learner(path)
        print(f"{path.stem:<34} {memory:>5.0f} MB {seconds:>8.1f} s")
