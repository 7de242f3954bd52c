"""How tiny transformers did that were trained with an encoding: the runs kept, and their tables.

The runs lie in trained_models.json, one to a line; `python -m posenc_lib train` makes them.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from posenc_lib.encodings import validate
from posenc_lib.files import stored

FILE = Path(__file__).with_name("trained_models.json")
TASK_NAMES = ("flip_flop", "look_back", "induction", "recall")
LENGTH, LENGTHS = 32, (32, 64, 128, 256)  # tokens of a text: of training, and of the tests
STEPS, SEEDS = 1000, tuple(range(10))
FIRST, SECOND = SEEDS[:5], SEEDS[5:]  # two sets: what holds in one should hold in the other
# what RoPE's frequencies are scaled by, at the test alone
SCALINGS = ("linear", "ntk", "yarn", "llama3")
# what may follow: RoPE is taken away, and the model trained on for a tenth of its steps
DROP = "drop"


class Plan(NamedTuple):
    """What one run is to be; all else is the same for all runs."""

    encoding: str
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
        lines = [title, _line("", dict(zip(LENGTHS, LENGTHS, strict=True)))]
        for name, by_length in self.rows.items():
            seeds = max(each.seeds for each in by_length.values() if each)
            if seeds < len(self.seeds):
                name = f"{name} ({seeds} seeds)"
            lines.append(_line(name, by_length))
        return "\n".join(lines)


def _line(name: str, by_length: dict) -> str:
    cells = [str(by_length[n] or "no row") if n in by_length else "" for n in LENGTHS]
    return "".join(f"{cell:<19}" for cell in (name, *cells)).rstrip()


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
        then: "drop" for RoPE that was taken away, and the model trained on for a tenth of its
            steps.
        seeds: which of 0 … 9, say range(5).

    Returns: a `TrainedTable`, whose rows are `Spread`s and which prints as a table.
    Source: measured here.
    """
    validate.choice("task", task, TASK_NAMES)
    validate.choice("then", then, ("", DROP))
    asked = (task, validate.integer("steps", steps), then)
    chosen = validate.integers("seeds", seeds, ndim=1).tolist()
    plans = [plan for plan in kept_runs() if (plan.task, plan.steps, plan.then) == asked]
    plans = [plan for plan in plans if plan.seed in chosen]
    if not plans:
        what = f"{task}, {steps} steps, seeds {validate.show(chosen)} {then}".rstrip()
        raise ValueError(f"steps and seeds must be those of kept runs, got {what}")
    found: dict[str, list] = {}
    for plan in plans:
        for kind, by_length in kept_runs()[plan].accuracy.items():
            name = f"{plan.encoding}, {kind}" if kind else plan.encoding
            found.setdefault(name, []).append(by_length)
    rows = {name: _spread(each) for name, each in found.items()}
    seeds = tuple(sorted({plan.seed for plan in plans}))
    return TrainedTable(f"{task}, {steps} steps{then and ', dropped'}", seeds, rows)
