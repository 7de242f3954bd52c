"""A JupyterLab for the whole session, started as the README says and stopped at the end."""

import re

import pytest

from ..conftest import copied, tracked
from .lab import jupyterlab
from .lesson_page import Desk


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Serve a copy of all that git knows of, so that nothing in the checkout changes."""
    clone = copied(tmp_path_factory.mktemp("clone"), tracked())
    (command,) = re.findall(
        "pip install .* && (jupyter lab .*)", (clone / "README.md").read_text(encoding="utf-8")
    )
    with jupyterlab(clone, tmp_path_factory.mktemp("home"), command) as address:
        address.folder = clone / "notebooks"
        yield address


@pytest.fixture(scope="session")
def desk(browser, lab):
    """Return a JupyterLab page for the notebooks of many tests, one at a time."""
    return Desk(browser, lab)
