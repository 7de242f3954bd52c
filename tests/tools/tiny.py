"""A lesson of a few cells that has all that a page can have, and its site."""

import os
import shutil
from pathlib import Path
from unittest import mock

import nbformat

from posenc_lib.__main__ import main
from posenc_lib.figures.shown import film_of

from ..conftest import until

PANEL = """explore(
    "sinusoidal", views=["trajectory", "dot_product"], seq_len=(4, 60), d_model=4, base=100,
    start={"seq_len": 20, "query": 5},
)"""
CHOICE = """explore(
    "sinusoidal", views="heatmap", seq_len=8, d_model=8, base=100,
    layout=["interleaved", "concatenated"],
)"""
ASKS = """from posenc_lib import explore

explore("sinusoidal", views="dot_product", seq_len=32, d_model=16, base=100.0, guess=True)"""
OWN = """def mine(positions, d_model, scale=1.0):
    return scale * np.sin(np.outer(positions, np.arange(d_model)))
print("not here")
"""
WORDS = r"""# 01 · Tiny

**Does it work?**

5 minutes · You need [the next](02_more.ipynb), [a cell](02_more.ipynb#cell-id=b)
and [a paper](https://example.org/a.ipynb).

$$\sin a \qquad \big\lfloor \frac{a}{b} \big\rfloor < 1$$

| symbol | Python |
|:---|---|
| $\theta_i$ | `theta` |

Take `seq_len` to 37, then to 10 000.
<!--lab-->Press Reset.<!--/lab--><!--site No buttons here.--> See arXiv 1706.03762, $\sqrt d$.

<details><summary>Answer</summary>

Folded.
</details>"""
PICTURE = {"image/png": "aGk="}
ABOUT = {"image/png": {"width": 300, "alt": "hi"}}
SAID = {"text/html": "<details><summary>In words</summary><p>hi</p></details>", "text/plain": "hi"}


def code(source: str, *outputs, **more):
    return nbformat.v4.new_code_cell(source, outputs=list(outputs), metadata=more)


def tiny(folder: Path) -> Path:
    """Write a folder of lessons beside a README, and return it."""
    shown = nbformat.v4.new_output("display_data", PICTURE, metadata=ABOUT)
    said = nbformat.v4.new_output("display_data", SAID)
    printed = nbformat.v4.new_output("stream", text="1 < 2\n")
    cells = [
        nbformat.v4.new_markdown_cell(WORDS),
        code("print('1 < 2')", printed),
        code("import numpy as np\nimport posenc_lib as pe\nfrom posenc_lib import explore, figure"),
        code(PANEL, together=[{"seq_len": 8, "query": 7}]),
        code(CHOICE, every=["layout"]),
        code("install()", printed, site=False),
        code('def count(seq_len):\n    return ...\n\n\ncheck("count", count)', printed),
        code(OWN),
        code("pe.explore(mine, views='heatmap', scale=(0.5, 2.0))", shown, said),
        code("explore(unknown, views='heatmap')", shown, said),
        code('figure("ladder")', shown, said),
    ]
    write(folder / "notebooks/01_tiny.ipynb", cells)
    more = [nbformat.v4.new_markdown_cell("# 02 · More\n\nMore."), code(ASKS)]
    write(folder / "notebooks/02_more.ipynb", more)
    (folder / "notebooks/for_all.md").write_text("# For all\n\nRead [this](01_tiny.ipynb).")
    (folder / "README.md").write_text("# A series\n\n![](x.gif) Left out.")
    return folder / "notebooks"


def write(path: Path, cells: list) -> None:
    for k, cell in enumerate(cells):
        cell.id = "abcdefghijklmn"[k]
    path.parent.mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


def build(out: Path, folder: Path, status: int = 0) -> None:
    """Run the command; the index has a smaller film."""
    small = lambda one, values: film_of(one, values, dpi=50, frames=2)  # noqa: E731
    with mock.patch("posenc_lib.tools.site.build.film_of", small):
        assert main(["site", str(out), str(folder), "--lite", "lite/"]) == status


def site(folders) -> Path:
    """Return a copy of that folder's site, built once for all processes of a run.

    `folders` is tmp_path_factory.
    """
    base = folders.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "tiny"
    try:
        shared.mkdir()
    except FileExistsError:  # another process builds it
        assert until((shared / "built").exists)
    else:
        build(shared / "out", tiny(shared))
        (shared / "built").touch()
    return shutil.copytree(shared / "out", folders.mktemp("site") / "out")
