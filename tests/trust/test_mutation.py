"""Whoever breaks an encoding hears of it: each mistake that one makes with these formulas fails a test."""

import json
import os
import subprocess
import sys

import pytest

from posenc_lib.encodings.catalog import ENCODINGS

from ..conftest import ROOT
from .mutants import KINDS, MUTANTS, Mutant
from .mutation import CONTROL, broken


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_is_broken_in_each_of_three_ways(name):
    assert {mutant.kind for mutant in MUTANTS if mutant.about == name} == set(KINDS)


def test_every_mistake_changes_code_that_is_still_there():
    for mutant in (CONTROL, *MUTANTS):
        source = (ROOT / "posenc_lib/encodings" / f"{mutant.file}.py").read_text(encoding="utf-8")
        wrong = broken(mutant, source)
        assert wrong != source, mutant
        compile(wrong, mutant.file, "exec")  # a mistake that cannot even be read would prove nothing
    assert len(set(MUTANTS)) == len(MUTANTS)


@pytest.mark.parametrize("source", ["", "a + b, a + b"])
def test_a_mistake_that_no_longer_fits_the_code_says_so(source):
    with pytest.raises(ValueError, match=r"rope.py must have 'a \+ b' exactly once, found [02] \(a slip\)"):
        broken(Mutant("rope", "sign", "a slip", "rope", "a + b", "a - b"), source)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="each mistake is tried in a fork of one process")
def test_every_mistake_is_noticed_and_no_mistake_is_not(record_property):
    before = os.times()
    command = [sys.executable, "-m", "tests.trust.mutation", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    after = os.times()
    assert done.stdout, done.stderr
    control, *rows = json.loads(done.stdout)
    assert control[3] == "", "tests fail without any mistake"
    noticed = [row for row in rows if row[3]]
    seconds = sum(after[2:4]) - sum(before[2:4])  # of the processes it started
    record_property("mutation score", f"{len(noticed)} of {len(rows)} mistakes noticed, {seconds:.0f} s of CPU")
    for name in ENCODINGS:
        of_each = [[bool(row[3]) for row in rows if row[:2] == [name, kind]] for kind in KINDS]
        told = ", ".join(f"{kind} {sum(each)}/{len(each)}" for kind, each in zip(KINDS, of_each, strict=True))
        record_property(f"mutation of {name}", told)
    assert [row[:3] for row in rows if not row[3]] == []
    assert done.returncode == 0
