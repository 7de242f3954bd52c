"""Whoever breaks an encoding hears of it: each slip in a formula fails a test."""

import os
import re
import subprocess
import sys

import pytest

from ..conftest import ROOT
from .mutants import all_slips, spread
from .mutation import ELSEWHERE, ENCODINGS, EQUIVALENT, slips_of


def test_what_is_left_out_is_still_there():
    made = {str(slip) for path in ENCODINGS.glob("*.py") for slip in all_slips(path)}
    assert EQUIVALENT - made == set()
    assert ELSEWHERE - {path.stem for path in ENCODINGS.glob("*.py")} == set()


@pytest.mark.parametrize("path", sorted(ENCODINGS.glob("*.py")), ids=lambda path: path.stem)
def test_slips_change_the_code_and_are_spread_over_its_functions(path):
    slips = slips_of(path)
    assert {slip.function for slip in spread(slips, len(slips))} == {slip.function for slip in slips}
    for slip in spread(slips, 8):
        before = compile(path.read_text(encoding="utf-8"), f"{slip.file}.py", "exec")
        assert slip.code() != before


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each slip is tried in a fork of one process")
def test_every_slip_is_noticed_and_without_one_nothing_fails(record_property):
    before = os.times()
    command = [sys.executable, "-m", "tests.trust.mutation"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    after = os.times()
    for name, score in re.findall(r"^(mutation of \w+): (.*)$", done.stdout, re.M):
        record_property(name, score)
    seconds = sum(after[2:4]) - sum(before[2:4])  # of the processes it started
    noticed, missed = (
        len(re.findall(rf"^\S+: .*: {end}$", done.stdout, re.M)) for end in (r"test_.*|no end.*", "NOT NOTICED")
    )
    record_property("mutation score", f"{noticed} of {noticed + missed} slips noticed, {seconds:.0f} s of CPU")
    assert "without a slip: no test fails" in done.stdout, done.stdout + done.stderr
    assert re.findall(r"^.*: NOT NOTICED$", done.stdout, re.M) == []
    assert done.returncode == 0
