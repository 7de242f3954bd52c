"""The command that trains the models in the saved table: python -m posenc_lib train."""

import argparse
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from posenc_lib.files import atomic_write
from posenc_lib.lessons.training.models import MODELS, THEN
from posenc_lib.lessons.training.positions import USUAL
from posenc_lib.lessons.training.run import (
    BATCH,
    BETAS,
    LONG_BATCH,
    RATE,
    TESTED,
    WARM_UP,
    finished,
)
from posenc_lib.lessons.training.tasks import CHANCES, SYMBOLS, TASKS
from posenc_lib.lessons.training.trained_table import (
    DROP,
    FIRST,
    LENGTH,
    LONG,
    LONG_STEPS,
    SEEDS,
    STEPS,
    TASK_NAMES,
    Plan,
    Run,
    numbers_in,
    runs_in,
)
from posenc_lib.lessons.training.transformer import LAYERS
from posenc_lib.tools.write import tell

OUT = Path("posenc_lib/lessons/training/trained_models.json")
SETTINGS = {
    "layers": LAYERS,
    **USUAL._asdict(),
    "symbols": SYMBOLS,
    "chances": list(CHANCES),
    "length": LENGTH,
    "batch": BATCH,
    "rate": RATE,
    "warm_up": WARM_UP,
    "betas": list(BETAS),
    "longer": [LONG, LONG_BATCH, LONG_STEPS],
    "tested": TESTED,
    "dtype": "float32",
}
TWICE = ("no_position", "rope", "t5")  # also trained for twice as many steps
# all others are trained at the table's four tasks
AT = {"rope_64_wide": ("look_back", "recall"), "shaw": ("two_kinds",)}
AFTER = "flip_flop", "look_back"  # tasks of models that lose RoPE
ON = "look_back", "induction"  # and of those that train on with longer texts
# trained numbers that are kept, by encoding, and at which tasks
KEPT = {"learned": ("flip_flop",), "learned_small": ("flip_flop", "look_back")}
KEPT |= dict.fromkeys(("t5", "t5_near", "kerple"), TASK_NAMES)
KEPT |= {"shaw": ("two_kinds",)}

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
    where = f"file for the runs (default: {OUT}); trained numbers go next to it, as .npz"
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE", help=where)
    many = "how many models to train at once (default: 1), at most one for each core"
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help=many)


def run(options: argparse.Namespace) -> None:
    """Train what the file doesn't have yet, and save each run when it ends.

    Raises:
        ValueError: the file contains something else. OSError: it can't be written.
    """
    runs = load(options.out) if options.out.exists() else {}
    numbers = load_numbers(options.out)
    save(options.out, runs)  # if it can't be written, fail before training anything
    left = [plan for plan in plans() if plan not in runs]
    begun = time.monotonic()
    for k, done in enumerate(each_finished(left, options.jobs), 1):
        plan = done.plan
        if plan.task in KEPT.get(plan.encoding, ()) and plan.steps == STEPS:
            for name, arrays in done.numbers.items():
                numbers[f"{plan.encoding}/{plan.task}/{plan.seed}/{name}"] = arrays
            save_numbers(options.out, numbers)
        runs[plan] = done
        save(options.out, runs)
        right = []
        for length, accuracy in done.accuracy[""].items():
            right.append(f"{length}: {'no row' if accuracy is None else f'{accuracy:.2f}'}")
        steps = f"{plan.steps} steps{plan.then and f', {plan.then}'}"
        what = f"{plan.encoding} {plan.task} seed {plan.seed}, {steps}"
        minutes = (time.monotonic() - begun) / k * (len(left) - k) / 60
        tell(f"{k}/{len(left)} {what}: {'  '.join(right)}  (about {minutes:.0f} minutes left)")
    tell(
        f"{options.out}: all {len(runs)} runs are there. "
        "To train them again, name a new file with --out"
    )


def each_finished(left: list[Plan], jobs: int) -> Iterator[Run]:
    """Yield runs as they end, so many at once."""
    if jobs == 1:
        yield from map(finished, left)
        return
    # a browser's Python has none of these
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, get_context("spawn"))
    try:
        for future in as_completed([pool.submit(finished, plan) for plan in left]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def plans() -> list[Plan]:
    """Return all runs in the saved table: equal steps for all, plus three separate sets."""
    made = []
    for seed in SEEDS:
        for name in MODELS:
            made += [Plan(name, task, seed) for task in AT.get(name, TASK_NAMES)]
    made += [Plan(name, "flip_flop", seed, steps=2 * STEPS) for seed in SEEDS for name in TWICE]
    made += [Plan("rope", task, seed, then=DROP) for seed in FIRST for task in AFTER]
    for then in THEN:
        if then != DROP:
            made += [Plan("rope", task, seed, then=then) for seed in SEEDS for task in ON]
    return made


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


def load_numbers(path: Path) -> dict[str, np.ndarray]:
    """Return the trained numbers next to a file of runs."""
    path = path.with_suffix(".npz")
    return numbers_in(path.read_bytes()) if path.exists() else {}


def save_numbers(path: Path, numbers: dict[str, np.ndarray]) -> None:
    """Write trained numbers next to a file of runs, atomically."""
    file = io.BytesIO()
    np.savez_compressed(file, **{name: numbers[name] for name in sorted(numbers)})
    atomic_write(path.with_suffix(".npz"), file.getvalue())


def _place(run: Run) -> tuple:
    """Return a run's sort key in its file."""
    plan = run.plan
    task, encoding = list(TASKS).index(plan.task), list(MODELS).index(plan.encoding)
    return plan.steps, plan.then, plan[3:], task, encoding, plan.seed
