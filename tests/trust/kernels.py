"""Lessons and their code cells."""

from pathlib import Path

import nbformat

from posenc_lib.tools.notebooks import find

from ..conftest import ROOT

PATHS = find([ROOT / "notebooks"])
LESSONS = [path for path in PATHS if path.name[:2].isdigit()]


def code_cells(path: Path) -> list:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
