"""The examples in docstrings and in the cookbook run, and give what they say."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import posenc_lib

from .conftest import ROOT

FOUND = ["posenc_lib", *(m.name for m in pkgutil.walk_packages(posenc_lib.__path__, "posenc_lib."))]
MODULES = [name for name in FOUND if not name.endswith(("pytorch", "__main__", "training.live"))]


SLOW = "posenc_lib.lessons.training.live"  # its example trains a model


@pytest.mark.parametrize(
    "names", [MODULES, pytest.param([SLOW], marks=pytest.mark.slow)], ids=["all", "training"]
)
def test_examples_run(names):
    modules = {name: importlib.import_module(name) for name in names}
    done = {name: doctest.testmod(modules[name], extraglobs={"np": np}) for name in names}
    assert {name: result for name, result in done.items() if result.failed} == {}
    assert len([name for name in done if done[name].attempted]) > len(names) // 4


def test_the_cookbook_runs_from_its_top_to_its_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = str(ROOT / "notebooks/cookbook.md")
    done = doctest.testfile(page, module_relative=False, encoding="utf-8")
    assert done.failed == 0
    assert done.attempted > 20
