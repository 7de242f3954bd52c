"""The command: python -m posenc_lib train."""

import argparse
import subprocess
from pathlib import Path

from posenc_lib.training.positions import WAYS
from posenc_lib.training.run import STEPS, TASKS, Plan, Run, finished
from posenc_lib.training.table import SEEDS, Table, load, plans, save

OUT = Path("posenc_lib/training/table.json")


def add_to(commands) -> None:
    """Add the command to the project's others."""
    parser = commands.add_parser(
        "train",
        help="train the tiny transformers of lesson 13, and keep how they did",
        description="Train tiny transformers, run by run, and keep each run in a file as it ends. What the file has"
        " is not trained again: stopped, the command goes on where it was. Without options it makes the whole table of"
        " lesson 13; to make it again, name a new file: --out again.json.",
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("--encodings", type=_names, metavar="NAME,…", help=f"some of {', '.join(WAYS)}")
    add("--tasks", type=_names, metavar="NAME,…", help=f"some of {', '.join(TASKS)}")
    add("--seeds", type=_seeds, default=SEEDS, metavar="0-9", help="one, or from-to (default: 0-9)")
    add("--steps", type=int, help=f"of each run (default: {STEPS})")
    add("--out", type=Path, default=OUT, metavar="FILE", help=f"to keep the runs in (default: {OUT})")


def run(options: argparse.Namespace) -> None:
    """Train what the file does not have yet, and keep each run as it ends.

    Raises:
        TypeError, ValueError: what was asked cannot be. OSError: the file cannot be written.
    """
    path, asked = options.out, [plan.checked() for plan in plans_for(options)]
    table = load(path) if path.exists() else Table({})
    save(path, table)  # what cannot be written is said before anything is trained
    left = [plan for plan in asked if plan not in table.runs]
    for k, plan in enumerate(left, 1):
        table = table.with_run(finished(plan), _commit())
        save(path, table)
        print(f"{k}/{len(left)} {_told(table.runs[plan])}", flush=True)
    print(f"{path}: all {len(asked)} runs are there; to make them again, name a new file by --out")


def plans_for(options: argparse.Namespace) -> list[Plan]:
    """Return what somebody asked for: the whole table, or each of some encodings at each of some tasks."""
    if options.encodings is options.tasks is options.steps is None:
        return plans(options.seeds)
    encodings, tasks = options.encodings or WAYS, options.tasks or TASKS
    steps = STEPS if options.steps is None else options.steps
    return [Plan(name, task, seed, steps) for seed in options.seeds for task in tasks for name in encodings]


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _seeds(text: str) -> range:
    low, _, high = text.partition("-")
    return range(int(low), int(high or low) + 1)


def _told(ended: Run) -> str:
    plan = ended.plan
    right = "  ".join(f"{n}: {'no row' if a is None else f'{a:.2f}'}" for n, a in ended.accuracy[""].items())
    return f"{plan.encoding} {plan.task} seed {plan.seed}, {plan.steps} steps{plan.then and ', dropped'}: {right}"


def _commit() -> str:
    """Return the commit of the code, ten digits; "unknown" outside a checkout."""
    try:
        asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=10", "HEAD"]
        return subprocess.run(asked, capture_output=True, text=True).stdout.strip() or "unknown"
    except OSError:
        return "unknown"
