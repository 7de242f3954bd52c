"""What tries to break the library finds each kind of fault, and outlives it."""

import random

import pytest

from ..conftest import DAY
from .sabotage import worker
from .sabotage.trial import TRIALS


@pytest.mark.slow
def test_each_kind_of_fault_is_found_and_what_is_good_is_none(tmp_path):
    numbers = list(range(len(TRIALS)))
    kinds = [fault.split(":")[0] for _, fault in worker.tried("trial", numbers, tmp_path)]
    assert dict(zip(TRIALS, kinds, strict=True)) == {
        what: kind for what, (_, kind) in TRIALS.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("row", ["values", "configs", "lines"])
def test_a_random_tenth_of_what_a_saboteur_calls_is_answered_or_refused(tmp_path, row):
    """Each day another tenth; `python -m tests.trust.sabotage` tries all."""
    count = len(worker.cases_of(row))
    numbers = random.Random(DAY).sample(range(count), count // 10)
    cases = worker.cases_of(row)
    faults = {cases[k].what: fault for k, fault in worker.tried(row, sorted(numbers), tmp_path)}
    assert {what: fault for what, fault in faults.items() if fault} == {}
