"""A browser and a JupyterLab for the whole session, stopped at its end."""

import os
import shutil

import pytest

from .lab import BROWSERS, ROOT, chromium, find_browser, jupyterlab


@pytest.fixture(scope="session")
def browser():
    """A browser; where none is installed the test is skipped, but never in CI."""
    if find_browser() is None:
        reason = f"no browser found ({', '.join(BROWSERS)}); Debian has the package chromium"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Serve copies of the notebooks, so that nothing in the checkout changes."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(ROOT / "notebooks", folder, dirs_exist_ok=True)
    with jupyterlab(folder, tmp_path_factory.mktemp("home")) as address:
        address.folder = folder
        yield address
