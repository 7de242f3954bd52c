"""Every third page of the series, so that three processes share them."""

import pytest

from ..browser.firefox import firefox
from ..trust.kernels import PATHS
from .real import holds_together, made, opens, opens_in

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("path", PATHS[1::3], ids=lambda path: path.stem)
def test_a_page_of_the_series_works_in_both_browsers(path, browser, tmp_path, record_property):
    file, shown = made(path, tmp_path)
    record_property(f"site, {path.stem}", f"{file.stat().st_size / 2**20:.1f} MiB, {len(shown)} films")
    holds_together(shown)
    for scheme, size, move in (("light", "wide", True), ("dark", "phone", True), ("dark", "wide", False)):
        opens(browser, file, shown, scheme, size, move=move)
    with firefox() as fox:
        opens_in(fox, file, shown)
