"""The runs that are kept: a file of them, one to a line, and what it says of each encoding, task and length."""

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from posenc_lib.files import atomic_write
from posenc_lib.training.positions import WAYS
from posenc_lib.training.run import DROP, LENGTHS, SETTINGS, STEPS, TASKS, Plan, Run

COMMITTED = Path(__file__).with_name("table.json")
MADE_BY = "python -m posenc_lib train --out FILE"
SEEDS = tuple(range(10))
FIRST, SECOND = SEEDS[:5], SEEDS[5:]  # two sets: what holds in one should hold in the other
COMPARED = tuple(name for name in WAYS if name != "t5_near")
LONGER = ("no_position", "rope", "t5")  # trained twice as long as well


class Table(NamedTuple):
    """Runs by their plans, the settings they share, and the commits of the code that made them."""

    runs: dict[Plan, Run]
    commits: tuple[str, ...] = ()

    def bytes(self) -> bytes:
        """Return the file: runs in the order of their plans, so that it does not matter which was made first."""
        lines = [json.dumps(run.plan._asdict() | {"accuracy": run.accuracy}) for run in ordered(self.runs.values())]
        about = {"made_by": MADE_BY, "commits": self.commits, "settings": SETTINGS}
        head = "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in about.items())
        return ("{" + head + '"runs": [\n' + ",\n".join(lines) + "\n]}\n").encode()

    def with_run(self, run: Run, commit: str) -> "Table":
        """Return the table with one more run."""
        return Table(self.runs | {run.plan: run}, tuple(dict.fromkeys([*self.commits, commit])))


def ordered(runs: Iterable[Run]) -> list[Run]:
    """Return runs by steps, what followed, task, encoding and seed, in the order in which these are named."""
    names, tasks = tuple(WAYS), tuple(TASKS)
    key = lambda p: (p.steps, p.then, p.look_back, tasks.index(p.task), names.index(p.encoding), p.seed)  # noqa: E731
    return sorted(runs, key=lambda run: key(run.plan))


def plans(seeds: Iterable[int] = SEEDS) -> list[Plan]:
    """Return all that the committed table has: equal steps for all, and three sets that stand apart."""
    seeds = tuple(seeds)
    first = [seed for seed in seeds if seed in FIRST]
    made = [Plan(name, task, seed) for seed in seeds for task in TASKS for name in COMPARED]
    made += [Plan(name, "flip_flop", seed, steps=2 * STEPS) for seed in seeds for name in LONGER]
    made += [Plan("t5_near", task, seed) for seed in first for task in TASKS]
    return made + [Plan("rope", task, seed, then=DROP) for seed in first for task in ("flip_flop", "look_back")]


def load(path: Path = COMMITTED) -> Table:
    """Return the runs of a file.

    Raises:
        OSError: it cannot be read. ValueError: it is no such file, or its runs were made by other settings.
    """
    try:
        read = json.loads(path.read_bytes())
        settings, lines, commits = (read[name] for name in ("settings", "runs", "commits"))
        runs = [_run(dict(line)) for line in lines]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} is no file of runs; name another one") from None
    if settings != SETTINGS:
        changed = next(name for name in (*SETTINGS, *settings) if settings.get(name) != SETTINGS.get(name))
        raise ValueError(f"{path} holds runs of other settings ({changed}); name another file")
    return Table({run.plan: run for run in runs}, tuple(commits))


@lru_cache(1)
def _committed() -> dict[tuple[str, str], list[Run]]:
    kept: dict[tuple[str, str], list[Run]] = {}
    for run in ordered(load().runs.values()):
        if (run.plan.steps, run.plan.then) == (STEPS, ""):
            kept.setdefault((run.plan.encoding, run.plan.task), []).append(run)
    return kept


def runs_of(encoding: str, task: str) -> list[Run]:
    """Return the committed runs of an encoding and a task that were trained for equally many steps, seed by seed."""
    return _committed().get((encoding, task), [])


def _run(line: dict[str, Any]) -> Run:
    accuracy = {rope_type: {int(n): a for n, a in by.items()} for rope_type, by in line.pop("accuracy").items()}
    return Run(Plan(**line).checked(), accuracy)


def save(path: Path, table: Table) -> None:
    """Write a table, wholly or not at all."""
    atomic_write(path, table.bytes())


class Spread(NamedTuple):
    """What several seeds gave: mean, least, most, and how many there were."""

    mean: float
    least: float
    most: float
    seeds: int

    def __str__(self) -> str:
        return f"{self.mean:.2f} ({self.least:.2f}–{self.most:.2f})"


def spread(
    encoding: str, task: str, *, rope_type: str = "", seeds: Iterable[int] = SEEDS, steps: int = STEPS, then: str = ""
) -> dict[int, Spread | None]:
    """Return the accuracy over the seeds of the committed table, by length; None where there is no row.

    >>> spread("rope", "look_back")[32].seeds
    10

    Raises:
        ValueError: the table has no such run; it has those of `plans()`.
    """
    kept, asked = load().runs, tuple(seeds)
    wanted = [Plan(encoding, task, seed, steps=steps, then=then).checked() for seed in asked]
    found = [kept[plan].accuracy for plan in wanted if plan in kept]
    if not found or any(rope_type not in by for by in found):
        raise ValueError(f"the table has no run of {encoding}, {task}, {steps} steps, {rope_type or then or 'as such'}")
    by_length = {n: [by[rope_type].get(n) for by in found] for n in LENGTHS if n in found[0][rope_type]}
    return {n: None if None in a else Spread(sum(a) / len(a), min(a), max(a), len(a)) for n, a in by_length.items()}
