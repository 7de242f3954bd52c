"""Commands that are stopped, that have no room, that meet; and files of the library's, damaged."""

import io
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import numpy as np
import psutil

from ...conftest import until
from .files import files_in, half
from .worker import ROOT

Tried = Iterator[tuple[str, str]]  # what was tried, and what is wrong with what came of it
OLD = b"old"
FIGURES = "toeplitz angles_seen shaw_clip t5_buckets sine_waves neighbor_steps ladder".split()
CELLS = ["print('1 < 2')", "import time\ntime.sleep({})"]
POSENC = [sys.executable, "-m", "posenc_lib"]
# for one of ours a message is enough, which the commands print as this does
SAVE = """import sys, posenc_lib as pe
try:
    pe.explore("binary", views="heatmap").save({!r})
except (TypeError, ValueError, OSError) as error:
    sys.exit(f"error: {{error}}")"""
LATE = 300.0  # seconds until something has begun, or ended


def environment(**more: str) -> dict[str, str]:
    own = {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    return os.environ | own | more


def ran(command: list[str], **about) -> tuple[int | None, str]:
    """Run a command; return its status, None where it never ends, and what it says of errors."""
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "start_new_session": True}
    with subprocess.Popen(command, **pipes, **about) as run:
        try:
            told = run.communicate(timeout=LATE)[1]
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            return None, "it never ends"
    return run.returncode, told.decode(errors="replace").strip()


def notebook(path: Path, *sources: str) -> None:
    """Write a notebook that has a title."""
    cells = [nbformat.v4.new_markdown_cell(f"# {path.stem}\n\n5 minutes")]
    cells += map(nbformat.v4.new_code_cell, sources)
    book = nbformat.v4.new_notebook(cells=cells)
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    path.parent.mkdir(exist_ok=True, parents=True)
    nbformat.write(book, path)


# Interrupts


def started_in(folder: Path) -> list[psutil.Process]:
    """Return the processes that a command whose temporary folder this is has started."""
    running = psutil.process_iter(["environ"])
    return [p for p in running if (p.info["environ"] or {}).get("TMPDIR") == str(folder)]


def has_kernel(folder: Path) -> bool:
    running = [" ".join(p.cmdline()) for p in started_in(folder) if p.status() != "zombie"]
    return any("ipykernel" in line for line in running)


def changed(files: dict[Path, bytes], folder: Path) -> list[Path]:
    """Return the files that are new or other than they were; half written ones, too."""
    now = files_in(folder)
    return [path for path in now if now[path] != files.get(path)]


def arguments_of(command: str, work: Path) -> list[str]:
    """Fill a folder for a command, and return the command's arguments."""
    if command == "figures":
        for name in FIGURES:
            (work / f"{name}.svg").write_bytes(OLD)
        return ["figures", "make", *FIGURES, "--format", "svg"]
    if command == "train":
        return ["train", "--out", str(work / "runs.json")]
    if command == "notebooks":
        notebook(work / "a.ipynb", CELLS[0])
        notebook(work / "b.ipynb", CELLS[1].format(600))
        return ["notebooks", str(work / "a.ipynb"), str(work / "b.ipynb")]
    for k in range(8):  # so many that other processes make them
        drawn = 'from posenc_lib import figure\nfigure("sine_waves")'
        notebook(work / f"notebooks/{k}.ipynb", *["figure('toeplitz')"] * k, drawn)
    (work / "out").mkdir()
    return ["site", str(work / "out"), str(work / "notebooks")]


def has_begun(command: str, moment: str, process: psutil.Process, work: Path, before: dict) -> bool:
    """Return whether a command is where it shall be stopped."""
    if moment == "while it is imported":
        maps = Path(f"/proc/{process.pid}/maps").read_text()
        return "_multiarray_umath" in maps
    if command == "notebooks" and moment == "in the middle":
        return has_kernel(work.parent) and bool(changed(before, work))
    if command == "train":
        runs = work / "runs.json"
        return runs.exists() and b'"plan"' not in runs.read_bytes() and b"flip" in runs.read_bytes()
    return bool(changed(before, work))


def whole(path: Path) -> bool:
    """Return whether a file is wholly there."""
    data = path.read_bytes()
    if path.suffix in (".json", ".ipynb"):
        try:
            return bool(json.loads(data))
        except ValueError:
            return False
    if path.suffix == ".html":
        return data.rstrip().endswith(b"</html>")
    return not half(path, data)


