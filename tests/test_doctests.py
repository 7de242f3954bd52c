"""The examples in docstrings run, and give what they say."""

import doctest
import importlib
import pkgutil

import numpy as np

import posenc_lib

FOUND = ["posenc_lib", *(m.name for m in pkgutil.walk_packages(posenc_lib.__path__, "posenc_lib."))]
MODULES = [name for name in FOUND if not name.endswith(("pytorch", "__main__"))]


def test_examples_run():
    done = {name: doctest.testmod(importlib.import_module(name), extraglobs={"np": np}) for name in MODULES}
    assert {name: result for name, result in done.items() if result.failed} == {}
    assert len([name for name in done if ".encodings." in name and done[name].attempted]) > 10
