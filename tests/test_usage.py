"""The library is what two pages share; what one page alone needs is in its package."""

import pytest

from posenc_lib.encodings.catalog import NAMED
from posenc_lib.views import VIEWS

from .test_layers import LAYERS
from .usage import CATALOG, LIB, users

LESSONS = "posenc_lib.lessons."
TRAINING = f"{LESSONS}training."
KEPT = {  # in the shared part though one page alone uses them, or none
    "posenc_lib.environment": "what the first cell of a page asks, or the library itself before it "
    "draws",
    "posenc_lib.views": "which files have views",
    "posenc_lib.encodings.exact_head": "one file, with all that can be asked of a best head",
}


@pytest.fixture(scope="module", autouse=True)
def everything():
    """Know the views and encodings of all pages."""
    VIEWS.load(), NAMED.load()


def named(pages) -> str:
    return " and ".join(sorted(page.replace("_", " ") for page in pages)) or "no page"


def test_what_two_pages_use_is_in_no_page_s_package():
    shared = [
        f"{module}.{name} is used by {named(users()[module, name])}: move it up, into the library"
        for module, name in LIB.units
        if module.startswith(LESSONS) and not f"{module}.".startswith(TRAINING)
        if len(users()[module, name] - {CATALOG}) > 1  # a page's name may be public
    ]
    assert shared == []


def test_what_one_page_uses_is_in_its_package():
    alone = [
        f"{module}.{name} is used by {named(users()[module, name])}: move it down, to that page, "
        "or let it go"
        for module, name in LIB.units
        if not name.startswith("__")
        if module.partition(".")[2].split(".")[0] in LAYERS and module not in KEPT
        if CATALOG not in users()[module, name] and len(users()[module, name]) < 2
    ]
    assert alone == []
