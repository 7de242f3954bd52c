"""A JupyterLab for the whole session, stopped at its end."""

import shutil

import pytest

from .lab import ROOT, jupyterlab


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Serve copies of the notebooks, so that nothing in the checkout changes."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(ROOT / "notebooks", folder, dirs_exist_ok=True)
    with jupyterlab(folder, tmp_path_factory.mktemp("home")) as address:
        address.folder = folder
        yield address
