"""What a class costs: memory and processor time of one learner's kernel.

python -m tests.benchmarks.classroom
"""

from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient


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
    for path in sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb")):
        memory, seconds = learner(path)
        print(f"{path.stem:<34} {memory:>5.0f} MB {seconds:>8.1f} s")
