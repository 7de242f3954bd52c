"""How tiny transformers did that were trained with an encoding: the runs kept, and their tables.

The runs are in trained_models.json, one to a line, and the trained numbers of positions in
trained_models.npz. `python -m posenc_lib train` makes both.
"""

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.files import stored

FILE = Path(__file__).with_name("trained_models.json")
NUMBERS = FILE.with_suffix(".npz")
TASK_NAMES = ("flip_flop", "look_back", "induction", "recall")
LENGTH, LENGTHS = 32, (32, 64, 128, 256)  # tokens of a text: of training, and of the tests
STEPS, SEEDS = 1000, tuple(range(10))
SNAPSHOTS = 0, 100, 250, 500, 1000  # steps after which trained numbers are kept
FIRST, SECOND = SEEDS[:5], SEEDS[5:]  # two sets: what holds in one should hold in the other
# how RoPE's frequencies are scaled, in the test only
SCALINGS = ("linear", "ntk", "yarn", "llama3")
DROP = "drop"  # the model loses RoPE, and trains on for a tenth of its steps
LONG, LONG_STEPS = 128, 300  # or it trains on with longer texts, for this many steps

# sliders of pictures that show trained numbers
DONE = Parameter(
    "done",
    "how many steps of training",
    0,
    0,
    len(SNAPSHOTS) - 1,
    names=tuple(f"{n:,}" for n in SNAPSHOTS),
    most=len(SNAPSHOTS) - 1,
)
MODEL_SEED = Parameter("model_seed", "which of ten models", 0, 0, len(SEEDS) - 1, most=SEEDS[-1])


class Plan(NamedTuple):
    """What one run is to be; all else is the same for all runs."""

    encoding: Any  # a name, or your own `Encoding`
    task: str
    seed: int = 0
    steps: int = STEPS
    look_back: int = 3
    then: str = ""


class Run(NamedTuple):
    """What came out of a plan."""

    plan: Plan
    # by rope_type, "" where nothing is scaled, and by length; None: no row
    accuracy: dict[str, dict[int, float | None]]
    # the trained numbers of its positions by name, at the steps of SNAPSHOTS
    numbers: Mapping[str, np.ndarray] = MappingProxyType({})


class Spread(NamedTuple):
    """What several seeds gave: mean, least, most, and how many there were."""

    mean: float
    least: float
    most: float
    seeds: int

    def __str__(self) -> str:
        return f"{self.mean:.2f} ({self.least:.2f}–{self.most:.2f})"


def runs_in(lines: list[dict]) -> dict[Plan, Run]:
    """Return the runs of a file's lines, by their plans."""
    runs = {}
    for line in lines:
        plan = Plan(**{name: value for name, value in line.items() if name != "accuracy"})
        found = line["accuracy"].items()
        right = {kind: {int(n): a for n, a in by_length.items()} for kind, by_length in found}
        runs[plan] = Run(plan, right)
    return runs


@cache
def kept_runs() -> dict[Plan, Run]:
    """Return the runs that the library keeps, by their plans, in the order of the file."""
    with stored(FILE) as data:
        runs = runs_in(json.loads(data)["runs"])
        if not runs:
            raise ValueError("no runs in it")
        return runs


@cache
def _all_numbers() -> dict[str, np.ndarray]:
    with stored(NUMBERS) as data:
        return numbers_in(data)


def kept_numbers(encoding: str, task: str, seed: int) -> dict[str, np.ndarray]:
    """Return the trained numbers of a model's positions, by name, at the steps of SNAPSHOTS.

    >>> kept_numbers("learned_small", "flip_flop", 0)["rows"].shape
    (5, 32, 32)
    """
    begin = f"{encoding}/{task}/{seed}/"
    names = [name for name in _all_numbers() if name.startswith(begin)]
    return {name.removeprefix(begin): _all_numbers()[name].astype(float) for name in names}


