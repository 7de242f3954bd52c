"""Try what a saboteur tries, row by row: python -m tests.trust.sabotage [ROW …]."""

import argparse
import importlib
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from . import worker

# rows that are not calls: the module that has each
OTHERS = {
    "interrupts": "commands",
    "disk": "commands",
    "together": "commands",
    "stored": "commands",
    "markup": "pages",
    "site": "pages",
    "kernel": "pages",
}
ROWS = [*worker.ROWS, *OTHERS]
ROWS.remove("trial")  # is of these programs themselves
SHOWN = 300  # letters of a fault


def of_calls(row: str, part: float, chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield what was tried and what is wrong with the answer, of a part of a row's cases."""
    cases = worker.cases_of(row)
    count = max(round(part * len(cases)), 1)
    numbers = sorted(chance.sample(range(len(cases)), count))
    with tempfile.TemporaryDirectory() as folder:
        for number, fault in worker.tried(row, numbers, Path(folder)):
            yield cases[number].what, fault


def others(row: str) -> Iterator[tuple[str, str]]:
    """Yield what was tried and what is wrong with what came of it, of a row that isn't calls."""
    return getattr(importlib.import_module(f".{OTHERS[row]}", __package__), row)()


def main(arguments=None) -> int:
    """Try some rows, print a table, and return whether anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.trust.sabotage", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--part", type=float, default=1.0, help="of the calls, from 0 to 1")
    parser.add_argument("--seed", type=int, default=0, help="which part")
    options = parser.parse_args(arguments)
    if unknown := [row for row in options.rows if row not in ROWS]:
        parser.error(f"there is no row {unknown[0]!r} (there are {', '.join(ROWS)})")
    sys.stdout.reconfigure(errors="backslashreplace")
    chance, table = random.Random(options.seed), []
    for row in options.rows or ROWS:
        begun, tried, faults = time.monotonic(), 0, []
        of_row = of_calls(row, options.part, chance) if row in worker.ROWS else others(row)
        for what, fault in of_row:
            tried += 1
            if fault:
                faults.append(fault)
                print(f"{row}: {what[:120]}: {fault[:SHOWN]}", flush=True)
        kinds = Counter(fault.split(":")[0] for fault in faults)
        table.append((row, tried, len(faults), time.monotonic() - begun, kinds))
    print("| row | tried | failed | seconds | how |\n|---|---|---|---|---|")
    for row, tried, failed, seconds, kinds in table:
        how = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        print(f"| {row} | {tried} | {failed} | {seconds:.0f} | {how} |")
    return int(any(failed for _, _, failed, *_ in table))


if __name__ == "__main__":
    sys.exit(main())
