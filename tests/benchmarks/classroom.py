"""What a class costs: learners who open one lesson at once and drag in it, each with a kernel.

python -m tests.benchmarks.classroom [LEARNERS [LESSON]]

Every learner runs the whole notebook at once; then each drags the first slider of whole numbers, 20
moves, the next one half a second after the last picture has come. The server and the browsers are
not in these numbers.
"""

import asyncio
import itertools
import statistics
import sys
import time
from pathlib import Path

import nbformat
import psutil
from jupyter_client.manager import AsyncKernelManager

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
MOVES, PAUSE, PATIENCE = 20, 0.5, 600  # seconds


class Learner:
    """A kernel that has run a notebook, and what a page would know of its widgets."""

    def __init__(self):
        self.comms = {}

    async def open(self, cells: list[str]) -> float:
        """Start a kernel and run the cells; return the seconds until the last has ended."""
        begun = time.monotonic()
        self.manager = AsyncKernelManager(kernel_name="python3")
        await self.manager.start_kernel(cwd=str(NOTEBOOKS))
        self.client = self.manager.client()
        self.client.start_channels()
        await self.client.wait_for_ready(timeout=PATIENCE)
        for cell in cells:
            await self._until_idle(self.client.execute(cell))
        return time.monotonic() - begun

    async def _until_idle(self, number: str) -> bool:
        """Take in what one message leads to; return whether a picture was among it."""
        seen = False
        while True:
            told = await self.client.get_iopub_msg(timeout=PATIENCE)
            if told["msg_type"] == "comm_open":
                self.comms[told["content"]["comm_id"]] = told["content"]["data"].get("state", {})
            if told["parent_header"].get("msg_id") != number:
                continue
            if told["msg_type"] == "comm_msg":
                seen |= any(bytes(buffer)[1:4] == b"PNG" for buffer in told["buffers"])
            if told["msg_type"] == "status" and told["content"]["execution_state"] == "idle":
                return seen

    async def drag(self) -> list[float]:
        """Move the first slider of whole numbers; return the seconds from move to picture."""
        comms, whole = self.comms.items(), "IntSliderModel"
        name, slider = next(one for one in comms if one[1].get("_model_name") == whole)
        took = []
        for move in range(MOVES):
            state = {"value": slider["value"] + 1 + move % 8}
            data = {"method": "update", "state": state, "buffer_paths": []}
            message = self.client.session.msg("comm_msg", {"comm_id": name, "data": data})
            begun = time.monotonic()
            self.client.shell_channel.send(message)
            assert await self._until_idle(message["header"]["msg_id"]), "no picture came"
            took.append(time.monotonic() - begun)
            await asyncio.sleep(PAUSE)
        return took

    def cost(self) -> tuple[float, float]:
        """Return the memory the kernel holds, in MB, and the processor seconds it has taken."""
        kernel = psutil.Process(self.manager.provisioner.pid)
        spent = kernel.cpu_times()
        return kernel.memory_info().rss / 1e6, spent.user + spent.system

    async def close(self) -> None:
        """Stop the kernel."""
        self.client.stop_channels()
        await self.manager.shutdown_kernel(now=True)


async def measure(number: int, path: Path) -> None:
    """Print what so many learners take who open a notebook together."""
    book = nbformat.read(path, as_version=4)
    cells = [cell.source for cell in book.cells if cell.cell_type == "code"]
    learners = [Learner() for _ in range(number)]
    try:
        opened = await asyncio.gather(*(one.open(cells) for one in learners))
        held, spent = zip(*(one.cost() for one in learners), strict=True)
        moves = sorted(itertools.chain(*await asyncio.gather(*(one.drag() for one in learners))))
        usual, slow = moves[len(moves) // 2] * 1e3, moves[9 * len(moves) // 10] * 1e3
        print(f"{number} learners, {path.stem}: the last has opened it after {max(opened):.1f} s")
        spent, usually = statistics.median(spent), statistics.median(held)
        print(f"  a kernel takes {spent:.1f} s of a processor, {usually:.0f} MB")
        print(f"  all kernels together {sum(held) / 1e3:.1f} GB")
        print(f"  from a move to its picture {usual:.0f} ms, in nine of ten {slow:.0f} ms")
    finally:
        await asyncio.gather(*(one.close() for one in learners), return_exceptions=True)


if __name__ == "__main__":
    count, lesson = (sys.argv[1:] + ["40", "06"][len(sys.argv) - 1 :])[:2]
    (book,) = NOTEBOOKS.glob(f"{lesson}*.ipynb")
    asyncio.run(measure(int(count), book))
