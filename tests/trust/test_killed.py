"""Killed at fifty random moments, both commands leave every file wholly old or wholly new, and no process behind."""

import io
import os
import random
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import matplotlib.image
import nbformat
import pytest

FIGURES = "toeplitz wavelengths shaw_clip t5_buckets sine_waves neighbour_steps sinusoidal_heatmap".split()
COMMANDS = {  # name: (how often it is killed, its arguments, the files it replaces)
    "figures, alone": (
        21,
        ["figures", "make", *FIGURES[:2]],
        [f"{name}.{kind}" for name in FIGURES[:2] for kind in ("png", "svg")],
    ),
    "figures, in parallel": (18, ["figures", "make", *FIGURES], [f"{name}.svg" for name in FIGURES]),
    "notebooks": (11, ["notebooks", "."], ["a.ipynb", "b.ipynb", "c.ipynb"]),
}
STATUS = {  # what a shell is told: 128 and the signal's number, by the command or, before it has begun, by the system
    signal.SIGINT: (130, -2),
    signal.SIGTERM: (143, -15),
    signal.SIGKILL: (-9,),
}
pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look for processes in")


class End(NamedTuple):
    """How one killed run ended."""

    signal: int
    status: int
    told: str
    files: dict
    left: list


def begin(command, folder):
    """Write the old files and start the command in their folder; its temporary folder marks all it starts."""
    work = folder / "work"
    work.mkdir(parents=True)
    for name in COMMANDS[command][2]:
        (work / name).write_bytes(old(name))
    environment = os.environ | {"TMPDIR": str(folder), "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}
    return subprocess.Popen(
        [sys.executable, "-m", "posenc_lib", *COMMANDS[command][1], *kinds(command)],
        cwd=work,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kinds(command):
    """Return the arguments that name the formats."""
    found = sorted({name.rpartition(".")[2] for name in COMMANDS[command][2]})
    return [] if found == ["ipynb"] else ["--format", ",".join(found)]


def old(name):
    """Return what stands in a file before the command runs: a notebook that nobody has run, or any bytes."""
    if not name.endswith(".ipynb"):
        return b"old"
    cell = nbformat.v4.new_code_cell("print('position\\n' * 20_000)", id="one")
    return nbformat.writes(nbformat.v4.new_notebook(cells=[cell])).encode()


def running(folder):
    """Return the processes that a command in this folder has started and that still run."""
    return [pid for pid in filter(str.isdigit, os.listdir("/proc")) if f"TMPDIR={folder}\0".encode() in marks(pid)]


def marks(pid):
    """Return the environment that a process was started with; a dead one has none."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as environment:
            return environment.read()
    except OSError:
        return b""


def gone(folder):
    """Wait until no process is left, 20 s at most; return those that are."""
    for _ in range(200):
        if not running(folder):
            return []
        time.sleep(0.1)
    return running(folder)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "work").iterdir()) if path.is_file()}


@pytest.fixture(scope="module", params=COMMANDS)
def whole(request, tmp_path_factory):
    """A command, how many seconds it takes, and the files of a run that nobody stops."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    start = time.monotonic()
    work = begin(request.param, folder)
    told = work.communicate()[1]
    assert work.returncode == 0, told
    return request.param, time.monotonic() - start, contents(folder)


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
    return End(number, work.returncode, told, contents(folder), gone(folder))


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
    begun = re.search(r'__main__\.py", line \d+, in main', end.told)
    return end.signal == signal.SIGINT and end.status in (-signal.SIGINT, 1) and not begun  # 1: without its site module


def orphaned(told):
    """Return what is told without the words of processes that were just starting when who started them was killed."""
    return re.sub(r"Traceback[^\0]*?spawn_main[^\0]*?EOFError: Ran out of input\n", "", told)


@pytest.mark.slow
def test_the_files_of_a_whole_run_are_what_they_should_be(whole):
    command, _, files = whole
    assert set(files) == set(COMMANDS[command][2])
    for name, data in files.items():
        assert data != old(name)
        if name.endswith(".svg"):
            assert ElementTree.fromstring(data).tag.endswith("svg")
        elif name.endswith(".png"):
            assert matplotlib.image.imread(io.BytesIO(data)).shape[2] in (3, 4)
        else:
            nbformat.validate(nbformat.reads(data.decode(), as_version=4))


@pytest.mark.slow
def test_every_file_is_wholly_old_or_wholly_new(whole, ends, record_property):
    command, seconds, new = whole
    parts = 0
    for end in ends:
        asides = {name for name in end.files if name.startswith(".") and name.endswith(".part")}
        assert not asides or end.signal == signal.SIGKILL
        parts += len(asides)
        assert set(end.files) - asides == set(new)
        assert [n for n in new if end.files[n] not in (old(n), new[n])] == []
    counts = [sum(end.files[name] == new[name] for name in new) for end in ends]
    untouched, finished = counts.count(0), counts.count(len(new))
    record_property(
        f"{command}, killed {len(ends)} times in {seconds:.1f} s",
        f"nothing new {untouched}, some {len(ends) - untouched - finished}, all {finished}; hidden parts left {parts}",
    )


@pytest.mark.slow
def test_no_process_is_left_behind(ends):
    assert [end.left for end in ends if end.left] == []


@pytest.mark.slow
def test_a_stopped_command_says_so_by_its_status_without_a_traceback(whole, ends, record_property):
    _, _, new = whole
    for end in ends:
        finished = end.status == 0 and all(end.files[name] == new[name] for name in new)
        assert finished or early(end) or end.status in STATUS[end.signal], end
        told = orphaned(end.told) if end.signal == signal.SIGKILL else end.told
        assert "Traceback" not in told or early(end), end.told  # those it has started are silent, too
    record_property("Ctrl-C before the command had begun", sum(map(early, ends)))
