"""The API pages build without a warning, show every public name and its words, need no network."""

import html
import inspect
import re
import subprocess
import sys

import pytest

import posenc_lib as pe

from .conftest import ROOT


@pytest.mark.slow
def test_the_pages_show_every_public_name_with_its_docstring(tmp_path):
    command = [sys.executable, "-W", "error", "-m", "tests.api_page", str(tmp_path)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (told.returncode, told.stderr) == (0, "")
    page = (tmp_path / "posenc_lib.html").read_text(encoding="utf-8")
    assert not re.search(r"""<(?:script|link|img)[^>]+(?:src|href)=["']?(?:https?:)?//""", page)
    sections = dict(re.findall(r'<section id="(\w+)">(.*?)</section>', page, re.S))
    assert list(sections) == pe.__all__
    for name, section in sections.items():
        words = html.unescape(re.sub(r"<[^>]+>", "", section))
        assert re.split(r"[`\n]", inspect.getdoc(getattr(pe, name)))[0] in words.replace("\n", " ")
        assert not re.search(
            r"^(Args|Returns|Source): .*(Returns|Source): |_array_like|numpy\.dtype", words, re.M
        )
