"""The examples in docstrings run, and give what they say."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import posenc_lib

FOUND = ["posenc_lib", *(m.name for m in pkgutil.walk_packages(posenc_lib.__path__, "posenc_lib."))]
MODULES = [name for name in FOUND if "pytorch" not in name]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name), extraglobs={"np": np}).failed == 0


def test_most_encodings_have_an_example():
    found = [test for name in MODULES if ".encodings." in name for test in _examples(name)]
    assert len(found) >= 20


def _examples(name):
    return [one for one in doctest.DocTestFinder().find(importlib.import_module(name)) if one.examples]
