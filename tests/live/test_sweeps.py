"""Every slider of every kind of panel, and of every lesson, moves the picture; no value fails."""

import ast

import nbformat
import pytest

from posenc_lib import explore, playground
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.live.settings import steps

from ..conftest import ROOT
from .conftest import shown

pytestmark = pytest.mark.slow

UNLIKE = (  # encodings that share what the narrowest of them allows
    "explore(['rope', 'binary'])",
    "explore(['binary', 'rope'], views='attention_weights', d_model=1)",
    "explore(['learned', 'rope'], views='dot_product', num_positions=(2, 64), query=(0, 63))",
    "explore(['learned', 'rope'], views='outputs', num_positions=2)",
    "explore(['learned', 'rope'], views='trajectory', d_model=16)",
    "explore(['integer', 'rope'], views='odometer')",
    "explore(['learned', 'sinusoidal'], views=['closest_pair', 'trajectory'])",
    "explore(['alibi', 't5'], num_heads=16, head=(0, 7))",
    "explore(['sinusoidal', 'binary'], views='heatmap')",
    f"explore({[*ENCODINGS]}, seq_len=(2, 64), words=['alike', 'different'], causal=[False, True])",
    *(
        f"playground('{pair}').explorer"
        for pair in ("binary+rope", "sine+sinusoidal", "learned+alibi", "t5+shaw")
    ),
)


NOTEBOOKS = sorted(ROOT.glob("notebooks/*.ipynb"))


def lesson(path) -> tuple[list[str], dict]:
    """Return the calls of a notebook that make a panel, and the names they need."""
    cells = nbformat.read(path, as_version=4).cells
    first, *rest = (cell.source for cell in cells if cell.cell_type == "code")
    *before, last = ast.parse(first).body
    names: dict = {}
    exec(compile(ast.Module(before, []), path.stem, "exec"), names)
    for source in rest:
        body = ast.parse(source).body
        if all(isinstance(one, ast.ClassDef) for one in body):  # a reader's own encoding
            exec(compile(ast.Module(body, []), path.stem, "exec"), names)
    sources = [ast.unparse(last), *(" ".join(source.split()) for source in rest)]
    return [source for source in sources if source.startswith("explore(")], names


def changes(panel, name: str) -> bool:
    """Return whether a slider changes the picture where one of the others is at its end."""
    for other in (one for one in panel.sliders if one != name):
        panel.reset()
        panel.sliders[other].value = steps(panel.sliders[other])[-1]
        seen = set()
        for value in (steps(panel.sliders[name])[0], steps(panel.sliders[name])[-1]):
            panel.sliders[name].value = value
            seen.add(panel._picture.value)
        if len(seen) == 2:
            return True
    return False


def sweep(call: str, waiting: str = "", names: dict | None = None) -> None:
    """Move every slider to both ends; expect other pictures, no error, the first after Reset."""
    panel = eval(call, {**(names or {}), "explore": explore, "playground": playground})
    first = shown(panel)
    # else some wait for others
    all_matter = len(panel.spec.encodings) == 1 and type(panel).__name__ == "Explorer"
    for name, slider in panel.sliders.items():
        panel.reset()
        seen = set()
        for value in () if slider.disabled else (steps(slider)[0], steps(slider)[-1]):
            slider.value = value
            assert (panel.values[name], panel._news.value) == (value, "")
            assert "nan" not in panel.text
            seen.add(panel._picture.value)
        if all_matter and name != waiting:  # one that waits for more dims is gray
            moves = slider.disabled or len(seen) == 2 or changes(panel, name)
            assert moves, f"{name} changes nothing in {call}"
    panel.reset()
    assert shown(panel) == first, call
    panel.close()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_slider_of_a_notebook_reaches_both_ends_and_changes_its_picture(path):
    calls, names = lesson(path)
    for call in calls:
        sweep(call, names=names)


def test_every_slider_of_every_encodings_own_panel_reaches_both_ends_and_changes_its_picture():
    for name in ENCODINGS | ELSEWHERE:
        # for pairs at random
        sweep(f"explore('{name}')", waiting="draw" if name == "rope_2d" else "")


def test_every_slider_of_encodings_beside_each_other_reaches_both_ends():
    for call in UNLIKE:
        sweep(call)
