"""A process that makes the calls of one row, as their numbers come in; and the one that watches."""

import importlib
import json
import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from posenc_lib import explore

from .case import Case, fault_of

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 3.0  # times the seconds of CPU that a call may take: then it is stopped
LONG = 120.0  # seconds of a clock after which one is stopped that does nothing
ROOM = 1 << 30  # bytes that a call may take
STARTS = 300.0  # seconds that a worker may take to import everything
# what no call of the library does of itself
WATCHED = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.")
WATCHED += ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.", "pickle.find_class")
ROWS = {  # row: the module that has its cases
    "values": "values",
    "configs": "configs",
    "pasted": "configs",
    "lines": "lines",
    "names": "files",
    "ids": "files",
    "trial": "trial",
}


def cases_of(row: str) -> list[Case]:
    """Return all cases of a row, in an order that is always the same."""
    return getattr(importlib.import_module(f".{ROWS[row]}", __package__), row)()


def serve(row: str) -> None:
    """Make the calls whose numbers come in, a line each, and tell what is wrong with each."""
    channel = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a call prints is no answer
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    cases, asked, watching = cases_of(row), [], [False]
    explore("sinusoidal", views="heatmap", seq_len=8).close()  # what comes first takes its time

    def watch(event, arguments):
        if not watching[0]:
            return
        if event == "open" and isinstance(arguments[2], int):
            if arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                asked.append(f"open {arguments[0]!r}")
        elif event.startswith(WATCHED):
            asked.append(f"{event} {str(arguments)[:100]}")

    sys.addaudithook(watch)
    print("ready", file=channel)
    for line in sys.stdin:
        case, here = cases[int(line)], psutil.Process().memory_info().vms
        resource.setrlimit(resource.RLIMIT_AS, (here + ROOM, resource.RLIM_INFINITY))
        watching[0] = True
        fault = fault_of(case, asked)
        watching[0] = False
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print(json.dumps(fault), file=channel)


class Worker:
    """A process that makes calls; one that takes too long is stopped, and another one started."""

    def __init__(self, row: str, folder: Path):
        self.row, self.folder, self._run = row, folder, None

    def _start(self) -> None:
        command = [sys.executable, "-m", "tests.trust.sabotage.worker", self.row]
        own = {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "default"}
        room = {"cwd": self.folder, "env": os.environ | own, "start_new_session": True}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._run = subprocess.Popen(command, **room, **pipes)
        self._seen, self._process = selectors.DefaultSelector(), psutil.Process(self._run.pid)
        self._seen.register(self._run.stdout, selectors.EVENT_READ)
        assert self._heard(STARTS, STARTS) == b"ready\n", f"no worker for {self.row}"

    def fault(self, number: int, seconds: float) -> str:
        """Return what is wrong with the answer to a call that may take seconds of CPU."""
        if self._run is None:
            self._start()
        self._run.stdin.write(f"{number}\n".encode())
        self._run.stdin.flush()
        heard = self._heard(PATIENCE * seconds, LONG)
        if heard is not None and heard.endswith(b"\n"):
            return json.loads(heard)
        died = self._run.wait() if heard is not None else None  # it has closed its end
        self.stop()
        if heard is not None:
            return f"raw error: the process ended ({died})"
        return f"late: no answer after {PATIENCE * seconds:g} s of CPU or {LONG:g} s, stopped"

    def _heard(self, cpu: float, seconds: float) -> bytes | None:
        """Return the next line, empty where the process ended; None where it takes too long."""
        begun, used = time.monotonic(), self._used()
        while not self._seen.select(0.2):
            if time.monotonic() - begun > seconds or self._used() - used > cpu:
                return None
        return self._run.stdout.readline()

    def _used(self) -> float:
        try:
            return sum(self._process.cpu_times()[:2])
        except psutil.Error:
            return 0.0

    def stop(self) -> None:
        """End the process."""
        if self._run:
            self._run.kill()
            self._run.communicate()
            self._seen.close()
            self._run = None


def tried(row: str, numbers: list[int], folder: Path) -> Iterator[tuple[int, str]]:
    """Yield the number of each case and what is wrong with its answer."""
    worker, cases = Worker(row, folder), cases_of(row)
    try:
        for number in numbers:
            yield number, worker.fault(number, cases[number].seconds)
    finally:
        worker.stop()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is its parent's
    serve(sys.argv[1])
