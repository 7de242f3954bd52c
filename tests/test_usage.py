"""The library is what two pages share, what one page alone needs is in its package: by the code."""

import pytest

from posenc_lib.encodings.catalog import NAMED
from posenc_lib.views import VIEWS

from .test_layers import LAYERS
from .usage import CATALOG, LIB, users

LESSONS = "posenc_lib.lessons."
TRAINING = f"{LESSONS}training."
KEPT = {  # in the shared part though one page alone uses them, or none
    "posenc_lib.environment",  # what a page's first cell asks, or the library before it draws
    "posenc_lib.views",  # which files have views
    "posenc_lib.encodings.exact_head",  # one file, with all that can be asked of a best head
}


@pytest.fixture(scope="module", autouse=True)
def everything():
    """Know the views and encodings of all pages."""
    VIEWS.load(), NAMED.load()


def named(pages) -> str:
    return " and ".join(sorted(page.replace("_", " ") for page in pages)) or "no page"


def test_what_two_pages_use_is_in_no_page_s_package():
    shared = []
    for module, name in LIB.units:
        of_page = module.startswith(LESSONS) and not f"{module}.".startswith(TRAINING)
        pages = users()[module, name]
        if of_page and len(pages) > 1:
            shared.append(f"{module}.{name} is used by {named(pages)}: move it up, to the library")
    assert shared == []


def test_what_one_page_uses_is_in_its_package():
    alone = []
    for module, name in LIB.units:
        common = module.partition(".")[2].split(".")[0] in LAYERS and module not in KEPT
        pages = users()[module, name]
        if common and CATALOG not in pages and len(pages) < 2:
            alone.append(f"{module}.{name} is used by {named(pages)}: move it down, or let it go")
    assert alone == []
