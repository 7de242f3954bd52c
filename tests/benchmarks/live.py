"""From the key to the new picture in a real JupyterLab: the explorer beside its floor and what tutorials teach.

    python -m tests.benchmarks.live

All ways run in one notebook, in one browser, by turns, on the same machine; read the ratios, not the milliseconds.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from tests.browser.lab import chromium, jupyterlab
from tests.browser.lesson_page import LessonPage, notebook

FLOOR = """
import io, ipywidgets as widgets, numpy as np
from PIL import Image
def tiny(value):
    buffer = io.BytesIO()
    Image.fromarray(np.full((8, 8, 3), value * 2, np.uint8)).save(buffer, "png")
    return buffer.getvalue()
floor = widgets.IntSlider(50, 0, 100)
picture = widgets.Image(value=tiny(50))
floor.observe(lambda change: setattr(picture, "value", tiny(change["new"])), names="value")
widgets.VBox([floor, picture])
"""
EXPLORER = "from posenc_lib import explore\nexplore('sinusoidal', seq_len=128, d_model=64, {slider})"
INTERACT = """
%matplotlib inline
import matplotlib.pyplot as plt
from posenc_lib.encodings.catalog import encoding
from posenc_lib.encodings.sample import Sample
from posenc_lib.views import DotProductCurve, Heatmap, Trajectory, style
def draw(k):
    sample = Sample(encoding("sinusoidal"), seq_len=128, d_model=64, base=10_000.0 + 1000 * k)
    with style.styled():
        figure, axes = plt.subplots(1, 3, figsize=(10, 3.5), dpi=150)
        for ax, view in zip(axes, (Trajectory(), Heatmap(), DotProductCurve())):
            view.draw(ax, **view.inputs(sample, {"x_dim": 0, "y_dim": 1, "query": 10}))
        plt.show()
widgets.interact(draw, k=widgets.IntSlider(50, 0, 100));
"""
WAYS = {  # name: (cell, what it shows)
    "floor": (FLOOR, "an 8×8 picture through the same round trip"),
    "base": (EXPLORER.format(slider="base=(10, 1e6), x_dim=0, y_dim=1, query=10"), "explorer, three views, base"),
    "query": (EXPLORER.format(slider="base=1e4, x_dim=0, y_dim=1"), "explorer, three views, query"),
    "seq_len": (
        "explore('sinusoidal', seq_len=(120, 136), d_model=64, base=1e4, x_dim=0, y_dim=1, query=10)",
        "explorer, three views, seq_len (axes change)",
    ),
    "interact": (INTERACT, "interact + inline pyplot, same figure"),
}
WATCH = """() => {
    window.shown = [];
    const seen = () => requestAnimationFrame(() => shown.push(performance.now()));
    const note = image => image.decode().then(seen, () => 0);
    const images = node => node.tagName === 'IMG' ? [node] : [...node.querySelectorAll?.('img') ?? []];
    new MutationObserver(changes => changes.forEach(change => {
        if (change.type === 'attributes') images(change.target).forEach(note);
        change.addedNodes.forEach(node => images(node).forEach(note));
    })).observe(document.querySelector('.jp-NotebookPanel'),
                {subtree: true, childList: true, attributes: true, attributeFilter: ['src']});
    document.addEventListener('keydown', () => { window.pressed = performance.now(); shown.length = 0; }, true);
}"""


def press(page, handle, key: str) -> float:
    """Press a key on a slider's handle and return the milliseconds until its picture was on the screen."""
    handle.focus()
    page.keyboard.press(key)
    for _ in range(200):
        page.wait_for_timeout(25)
        times = page.evaluate("() => shown.map(time => time - pressed)")
        if times:
            page.wait_for_timeout(60)  # let everything settle before the next press
            return times[0]
    raise AssertionError("no new picture within 5 s")


def measure(rounds: int, presses: int) -> dict[str, list[float]]:
    """Return the milliseconds of every press by way, the ways taking turns."""
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        folder, home = Path(place, "served"), Path(place, "home")
        folder.mkdir(), home.mkdir()
        notebook(folder / "live.ipynb", *(cell.strip() for cell, _ in WAYS.values()))
        with jupyterlab(folder, home) as address:
            page = browser.new_page(viewport={"width": 1280, "height": 3200})
            opened = LessonPage(page, address("live.ipynb"))
            opened.run_all()
            assert opened.complaints() == []
            page.evaluate(WATCH)
            handles = page.query_selector_all(".jp-NotebookPanel .widget-slider .noUi-handle")
            assert len(handles) == len(WAYS)
            for turn in range(rounds):
                for way, handle in zip(WAYS, handles, strict=True):
                    taken = [press(page, handle, "ArrowLeft" if k % 2 else "ArrowRight") for k in range(presses)]
                    times[way] += taken[2:] if turn == 0 else taken  # the first two warm up
    return times


def table(times: dict[str, list[float]]) -> str:
    """Return medians, ninth deciles and ratios as text."""
    middle = {way: statistics.median(taken) for way, taken in times.items()}
    lines = [f"{'key press → new picture':<46}{'median':>9}{'90 %':>9}{'× floor':>9}{'interact ÷':>12}"]
    for way, (_, what) in WAYS.items():
        late = statistics.quantiles(times[way], n=10)[-1]
        ratios = f"{middle[way] / middle['floor']:>9.2f}{middle['interact'] / middle[way]:>12.2f}"
        lines.append(f"{what:<46}{middle[way]:>6.0f} ms{late:>6.0f} ms{ratios}")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4, help="how often each way takes its turn")
    parser.add_argument("--presses", type=int, default=16, help="keys per turn")
    options = parser.parse_args()
    print(table(measure(options.rounds, options.presses)))
