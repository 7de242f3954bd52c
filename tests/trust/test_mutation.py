"""Whoever breaks an encoding hears of it: each slip in a formula fails a test."""

import os
import re
import subprocess
import sys

import pytest

from ..conftest import ROOT
from .mutants import all_slips
from .mutation import ELSEWHERE, ENCODINGS, EQUIVALENT


def test_what_is_left_out_is_still_there():
    made = {str(slip) for path in ENCODINGS.glob("*.py") for slip in all_slips(path)}
    assert EQUIVALENT - made == set()
    assert ELSEWHERE - {path.stem for path in ENCODINGS.glob("*.py")} == set()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each slip is tried in a fork of one process")
def test_every_slip_is_noticed_and_without_one_nothing_fails(record_property):
    command = [sys.executable, "-m", "tests.trust.mutation"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert "without a slip: no test fails" in done.stdout, done.stdout + done.stderr
    assert re.findall(r"^.*: NOT NOTICED$", done.stdout, re.M) == []
    assert done.returncode == 0
    (score,) = re.findall(r"^\d+ of \d+ slips noticed$", done.stdout, re.M)
    record_property("mutation score", score)
