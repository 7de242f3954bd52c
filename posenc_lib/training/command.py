"""The command: python -m posenc_lib train."""

import argparse
import re
import sys
import time
from pathlib import Path

from posenc_lib.encodings import validate
from posenc_lib.signals import status, stop_if_asked, stoppable
from posenc_lib.training.positions import WAYS
from posenc_lib.training.run import STEPS, TASKS, Plan, Progress, Run, training
from posenc_lib.training.table import SEEDS, Table, load, plans, save

OUT = Path("posenc_lib/training/table.json")
MOST_SEEDS = 1000


def add_to(commands) -> None:
    """Add the command to the project's others."""
    parser = commands.add_parser(
        "train",
        help="train the tiny transformers of lesson 13, and keep how they did",
        description="Train tiny transformers, run by run, and keep each run in a file as it ends. What the file has"
        " is not trained again: stopped, the command goes on where it was. Without options it makes the whole table of"
        " lesson 13; to make it again, name a new file: --out again.json.",
    )
    add = parser.add_argument
    add("--encodings", metavar="NAME,…", help=f"some of {', '.join(WAYS)}")
    add("--tasks", metavar="NAME,…", help=f"some of {', '.join(TASKS)}")
    add("--seeds", metavar="0-9", help="one, several (0,3) or from-to (default: 0-9)")
    add("--steps", type=int, help=f"of each run (default: {STEPS})")
    add("--out", type=Path, default=OUT, metavar="FILE", help=f"to keep the runs in (default: {OUT})")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status: 2 for what was asked wrongly, 1 for what could not be written."""
    path = options.out
    try:
        with stoppable():
            asked = plans_for(options)
            table = load(path) if path.exists() else Table({})
            save(path, table)  # what cannot be written is said before anything is trained
            return _train(asked, path)
    except KeyboardInterrupt:
        print(f"\nstopped: {path} has every run that ended; the same command goes on from there", file=sys.stderr)
        return status()
    except (TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {path}: {error.strerror or error}", file=sys.stderr)
        return 1


def plans_for(options: argparse.Namespace) -> list[Plan]:
    """Return what somebody asked for, checked before any work is done.

    Raises:
        TypeError, ValueError: a name or a number that cannot be; the message says what can.
    """
    seeds = SEEDS if options.seeds is None else _seeds(options.seeds)
    if options.encodings is options.tasks is options.steps is None:
        return [plan.checked() for plan in plans(seeds)]
    encodings, tasks = (_names(given, known) for given, known in ((options.encodings, WAYS), (options.tasks, TASKS)))
    steps = STEPS if options.steps is None else options.steps
    return [Plan(name, task, seed, steps).checked() for seed in seeds for task in tasks for name in encodings]


def _names(given: str | None, known: dict) -> list[str]:
    return list(known) if given is None else list(dict.fromkeys(part.strip() for part in given.split(",")))


def _seeds(text: str) -> list[int]:
    """Return the whole numbers of 0,3 or 0-4."""
    parts = [re.fullmatch(r"(\d{1,18})(?:-(\d{1,18}))?", part.strip()) for part in text.split(",")]
    ends = [(int(part[1]), int(part[2] or part[1])) for part in parts if part]
    if len(ends) < len(parts) or any(low > high for low, high in ends):
        raise ValueError(f"--seeds must be whole numbers like 0,3 or 0-4, got {validate.show(text)}")
    if sum(high - low + 1 for low, high in ends) > MOST_SEEDS:
        raise ValueError(f"--seeds must be at most {MOST_SEEDS} numbers, got {validate.show(text)}")
    return list(dict.fromkeys(seed for low, high in ends for seed in range(low, high + 1)))


def _train(asked: list[Plan], path: Path) -> int:
    """Train what the file does not have yet, and keep each run as it ends."""
    commit, done, seconds = _commit(), 0, 0.0
    left = [plan for plan in asked if plan not in load(path).runs]
    for plan in left:
        if plan in load(path).runs:  # another process has trained it meanwhile
            continue
        start = time.monotonic()
        ended = _one(plan, f"{done + 1}/{len(left)}", _clock(seconds / done * (len(left) - done)) if done else "")
        save(path, load(path).with_run(ended, commit))
        done, seconds = done + 1, seconds + time.monotonic() - start
        _say(f"{done}/{len(left)} {_told(ended)}", end="\n")
    print(f"{path}: all {len(asked)} runs are there; to make them again, name a new file by --out")
    return 0


def _one(plan: Plan, number: str, left: str) -> Run:
    """Train by one plan and show how far it is, until it ends or somebody stops it."""
    name, steps = f"{plan.encoding} {plan.task} seed {plan.seed}", training(plan)
    while True:
        stop_if_asked()
        try:
            at: Progress = next(steps)
        except StopIteration as end:
            return end.value
        if at.step % 50 == 0 and sys.stderr.isatty():
            bar = f"[{'#' * (30 * at.step // at.steps):.<30}] {number} {name}  loss {at.loss:.2f}"
            _say(bar + (f"  {left} left" if left else ""))


def _told(ended: Run) -> str:
    plan = ended.plan
    right = "  ".join(f"{n}: {'no row' if a is None else f'{a:.2f}'}" for n, a in ended.accuracy[""].items())
    return f"{plan.encoding} {plan.task} seed {plan.seed}, {plan.steps} steps{plan.then and ', dropped'}: {right}"


def _say(text: str, end: str = "") -> None:
    """Show a line that the next one replaces on a terminal."""
    again = f"\r{text:<100}" if sys.stderr.isatty() else text
    print(again, end=end, file=sys.stderr, flush=True)


def _clock(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"


def _commit(start: Path = Path(__file__)) -> str:
    """Return the commit that is checked out where this file stands, ten digits; "unknown" outside a checkout."""
    try:
        folder = next(parent / ".git" for parent in start.resolve().parents if (parent / ".git").exists())
        if folder.is_file():  # a worktree: it says where its own folder is
            folder = Path(folder.read_text().removeprefix("gitdir:").strip())
        shared = folder / (folder / "commondir").read_text().strip() if (folder / "commondir").exists() else folder
        head = (folder / "HEAD").read_text().strip()
        name = head.removeprefix("ref: ")
        if name != head:
            packed = shared / "packed-refs"
            lines = packed.read_text().splitlines() if not (shared / name).exists() else []
            head = next((line.split()[0] for line in lines if line.endswith(f" {name}")), "") or (
                (shared / name).read_text().strip()
            )
        return head[:10]
    except (OSError, StopIteration):
        return "unknown"
