"""The examples in docstrings and in the cookbook run, and give what they say."""

import ast
import contextlib
import doctest
import importlib
import io
import itertools
import os
import pkgutil
import re
from collections.abc import Iterator

import numpy as np
import pytest

import posenc_lib

from .conftest import ROOT, prose

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


def printed(code: str, given: dict) -> Iterator[tuple[str, str]]:
    """Run code; yield what each statement prints, and the comment behind it or below."""
    lines = code.splitlines()
    for statement in ast.parse(code).body:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(ast.Module([statement], []), "cookbook.md", "exec"), given)
        row, end = statement.end_lineno, statement.end_col_offset
        behind = lines[row - 1].encode()[end:].decode().strip()
        below = itertools.takewhile(lambda line: line.startswith("# "), lines[row:])
        comment = [line.removeprefix("# ") for line in (behind, *below) if line]
        yield out.getvalue().removesuffix("\n"), "\n".join(comment)


def blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)


BEGIN, *JOBS = prose(ROOT / "notebooks/cookbook.md").split("\n## ")


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.partition("\n")[0])
def test_a_job_of_the_cookbook_needs_the_first_block_alone_and_prints_what_it_says(
    job, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (begin,), given, prints = blocks(BEGIN), {}, 0
    exec(begin, given)
    for code in blocks(job):
        if "import torch" in code and not os.environ.get("CI"):
            pytest.importorskip("torch")
        for said, comment in printed(code, given):
            assert said in ("", comment)
            prints += said != ""
    assert prints


def test_a_comment_that_is_wrong_is_found():
    code = "x = 1  # one\nprint('#', x)  # # 2\nprint(x)\n# 1\n# 2\n"
    assert list(printed(code, {})) == [("", "one"), ("# 1", "# 2"), ("1", "1\n2")]


def test_the_cookbook_counts_its_jobs():
    assert BEGIN.startswith("# Cookbook: fifteen jobs")
    assert [int(job.partition(".")[0]) for job in JOBS] == list(range(1, 16))