def stopped(command: str, sign: signal.Signals, moment: str) -> str:
    """Stop a command; return what is wrong with what it says and leaves."""
    with tempfile.TemporaryDirectory() as room:
        folder, work = Path(room).resolve(), Path(room).resolve() / "work"
        work.mkdir()
        given = [*POSENC, *arguments_of(command, work)]
        before = files_in(work)
        about = {"cwd": work, "env": environment(TMPDIR=str(folder)), "start_new_session": True}
        with open(folder / "said", "w") as said:
            run = subprocess.Popen(given, **about, stdout=subprocess.DEVNULL, stderr=said)
        process = psutil.Process(run.pid)
        try:
            begun = until(
                lambda: run.poll() is not None or has_begun(command, moment, process, work, before),
                LATE,
            )
            if not begun or run.poll() is not None:
                return f"not tried: it was never {moment} ({run.poll()})"
            # as a terminal does: Ctrl-C goes to all that the command has started
            os.killpg(run.pid, sign) if sign == signal.SIGINT else run.send_signal(sign)
            status = run.wait(LATE)
            left = not until(lambda: not started_in(folder), 30)
        except subprocess.TimeoutExpired:
            return f"late: still there {LATE:g} s after {sign.name}"
        finally:
            for each in started_in(folder):
                each.kill()
            run.wait()
        told = (folder / "said").read_text()
        return judged(sign, status, told, left) or judged_files(sign, work, before)


def judged(sign: signal.Signals, status: int, told: str, left: bool) -> str:
    """Return what is wrong with what a stopped command says."""
    if left:
        return "process left behind"
    if sign == signal.SIGINT and status not in (130, -signal.SIGINT):
        return f"wrong status: {status}, {told.strip()[-200:]}"
    if sign != signal.SIGKILL and "Traceback" in told:
        lines = told.strip().splitlines()
        return f"traceback: {len(lines)} lines, {lines[-1][:150]}"
    return ""


def judged_files(sign: signal.Signals, work: Path, before: dict) -> str:
    """Return which file a stopped command has left half written."""
    for path in files_in(work):
        if path.suffix == ".part":
            if sign == signal.SIGINT:
                return f"left behind: {path.name}"
        elif path.read_bytes() != before.get(path) and not whole(path):
            return f"half a file: {path.name}"
    return ""


def interrupts() -> Tried:
    """Stop each command by each signal, at two moments."""
    for command in ("figures", "train", "site", "notebooks"):
        for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            for moment in ("in the middle", "while it is imported"):
                yield f"{sign.name} to {command} {moment}", stopped(command, sign, moment)


# No room, and files in the way

# run in a room of its own, which is gone when it ends: nothing is mounted for anybody else
OWN = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
INSIDE = """mount -t tmpfs -o size=1m tmpfs "$PLACE" && cp -r "$SEED"/. "$PLACE" || exit 99
if [ "$KIND" = full ]; then dd if=/dev/zero of="$PLACE/filler" bs=4k 2>/dev/null; fi
if [ "$KIND" = read-only ]; then mount -o remount,ro "$PLACE"; fi
cd "$PLACE"; "$@"; status=$?
rm -f "$PLACE/filler"; cp -r "$PLACE"/. "$LEFT"; exit $status"""


def seed(folder: Path) -> None:
    """Write what is in a folder before commands fail in it."""
    for name in (*FIGURES, "mine"):
        (folder / f"{name}.png").write_bytes(OLD)
    shutil.copy(ROOT / "posenc_lib/lessons/training/trained_models.json", folder / "runs.json")
    data = json.loads((folder / "runs.json").read_bytes())
    runs = ",\n".join(json.dumps(run) for run in data["runs"][:1])
    head = {key: value for key, value in data.items() if key != "runs"}
    text = json.dumps(head)[:-1] + ', "runs": [' + runs + "]}"
    (folder / "runs.json").write_text(text)
    notebook(folder / "notebooks/a.ipynb", CELLS[0])
    (folder / "a_file").write_bytes(OLD)
    (folder / "a_folder.png").mkdir()


