"""The command that trains the models in the saved table: python -m posenc_lib train."""

import argparse
import json
from pathlib import Path

from posenc_lib.files import atomic_write
from posenc_lib.lessons.training.positions import D_MODEL, HEADS, POSITIONS
from posenc_lib.lessons.training.run import BATCH, BETAS, RATE, TESTED, WARM_UP, finished
from posenc_lib.lessons.training.tasks import CHANCES, SYMBOLS, TASKS
from posenc_lib.lessons.training.trained_table import (
    DROP,
    FIRST,
    LENGTH,
    SEEDS,
    STEPS,
    Plan,
    Run,
    runs_in,
)
from posenc_lib.lessons.training.transformer import HIDDEN, LAYERS
from posenc_lib.tools.write import tell

OUT = Path("posenc_lib/lessons/training/trained_models.json")
SETTINGS = {
    "layers": LAYERS,
    "heads": HEADS,
    "d_model": D_MODEL,
    "hidden": HIDDEN,
    "symbols": SYMBOLS,
    "chances": list(CHANCES),
    "length": LENGTH,
    "batch": BATCH,
    "rate": RATE,
    "warm_up": WARM_UP,
    "betas": list(BETAS),
    "tested": TESTED,
    "dtype": "float32",
}
LONGER = ("no_position", "rope", "t5")  # also trained twice as long


DESCRIPTION = (
    "Train all models of lesson 13, run by run, and save each run to a file when it ends. "
    "Runs already in the file are skipped, so you can stop the command and resume it. "
    "To rebuild the whole table, name a new file."
)


def add_to(commands) -> None:
    """Add the command to the project's others."""
    about = "train the tiny transformers of lesson 13, and save how they did"
    parser = commands.add_parser("train", help=about, description=DESCRIPTION)
    parser.set_defaults(run=run)
    where = f"file for the runs (default: {OUT})"
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE", help=where)


def run(options: argparse.Namespace) -> None:
    """Train what the file doesn't have yet, and save each run when it ends.

    Raises:
        ValueError: the file contains something else. OSError: it can't be written.
    """
    runs = load(options.out) if options.out.exists() else {}
    save(options.out, runs)  # if it can't be written, fail before training anything
    left = [plan for plan in plans() if plan not in runs]
    for k, plan in enumerate(left, 1):
        runs[plan] = finished(plan)
        save(options.out, runs)
        right = []
        for length, accuracy in runs[plan].accuracy[""].items():
            right.append(f"{length}: {'no row' if accuracy is None else f'{accuracy:.2f}'}")
        steps = f"{plan.steps} steps{plan.then and ', dropped'}"
        what = f"{plan.encoding} {plan.task} seed {plan.seed}, {steps}"
        tell(f"{k}/{len(left)} {what}: {'  '.join(right)}")
    tell(
        f"{options.out}: all {len(runs)} runs are there. "
        "To train them again, name a new file with --out"
    )


def plans() -> list[Plan]:
    """Return all runs in the saved table: equal steps for all, plus three separate sets."""
    made = [Plan(name, task, seed) for seed in SEEDS for task in TASKS for name in POSITIONS]
    made += [Plan(name, "flip_flop", seed, steps=2 * STEPS) for seed in SEEDS for name in LONGER]
    dropped = ("flip_flop", "look_back")
    return made + [Plan("rope", task, seed, then=DROP) for seed in FIRST for task in dropped]


def load(path: Path) -> dict[Plan, Run]:
    """Return the runs in a file.

    Raises:
        ValueError: it isn't a file of runs, or was made with different settings.
    """
    try:
        read = json.loads(path.read_bytes())
        settings, runs = dict(read["settings"]), runs_in(read["runs"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} isn't a file of runs. Name a different file") from None
    if settings != SETTINGS:
        changed = next(
            name for name in (*SETTINGS, *settings) if settings.get(name) != SETTINGS.get(name)
        )
        raise ValueError(
            f"{path} has runs with different settings ({changed}). Name a different file"
        )
    return runs


def save(path: Path, runs: dict[Plan, Run]) -> None:
    """Write runs to a file atomically, in an order that doesn't depend on which ran first."""
    ordered = sorted(runs.values(), key=_place)
    lines = [json.dumps(run.plan._asdict() | {"accuracy": run.accuracy}) for run in ordered]
    head = '"made_by": "python -m posenc_lib train --out FILE",\n'
    head += f'"settings": {json.dumps(SETTINGS)},\n"runs": [\n'
    atomic_write(path, ("{" + head + ",\n".join(lines) + "\n]}\n").encode())


def _place(run: Run) -> tuple:
    """Return a run's sort key in its file."""
    plan = run.plan
    task, encoding = list(TASKS).index(plan.task), list(POSITIONS).index(plan.encoding)
    return plan.steps, plan.then, plan[3:], task, encoding, plan.seed
