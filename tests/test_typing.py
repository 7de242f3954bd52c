"""An editor and a type checker see what every public name takes and gives, and tell wrong calls."""

import re
import subprocess
import sys

import pytest

import posenc_lib as pe

from .conftest import ROOT

WRONG = {
    "pe.sinusoidl(3, 4)": "attr-defined",
    'pe.convert_pairing(np.eye(4), 1, to="halves")': "arg-type",
    'pe.binary(3, "4")': "arg-type",
    "pe.learned(3, 4, rng=0)": "arg-type",
    "pe.playground(3)": "arg-type",
    'pe.explore("rope").txt': "attr-defined",
}


@pytest.mark.slow
def test_every_public_name_is_typed_and_wrong_types_and_misspelt_names_are_told(tmp_path):
    script = tmp_path / "script.py"
    lines = ["import numpy as np", "import posenc_lib as pe", *WRONG]
    lines += [f"reveal_type(pe.{name})" for name in pe.__all__]
    script.write_text("\n".join(lines), encoding="utf-8")
    # as in site-packages: what is wrong within the library is not told to its users
    options = ["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache")]
    command = [sys.executable, "-m", "mypy", *options, str(script)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    found = re.findall(r"script.py:(\d+): error: .*\[([\w-]+)\]$", told, re.M)
    wanted = [(str(number), code) for number, code in enumerate(WRONG.values(), start=3)]
    assert found == wanted, told
    seen = dict(zip(pe.__all__, re.findall(r'Revealed type is "(.*)"$', told, re.M), strict=True))
    untyped = r"^(?!def \()|(?<!\*)\b\w+: Any\b|-> Any$"
    assert {name: kind for name, kind in seen.items() if re.search(untyped, kind)} == {}