# what is run, and the file that its error must name
WRITES: dict[str, tuple[list[str], str]] = {
    "figures make": ([*POSENC, "figures", "make", "toeplitz"], "toeplitz.png"),
    "figures make of seven": ([*POSENC, "figures", "make", *FIGURES], ".png"),
    "figures into a new folder": (
        [*POSENC, "figures", "make", "toeplitz", "--out", "new"],
        "new",
    ),
    "save": ([sys.executable, "-c", SAVE.format("mine.png")], "mine.png"),
    "train": ([*POSENC, "train", "--out", "runs.json"], "runs.json"),
    "notebooks": ([*POSENC, "notebooks", "notebooks/a.ipynb"], "a.ipynb"),
    "site": ([*POSENC, "site", "out", "notebooks"], "out"),
}
IN_THE_WAY: dict[str, tuple[list[str], str]] = {
    "figures, a file as folder": (
        [*POSENC, "figures", "make", "toeplitz", "--out", "a_file"],
        "a_file",
    ),
    "figures, a file as folder above": (
        [*POSENC, "figures", "make", "toeplitz", "--out", "a_file/new"],
        "a_file",
    ),
    "save, a file as folder": ([sys.executable, "-c", SAVE.format("a_file/a.png")], "a_file"),
    "save, a folder as file": ([sys.executable, "-c", SAVE.format("a_folder.png")], "a_folder"),
    "train, a file as folder": ([*POSENC, "train", "--out", "a_file/runs.json"], "a_file"),
    "train, a folder as file": ([*POSENC, "train", "--out", "a_folder.png"], "a_folder.png"),
    "train, a picture as file": ([*POSENC, "train", "--out", "mine.png"], "mine.png"),
    "notebooks, a picture as notebook": ([*POSENC, "notebooks", "mine.png"], "mine.png"),
    "notebooks, a folder that isn't there": ([*POSENC, "notebooks", "nowhere"], "nowhere"),
    "site, a file as folder": ([*POSENC, "site", "a_file", "notebooks"], "a_file"),
    "site, of a folder that isn't there": ([*POSENC, "site", "out", "nowhere"], "nowhere"),
    "site, a folder as page": ([*POSENC, "site", "taken", "notebooks"], "a.html"),
}


def refused(kind: str, command: list[str], name: str) -> str:
    """Run a command that cannot write; return what is wrong with what it says and leaves."""
    with tempfile.TemporaryDirectory() as room:
        places = {each: Path(room).resolve() / each for each in ("PLACE", "SEED", "LEFT")}
        for place in places.values():
            place.mkdir()
        seed(places["SEED"])
        (places["SEED"] / "taken/a.html").mkdir(parents=True)
        before = {p.relative_to(places["SEED"]): d for p, d in files_in(places["SEED"]).items()}
        own = environment(KIND=kind, **{each: str(place) for each, place in places.items()})
        status, told = ran([*OWN, INSIDE, "sh", *command], env=own)
        left = {p.relative_to(places["LEFT"]): d for p, d in files_in(places["LEFT"]).items()}
        if status == 99:
            return f"not tried: nothing can be mounted here ({told[:100]})"
    for path, data in left.items():
        if before.get(path) != data:
            return f"left behind: {path} {'is other' if path in before else 'is new'}"
    if lost := before.keys() - left.keys():
        return f"lost: {lost}"
    if status not in (1, 2):
        return f"wrong status: {status}, {told[-200:]}"
    if "Traceback" in told or ".part" in told or len(told.splitlines()) != 1:
        return f"raw words: {told[-200:]}"
    return "" if name in told else f"names nothing: {told[-200:]}"


def disk() -> Tried:
    """Run commands where the disk is full, where it may not be written, and where a file is."""
    for kind, commands in (("full", WRITES), ("read-only", WRITES), ("in the way", IN_THE_WAY)):
        for what, (command, name) in commands.items():
            yield f"{kind}: {what}", refused(kind, command, name)


# Three at once


def together() -> Tried:
    """Make the same figures three times at once, in one folder; then train."""
    alone = made_by(1, ["figures", "make", *FIGURES[:6], "--format", "svg"])[1]
    many = {"6 files": FIGURES[:6], "7 files": FIGURES}
    for what, names in many.items():
        wrong, files = made_by(3, ["figures", "make", *names, "--format", "svg"])
        for name, data in alone.items():
            if not wrong and files.get(name) != data:
                wrong = f"wrong answer: {name} isn't what one command makes"
        yield f"3 × figures make, {what}", wrong


