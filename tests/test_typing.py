"""A user's script passes mypy --strict, and runs; an editor and a type checker see every public name."""

import re
import subprocess
import sys

import posenc_lib as pe

from .conftest import ROOT
from .user_script import main

SCRIPT = ROOT / "tests/user_script.py"


def checked(path, request) -> str:
    # as in site-packages: what is wrong within the library is not told to its users
    options = ["--strict", "--follow-imports=silent", "--cache-dir", str(request.config.cache.mkdir("mypy"))]
    command = [sys.executable, "-m", "mypy", *options, str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout


def test_a_users_script_that_calls_every_public_function_is_well_typed(request):
    code = SCRIPT.read_text(encoding="utf-8")
    assert [name for name in pe.__all__ if not re.search(rf"pe\.{name}\b", code)] == []
    assert "ignore" not in code
    assert checked(SCRIPT, request) == "Success: no issues found in 1 source file\n"


def test_a_users_script_runs(tmp_path, capsys):
    main(tmp_path)
    assert "(2, 6, 8)" in capsys.readouterr().out


def test_wrong_types_and_misspelt_names_are_told(tmp_path, request):
    lines = {
        "pe.sinusoidl(3, 4)": "attr-defined",
        'pe.convert_pairing(np.eye(4), 1, to="halves")': "arg-type",
        'pe.binary(3, "4")': "arg-type",
        "pe.learned(3, 4, rng=0)": "arg-type",
        "pe.playground(3)": "arg-type",
        'pe.explore("rope").txt': "attr-defined",
    }
    script = tmp_path / "wrong.py"
    script.write_text("\n".join(["import numpy as np", "import posenc_lib as pe", *lines]), encoding="utf-8")
    told = re.findall(r"wrong\.py:(\d+): error: .*\[(.*)\]", checked(script, request))
    assert told == [(str(number), code) for number, code in enumerate(lines.values(), start=3)]
