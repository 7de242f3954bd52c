"""From the key to the new picture in a real JupyterLab: the explorer beside its floor and what tutorials teach.

    python -m tests.benchmarks.live

All ways run in one notebook, in one browser, by turns, on the same machine; read the ratios, not the milliseconds.
ipympl takes part where it is installed (the extra `posenc_lib[benchmark]`).
"""

import argparse
import importlib.util
import math
import statistics
import tempfile
import time
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
from posenc_lib.views import VIEWS, style
def draw(k):
    sample = Sample(encoding("sinusoidal"), seq_len=128, d_model=64, base=10_000.0 + 1000 * k)
    with style.styled():
        figure, axes = plt.subplots(1, 3, figsize=(10, 3.5), dpi=150)
        for ax, view in zip(axes, (VIEWS[name]() for name in ("trajectory", "heatmap", "dot_product"))):
            view.draw(ax, **view.inputs(sample, {"x_dim": 0, "y_dim": 1, "query": 10}))
        display(figure)
        plt.close(figure)
widgets.interact(draw, k=widgets.IntSlider(50, 0, 100));
"""
IPYMPL = """
from ipympl.backend_nbagg import Canvas, FigureManager
from matplotlib.figure import Figure
from posenc_lib.encodings.catalog import encoding
from posenc_lib.encodings.sample import Sample
from posenc_lib.views import VIEWS, style
def data(view, k):
    sample = Sample(encoding("sinusoidal"), seq_len=128, d_model=64, base=10_000.0 + 1000 * k)
    return view.inputs(sample, {"x_dim": 0, "y_dim": 1, "query": 10})
with style.styled():
    figure = Figure(figsize=(10, 3.5))
    canvas = Canvas(figure)
    manager = FigureManager(canvas, 0)
    axes = figure.subplots(1, 3)
    shown = [VIEWS[name]() for name in ("trajectory", "heatmap", "dot_product")]
    for ax, view in zip(axes, shown):
        view.draw(ax, **data(view, 50))
def redraw(change):
    for view in shown:
        view.update(**data(view, change["new"]))
    canvas.draw_idle()
turned = widgets.IntSlider(50, 0, 100)
turned.observe(redraw, names="value")
widgets.VBox([turned, canvas])
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
if importlib.util.find_spec("ipympl"):
    WAYS["ipympl"] = (IPYMPL, "ipympl, same views, set_data + draw_idle")
DRAGGED = ("floor", "base", "query", "interact", "ipympl")
SECONDS, HERTZ = 3, 60
WATCH = """() => {
    window.shown = [];  // when each new picture was on the screen
    window.painted = [];  // the same for pictures that are drawn on a canvas, as ipympl does
    const last = new WeakMap();  // a new picture may be reported once for itself and once for what it stands in
    const seen = image => {
        if (last.get(image) === image.src) return;
        last.set(image, image.src);
        requestAnimationFrame(() => shown.push(performance.now()));
    };
    const note = image => image.decode().then(() => seen(image), () => 0);
    const images = node => node.tagName === 'IMG' ? [node] : [...node.querySelectorAll?.('img') ?? []];
    new MutationObserver(changes => changes.forEach(change => {
        if (change.type === 'attributes') images(change.target).forEach(note);
        change.addedNodes.forEach(node => images(node).forEach(note));
    })).observe(document.querySelector('.jp-NotebookPanel'),
                {subtree: true, childList: true, attributes: true, attributeFilter: ['src']});
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function(...all) {
        if (all[0] instanceof HTMLImageElement) requestAnimationFrame(() => painted.push(performance.now()));
        return draw.apply(this, all);
    };
    document.addEventListener('keydown', () => {
        window.pressed = performance.now();
        shown.length = painted.length = 0;
    }, true);
}"""


def pictures(way: str) -> str:
    """Return where the page keeps the times of a way's pictures."""
    return "painted" if way == "ipympl" else "shown"


def press(page, way: str, handle, key: str) -> float:
    """Press a key on a slider's handle and return the milliseconds until its picture was on the screen."""
    handle.focus()
    page.keyboard.press(key)
    for _ in range(200):
        page.wait_for_timeout(25)
        times = page.evaluate(f"() => {pictures(way)}.map(time => time - pressed)")
        if times:
            page.wait_for_timeout(60)  # let everything settle before the next press
            return times[0]
    raise AssertionError(f"{way}: no new picture within 5 s")


def drag(page, way: str, handle) -> tuple[int, float]:
    """Drag a handle to and fro for some seconds; return how many pictures came and how late the last one was, in ms."""
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(f"() => {{ {pictures(way)}.length = 0; }}")
    start = time.perf_counter()
    for k in range(SECONDS * HERTZ):
        page.mouse.move(x + 60 * math.sin(k / 20), y)
        time.sleep(max(0.0, start + (k + 1) / HERTZ - time.perf_counter()))
    came, end = page.evaluate(f"() => [{pictures(way)}.length, performance.now()]")
    page.wait_for_timeout(1200)
    late = page.evaluate(f"end => Math.max(0, {pictures(way)}.at(-1) - end)", end)
    page.mouse.up()
    page.wait_for_timeout(300)
    return came, late


def measure(rounds: int, presses: int) -> tuple[dict[str, list[float]], dict[str, list[tuple[int, float]]]]:
    """Return the milliseconds of every press and the pictures of every drag by way, the ways taking turns."""
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    drags: dict[str, list[tuple[int, float]]] = {way: [] for way in WAYS if way in DRAGGED}
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
                    taken = [press(page, way, handle, "ArrowLeft" if k % 2 else "ArrowRight") for k in range(presses)]
                    times[way] += taken[2:] if turn == 0 else taken  # the first two warm up
                for way, handle in zip(WAYS, handles, strict=True):
                    if way in drags:
                        drags[way].append(drag(page, way, handle))
    return times, drags


def table(times: dict[str, list[float]]) -> str:
    """Return medians, ninth deciles and ratios as text."""
    middle = {way: statistics.median(taken) for way, taken in times.items()}
    lines = [f"{'key press → new picture':<46}{'median':>9}{'90 %':>9}{'× floor':>9}{'interact ÷':>12}"]
    for way, (_, what) in WAYS.items():
        late = statistics.quantiles(times[way], n=10)[-1]
        ratios = f"{middle[way] / middle['floor']:>9.2f}{middle['interact'] / middle[way]:>12.2f}"
        lines.append(f"{what:<46}{middle[way]:>6.0f} ms{late:>6.0f} ms{ratios}")
    return "\n".join(lines)


def drag_table(drags: dict[str, list[tuple[int, float]]]) -> str:
    """Return pictures per second while dragging, and how late the last one is, as text."""
    frames = {way: statistics.median(came for came, _ in taken) / SECONDS for way, taken in drags.items()}
    title = f"dragging at {HERTZ} Hz for {SECONDS} s"
    lines = [f"{title:<46}{'per s':>9}{'last':>9}{'× floor':>9}{'÷ interact':>12}"]
    for way, rate in frames.items():
        late = statistics.median(late for _, late in drags[way])
        ratios = f"{rate / frames['floor']:>9.2f}{rate / frames['interact']:>12.2f}"
        lines.append(f"{WAYS[way][1]:<46}{rate:>9.1f}{late:>6.0f} ms{ratios}")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4, help="how often each way takes its turn")
    parser.add_argument("--presses", type=int, default=16, help="keys per turn")
    options = parser.parse_args()
    times, drags = measure(options.rounds, options.presses)
    print(table(times), drag_table(drags), sep="\n\n")
