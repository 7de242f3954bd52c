"""What tries to break the library finds each kind of fault, and outlives it."""

import pytest

from .sabotage import worker
from .sabotage.trial import TRIALS


@pytest.mark.slow
def test_each_kind_of_fault_is_found_and_what_is_good_is_none(tmp_path):
    numbers = list(range(len(TRIALS)))
    kinds = [fault.split(":")[0] for _, fault in worker.tried("trial", numbers, tmp_path)]
    assert dict(zip(TRIALS, kinds, strict=True)) == {
        what: kind for what, (_, kind) in TRIALS.items()
    }