def numbers_in(data: bytes) -> dict[str, np.ndarray]:
    """Return the arrays in a file of trained numbers, by encoding/task/seed/name."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:  # noqa: TID251  (nothing is run)
        return dict(arrays)


def runs_of(encoding: str, task: str) -> list[Run]:
    """Return the kept runs of an encoding and a task that had the usual steps, seed by seed."""
    runs = []
    for plan, run in kept_runs().items():
        if (plan.encoding, plan.task, plan.steps, plan.then) == (encoding, task, STEPS, ""):
            runs.append(run)
    return runs


def spread(encoding: str, task: str, *, rope_type: str = "", **which) -> dict[int, Spread | None]:
    """Return one row of `trained_table`, by length; which are its seeds, steps and then.

    >>> spread("rope", "look_back")[32].seeds
    10
    """
    return trained_table(task, **which).rows[f"{encoding}, {rope_type}" if rope_type else encoding]


def _spread(found: list[dict]) -> dict[int, Spread | None]:
    """Return what several runs gave, by length; None where a learned table has no row."""
    spreads: dict[int, Spread | None] = {}
    for length in found[0]:
        right = [by_length[length] for by_length in found]
        spreads[length] = None
        if None not in right:
            mean = sum(right) / len(right)
            spreads[length] = Spread(mean, min(right), max(right), len(right))
    return spreads


@dataclass(frozen=True)
class TrainedTable:
    """How encodings did at one task, trained alike; made by `trained_table`.

    Attributes:
        title: task, steps and what followed; seeds: those that any encoding has.
        rows: by encoding, and where RoPE was scaled at test "rope, yarn" and its like: a `Spread`
            by length, with mean, least, most and seeds; None where a learned table has no row.
    """

    title: str
    seeds: tuple[int, ...]
    rows: dict[str, dict[int, Spread | None]]

    def __repr__(self) -> str:
        title = f"{self.title}, {len(self.seeds)} seeds: mean (least–most)"
        lines = [title, line_of("", dict(zip(LENGTHS, LENGTHS, strict=True)))]
        for name, by_length in self.rows.items():
            seeds = max(each.seeds for each in by_length.values() if each)
            if seeds < len(self.seeds):
                name = f"{name} ({seeds} seeds)"
            lines.append(line_of(name, by_length))
        return "\n".join(lines)


def line_of(name: str, by_length: dict) -> str:
    """Return a row of a table as text, with a column for each length."""
    cells = [str(by_length[n] or "no row") if n in by_length else "" for n in LENGTHS]
    return f"{name:<24}" + "".join(f"{cell:<19}" for cell in cells).rstrip()


def trained_table(
    task: str, *, steps: int = STEPS, then: str = "", seeds: Iterable[int] = SEEDS
) -> TrainedTable:
    """Return how every encoding did at a task, as `python -m posenc_lib train` has measured it.

    Models of two layers, trained on texts of 32 tokens, tested on the last quarter of texts of 32,
    64, 128 and 256. Only runs of equally many steps stand in one table.

    >>> trained_table("look_back").rows["learned"][64] is None
    True

    Args:
        task: "flip_flop", "look_back" (3 tokens), "induction" or "recall".
        steps: 1000; for flip_flop there is 2000, too, for some encodings.
        then: "drop" for models that lost RoPE and trained on for 100 steps; "longer" for RoPE
            models that trained on for 300 steps of 128 tokens, as they were, and "longer_ntk",
            "longer_base", "longer_linear", "longer_yarn" with other frequencies.
        seeds: which of 0 … 9, say range(5).

    Returns: a `TrainedTable`, whose rows are `Spread`s and which prints as a table.
    Source: measured here.
    """
    validate.choice("task", task, TASK_NAMES)
    validate.choice("then", then, tuple({plan.then: None for plan in kept_runs()}))
    steps = validate.integer("steps", steps)
    chosen = validate.integers("seeds", seeds, ndim=1).tolist()
    found, rows = _rows(task, steps, then, tuple(chosen))
    if not found:
        what = f"{task}, {steps} steps, seeds {validate.show(chosen)} {then}".rstrip()
        raise ValueError(f"steps and seeds must be those of kept runs, got {what}")
    return TrainedTable(f"{task}, {steps} steps{then and f', {then}'}", found, dict(rows))


@cache  # a slider asks for the same tables again and again
def _rows(task: str, steps: int, then: str, chosen: tuple[int, ...]) -> tuple[tuple, dict]:
    """Return the seeds of these that there are, and what they gave, by row and length."""
    seeds = set()
    found: dict[str, list] = {}
    for plan, run in kept_runs().items():
        if (plan.task, plan.steps, plan.then) != (task, steps, then) or plan.seed not in chosen:
            continue
        seeds.add(plan.seed)
        for kind, by_length in run.accuracy.items():
            name = f"{plan.encoding}, {kind}" if kind else plan.encoding
            found.setdefault(name, []).append(by_length)
    return tuple(sorted(seeds)), {name: _spread(each) for name, each in found.items()}
