"""A user's script passes mypy --strict, and runs; an editor and a type checker see every public name."""

import re
import subprocess
import sys

import pytest

import posenc_lib as pe

from .conftest import ROOT
from .user_script import main

SCRIPT = ROOT / "tests/user_script.py"
WRONG = {
    "pe.sinusoidl(3, 4)": "attr-defined",
    'pe.convert_pairing(np.eye(4), 1, to="halves")': "arg-type",
    'pe.binary(3, "4")': "arg-type",
    "pe.learned(3, 4, rng=0)": "arg-type",
    "pe.playground(3)": "arg-type",
    'pe.explore("rope").txt': "attr-defined",
}


@pytest.mark.slow
def test_a_users_script_is_well_typed_and_wrong_types_and_misspelt_names_are_told(tmp_path, request):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("\n".join(["import numpy as np", "import posenc_lib as pe", *WRONG]), encoding="utf-8")
    # as in site-packages: what is wrong within the library is not told to its users
    options = ["--strict", "--follow-imports=silent", "--cache-dir", str(request.config.cache.mkdir("mypy"))]
    command = [sys.executable, "-m", "mypy", *options, str(SCRIPT), str(wrong)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    found = re.findall(r"(\w+\.py):(\d+): error: .*\[([\w-]+)\]$", told, re.M)
    assert found == [("wrong.py", str(number), code) for number, code in enumerate(WRONG.values(), start=3)], told


def test_a_users_script_calls_every_public_function_and_runs(tmp_path, capsys):
    code = SCRIPT.read_text(encoding="utf-8")
    assert [name for name in pe.__all__ if not re.search(rf"pe\.{name}\b", code)] == []
    assert "ignore" not in code
    main(tmp_path)
    assert "(2, 6, 8)" in capsys.readouterr().out
