"""What `view` makes of a function, and what it refuses."""

import re
import types
from unittest import mock

import pytest

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import VIEWS, tables
from posenc_lib.views.view import QUERY, view


@pytest.fixture(autouse=True)
def views():
    """Let no test leave a view behind."""
    with mock.patch.dict(VIEWS):
        yield


def test_a_default_is_a_slider_if_it_is_a_parameter_and_else_what_stands_in_for_a_missing_value():
    size = Parameter("size", "how large it is", 3, 1, 9)

    @view("plane", "Mine", x="position", y="dim")
    def mine(pen, encoding, query=QUERY, size=size, words=None, shift=2):
        return "Nothing."

    assert VIEWS["mine"].parameters == (QUERY, size)
    assert VIEWS["mine"].takes == {"query": QUERY.default, "size": 3, "words": None, "shift": 2}


def test_a_name_that_is_taken_is_refused_and_its_view_stays():
    before = VIEWS["heatmap"]
    taken = "every view needs a unique name: 'heatmap' is taken (posenc_lib.views.tables, line "
    with pytest.raises(ValueError, match=re.escape(taken)):

        @view("cells", "Another heatmap")
        def heatmap(pen, encoding):
            return "Nothing."

    assert VIEWS["heatmap"] is before


def test_a_module_that_is_loaded_again_replaces_its_own_views():
    before = VIEWS["heatmap"]
    again = types.FunctionType(before.function.__code__, vars(tables), "heatmap")
    again.__qualname__ = before.function.__qualname__
    view("cells", "Anew")(again)
    assert VIEWS["heatmap"] is not before
    assert VIEWS["heatmap"].title == "Anew"


def test_an_option_that_no_view_has_is_refused():
    refused = "view has no option 'scal'. Did you mean 'scale'?"
    with pytest.raises(TypeError, match=re.escape(refused) + "$"):

        @view("cells", "Mine", scal=False)
        def mine(pen, encoding):
            return "Nothing."

    assert "mine" not in VIEWS
