"""Every third page of the series, so that three processes share them."""

import pytest

from ..trust.kernels import PATHS
from .real import works


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS[0::3], ids=lambda path: path.stem)
def test_a_page_of_the_series_works_in_both_browsers(path, browser, tmp_path, record_property):
    record_property(f"site, {path.stem}", works(path, browser, tmp_path))
