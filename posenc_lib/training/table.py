"""The runs that are kept: a file of them, one to a line, and what it says of each encoding, task and length."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from posenc_lib.encodings import validate
from posenc_lib.files import atomic_write
from posenc_lib.training.positions import WAYS
from posenc_lib.training.run import DROP, LENGTHS, SETTINGS, STEPS, TASKS, Plan, Run

COMMITTED = Path(__file__).with_name("table.json")
MADE_BY = "python -m posenc_lib train --out FILE"
SEEDS = tuple(range(10))
FIRST, SECOND = SEEDS[:5], SEEDS[5:]  # two sets: what holds in one should hold in the other
BESIDE = ("alibi_steep", "alibi_mixed", "t5_near", "kerple_fixed")  # an encoding with other numbers than its own
COMPARED = tuple(name for name in WAYS if name not in BESIDE)
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
    made += [Plan(name, task, seed) for seed in seeds for name in BESIDE for task in TASKS]
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
    """Return the accuracy over seeds of the committed table, by length; None where there is no row.

    >>> spread("rope", "look_back")[32].seeds
    10

    Raises:
        TypeError, ValueError: what is asked for cannot be, or the table has no such run; it has those of `plans()`.
    """
    wanted = [Plan(encoding, task, seed, steps=steps, then=then).checked() for seed in seeds]
    kept = load().runs
    found = [kept[plan].accuracy[rope_type] for plan in wanted if plan in kept and rope_type in kept[plan].accuracy]
    if not found:
        what = ", ".join(filter(None, (encoding, rope_type, task, f"{steps} steps", then)))
        raise ValueError(f"the table must have what is asked for, got {what}; `python -m posenc_lib train` trains more")
    return {length: _over([by[length] for by in found]) for length in found[0]}


def _over(accuracies: list[float | None]) -> Spread | None:
    there = [a for a in accuracies if a is not None]
    return Spread(sum(there) / len(there), min(there), max(there), len(there)) if there else None


@dataclass(frozen=True)
class TrainedTable:
    """How encodings did at one task, trained alike; made by `trained_table`.

    Attributes:
        title: task, steps and what followed; seeds: those that any encoding has.
        rows: by encoding, and where RoPE was scaled at test "rope, yarn" and its like: a `Spread` by length, with mean,
            least, most and seeds; None where a learned table has no row.
    """

    title: str
    seeds: tuple[int, ...]
    rows: dict[str, dict[int, Spread | None]]

    def __repr__(self) -> str:
        title = f"{self.title}, {len(self.seeds)} seeds: mean (least–most)"
        lines = [title, f"{'':<19}" + "".join(f"{n:<19}" for n in LENGTHS)]
        for name, by_length in self.rows.items():
            seeds = max(each.seeds for each in by_length.values() if each)
            name += f" ({seeds} seeds)" * (seeds < len(self.seeds))
            lines.append(f"{name:<19}" + "".join(f"{self._cell(by_length, n):<19}" for n in LENGTHS))
        return "\n".join(line.rstrip() for line in lines)

    @staticmethod
    def _cell(by_length: dict[int, Spread | None], length: int) -> str:
        return str(by_length[length] or "no row") if length in by_length else ""


def trained_table(task: str, *, steps: int = STEPS, then: str = "", seeds: Iterable[int] = SEEDS) -> TrainedTable:
    """Return how every encoding did at a task, of what `python -m posenc_lib train` has measured and kept.

    Models of two layers, trained on texts of 32 tokens, tested on the last quarter of texts of 32, 64, 128 and 256.
    Only runs of equally many steps stand in one table.

    >>> trained_table("look_back").rows["learned"][64] is None
    True

    Args:
        task: "flip_flop", "look_back" (3 tokens), "induction" or "recall".
        steps: 1000; for flip_flop there is 2000, too, for some encodings.
        then: "drop" for RoPE that was taken away, and the model trained on for a tenth of its steps.
        seeds: which of 0 … 9, say range(5).

    Returns: a `TrainedTable`, whose rows are `Spread`s and which prints as a table.
    Source: measured here.
    """
    if isinstance(seeds, str | bytes) or not isinstance(seeds, Iterable):
        raise TypeError(f"seeds must be whole numbers like range(5), got {validate.show(seeds)}")
    asked = Plan("rope" if then else "no_position", task, steps=steps, then=then).checked()
    chosen = [validate.integer("seeds", seed, low=0) for seed in seeds]
    found = [run for plan, run in load().runs.items() if plan[3:] == asked[3:] and plan.task == task]
    found = [run for run in found if run.plan.seed in chosen]
    if not found:
        raise ValueError(f"the table must have what is asked for, got {task}, {steps} steps, seeds {chosen} {then}")
    there = sorted({run.plan.seed for run in found})
    keys = dict.fromkeys((run.plan.encoding, rope_type) for run in ordered(found) for rope_type in run.accuracy)
    alike = {"seeds": chosen, "steps": steps, "then": then}
    rows = {", ".join(filter(None, key)): spread(key[0], task, rope_type=key[1], **alike) for key in keys}
    return TrainedTable(f"{task}, {steps} steps{then and ', dropped'}", tuple(there), rows)


@lru_cache(1)
def _compared() -> dict[tuple[str, str], list[Run]]:
    kept: dict[tuple[str, str], list[Run]] = {}
    for run in ordered(load().runs.values()):
        if (run.plan.steps, run.plan.then) == (STEPS, ""):
            kept.setdefault((run.plan.encoding, run.plan.task), []).append(run)
    return kept


def runs_of(encoding: str, task: str) -> list[Run]:
    """Return the committed runs of an encoding and a task that all had equally many steps, seed by seed."""
    return _compared().get((encoding, task), [])
