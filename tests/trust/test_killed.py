"""Killed at sixty random moments, the commands leave every file wholly old or wholly new, and no process behind."""

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import matplotlib.image
import nbformat
import psutil
import pytest

from posenc_lib.__main__ import main
from posenc_lib.training.table import Table

FIGURES = "toeplitz wavelengths shaw_clip t5_buckets sine_waves neighbour_steps sinusoidal_heatmap".split()
COMMANDS = {  # name: (how often it is killed, the files it replaces, and their kinds)
    "figures, alone": (21, FIGURES[:2], ["png", "svg"]),
    "figures, in parallel": (18, FIGURES, ["svg"]),
    "notebooks": (11, ["a", "b", "c"], ["ipynb"]),
    "train": (10, ["runs"], ["json"]),
}
TRAIN = ["train", "--encodings", "alibi,learned,t5", "--tasks", "look_back", "--seeds", "0-1", "--steps", "30", "--out"]
READERS = {  # what no half of a file gets past
    "svg": ElementTree.fromstring,
    "png": lambda data: matplotlib.image.imread(io.BytesIO(data)),
    "ipynb": lambda data: nbformat.validate(nbformat.reads(data.decode(), as_version=4)),
    "json": json.loads,
}
STATUS = {  # what a shell is told: 128 and the signal's number, by the command or, before it has begun, by the system
    signal.SIGINT: (130, -2),
    signal.SIGTERM: (143, -15),
    signal.SIGKILL: (-9,),
}
pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look for processes in")


def old(name):
    """Return what stands in a file before the command runs: a notebook that nobody has run, no runs, or any bytes."""
    if name.endswith(".json"):
        return Table({}).bytes()
    if not name.endswith(".ipynb"):
        return b"old"
    cell = nbformat.v4.new_code_cell("print('position\\n' * 20_000)", id="one")
    return nbformat.writes(nbformat.v4.new_notebook(cells=[cell])).encode()


def begin(command, folder):
    """Write the old files and start the command in their folder; its temporary folder marks all it starts."""
    _, names, kinds = COMMANDS[command]
    work = folder / "work"
    work.mkdir(parents=True)
    for name in [f"{name}.{kind}" for name in names for kind in kinds]:
        (work / name).write_bytes(old(name))
    asked = {"notebooks": ["notebooks", "."], "train": [*TRAIN, "runs.json"]}.get(command)
    asked = asked or ["figures", "make", *names, "--format", ",".join(kinds)]
    environment = os.environ | {"TMPDIR": str(folder), "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}
    arguments = [sys.executable, "-m", "posenc_lib", *asked]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(arguments, cwd=work, env=environment, start_new_session=True, **streams)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "work").iterdir()) if path.is_file()}


def left(folder):
    """Wait until no process is left that a command in this folder has started, 20 s at most; return those that are."""
    for _ in range(100):
        running = psutil.process_iter(["environ"])
        started = [p for p in running if (p.info["environ"] or {}).get("TMPDIR") == str(folder)]
        if not started:
            break
        time.sleep(0.2)
    return started


def killed(command, folder, number, moment, writing):
    """Send a signal to a run so many seconds after it began, or began to write; return how it ended."""
    work = begin(command, folder)
    while writing and work.poll() is None and all(data == old(name) for name, data in contents(folder).items()):
        time.sleep(0.01)
    time.sleep(moment)
    send = os.killpg if number == signal.SIGINT else os.kill  # a terminal sends Ctrl-C to all; the others go to one
    if work.poll() is None:
        send(work.pid, number)
    told = work.communicate(timeout=60)[1]
    return SimpleNamespace(signal=number, status=work.returncode, told=told, files=contents(folder), left=left(folder))


@pytest.fixture(scope="module", params=COMMANDS)
def whole(request, tmp_path_factory):
    """A command, how many seconds it takes, and the files of a run that nobody stops."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    start = time.monotonic()
    work = begin(request.param, folder)
    told = work.communicate()[1]
    assert work.returncode == 0, told
    return request.param, time.monotonic() - start, contents(folder)


@pytest.fixture(scope="module")
def ends(whole, tmp_path_factory):
    """How the runs ended that were killed at random moments, two at a time, half of them while files were written."""
    command, seconds, _ = whole
    rng = random.Random(command)
    signals = [list(STATUS)[turn % len(STATUS)] for turn in range(COMMANDS[command][0])]
    writing = [bool(turn // len(STATUS) % 2) for turn in range(len(signals))]
    moments = [rng.uniform(0, seconds / 3 if late else 1.2 * seconds) for late in writing]
    places = [tmp_path_factory.mktemp("killed") / "run" for _ in signals]
    with ThreadPoolExecutor(2) as two:
        return list(two.map(killed, [command] * len(signals), places, signals, moments, writing))


def early(end):
    """Return whether Ctrl-C came while Python itself or NumPy was loading, before the command had begun."""
    begun = re.search(r'__main__\.py", line \d+, in main|Stopped', end.told)
    alike = (-signal.SIGINT, 1)  # 1: without its site module
    dropped = end.status == 0 and "Exception ignored in" in end.told  # as Python does in some callbacks
    return end.signal == signal.SIGINT and (end.status in alike or dropped) and not begun


def fewer(data, new) -> bool:
    """Return whether a file holds some of the runs that the whole one holds, each of them whole."""
    some, every = (json.loads(each)["runs"] if each.startswith(b"{") else [] for each in (data, new))
    return bool(some) and all(run in every for run in some)


@pytest.mark.slow
def test_the_files_of_a_whole_run_are_what_they_should_be(whole):
    for name, data in whole[2].items():
        assert data != old(name)
        READERS[name.rpartition(".")[2]](data)


@pytest.mark.slow
def test_every_file_is_wholly_old_or_wholly_new_and_no_process_is_left(whole, ends, record_property):
    command, seconds, new = whole
    for end in ends:
        asides = {name for name in end.files if name.startswith(".") and name.endswith(".part")}
        assert not asides or end.signal == signal.SIGKILL
        assert set(end.files) - asides == set(new)
        assert [n for n in new if end.files[n] not in (old(n), new[n]) and not fewer(end.files[n], new[n])] == []
        assert end.left == []
    record_property(f"{command}, killed", f"{len(ends)} times in {seconds:.1f} s")


@pytest.mark.slow
def test_a_stopped_command_says_so_by_its_status_without_a_traceback(whole, ends):
    _, _, new = whole
    for end in ends:
        finished = end.status == 0 and all(end.files[name] == new[name] for name in new)
        assert finished or early(end) or end.status in STATUS[end.signal], end
        told = end.told
        if end.signal == signal.SIGKILL:  # it leaves those behind that are just being started
            told = re.sub(r"Traceback[^\0]*?spawn_main[^\0]*?EOFError: Ran out of input\n", "", told)
        assert "Traceback" not in told or early(end), told  # those it has started are silent, too


@pytest.mark.slow
def test_training_goes_on_where_it_was_killed_and_comes_to_the_same_file(whole, ends, tmp_path):
    command, _, new = whole
    for number, end in enumerate(ends if command == "train" else ()):
        out = tmp_path / f"{number}.json"
        out.write_bytes(end.files["runs.json"])
        assert main([*TRAIN, str(out)]) == 0
        assert out.read_bytes() == new["runs.json"]