def made_by(count: int, arguments: list[str]) -> tuple[str, dict[str, bytes]]:
    """Run a command so many times at once; return what is wrong, and the files."""
    with tempfile.TemporaryDirectory() as room, ThreadPoolExecutor(count) as pool:
        own = {"cwd": room, "env": environment()}
        runs = list(pool.map(lambda _: ran(POSENC + arguments, **own), range(count)))
        files = {path.name: data for path, data in files_in(Path(room)).items()}
    if bad := [run for run in runs if run[0]]:
        return f"wrong status: {bad[0][0]}, {bad[0][1][-200:]}", files
    odd = [name for name in files if not name.endswith(".svg")]
    return f"left behind: {odd}" if odd else "", files


# Damaged files of the library's own


class Evil:
    """What makes a folder when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("sabotaged",)


def pickled(data: bytes, suffix: str) -> bytes:
    if suffix != ".npz":
        return pickle.dumps(Evil())
    file = io.BytesIO()
    with np.load(io.BytesIO(data)) as kept:
        np.savez(file, **{name: np.array([Evil()], object) for name in kept})
    return file.getvalue()


DAMAGE: dict[str, Callable[[bytes, str], bytes | None]] = {
    "cut": lambda data, _: data[: len(data) // 2],
    "its last byte cut": lambda data, _: data.rstrip()[:-1],
    "emptied": lambda *_: b"",
    "missing": lambda *_: None,
    "pickled": pickled,
    "{}": lambda *_: b"{}",
    "[]": lambda *_: b"[]\n",
    "its first byte cut": lambda data, _: data[1:],
    "a page": lambda *_: b"<!doctype html><title>404</title>",
}
READERS = {  # of each file what reads it
    "encodings/families.json": "pe.rope_from_config({'model_type': 'llama', 'head_dim': 64})",
    "encodings/models.json": "pe.model_config('llama_3_1')",
    "encodings/census.json": "print(pe.census())",
    "lessons/training/trained_models.json": "pe.trained_table('induction')",
    "lessons/lesson_16/real_model.json": (
        "from posenc_lib.lessons.lesson_16.panel import kept_panel; kept_panel()"
    ),
    "lessons/lesson_16/real_heads.npz": "pe.explore('previous_head')",
    "figures/scenes.toml": "pe.figure('toeplitz')",
}
KINDS = ("TypeError", "ValueError", "ImportError", "SetupError", "OSError", "FileNotFoundError")
READ = """import sys, posenc_lib as pe
try:
    {}
except (TypeError, ValueError, OSError, ImportError) as error:
    print(f"{{type(error).__name__}}: {{error}}", file=sys.stderr)
else:
    print("taken for good", file=sys.stderr)"""


def stored() -> Tried:
    """Read each stored file of the library's, damaged in each way."""
    with tempfile.TemporaryDirectory() as room:
        copy = Path(room).resolve() / "posenc_lib"
        shutil.copytree(ROOT / "posenc_lib", copy, ignore=shutil.ignore_patterns("__pycache__"))
        for name, reader in READERS.items():
            path, whole_one = copy / name, (copy / name).read_bytes()
            for what, damage in DAMAGE.items():
                data = damage(whole_one, path.suffix)
                path.unlink() if data is None else path.write_bytes(data)
                yield f"{name} {what}", misread(room, name, reader)
                path.write_bytes(whole_one)


def misread(room: str, name: str, reader: str) -> str:
    """Return what is wrong with how a damaged file is read."""
    own = environment(PYTHONPATH=room)
    given = [sys.executable, "-c", READ.format(reader)]
    status, told = ran(given, cwd=room, env=own)
    if (Path(room) / "sabotaged").exists():
        (Path(room) / "sabotaged").rmdir()
        return "code run: what was pickled"
    told = told.splitlines()[-1] if told else "nothing said"
    if status:
        return f"raw error: {told[:200]}"
    if told == "taken for good":
        return "wrong answer: taken for good"
    kind, _, words = told.partition(": ")
    if kind not in KINDS:
        return f"raw error: {told[:200]}"
    good = Path(name).name in words and "install" in words
    return "" if good else f"names nothing: {told[:200]}"
