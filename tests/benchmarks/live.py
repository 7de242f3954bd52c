"""From the key to the new picture in a real JupyterLab: the explorer beside its floor and what tutorials teach.

    python -m tests.benchmarks.live

All ways run in one notebook, in one browser, by turns, on the same machine, and all that several times, each in a
JupyterLab of its own. What is printed are medians of the runs; read the ratios, which are made within a run, not the
milliseconds.
"""

import math
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles

from tests.browser.lab import chromium, jupyterlab
from tests.browser.lesson_page import LessonPage, notebook

RUNS, ROUNDS, PRESSES = 5, 2, 16  # whole measurements, turns that each way takes in one, keys per turn
SECONDS, HERTZ = 3, 60
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
INTERACT = """
%matplotlib inline
import matplotlib.pyplot as plt
from posenc_lib import sinusoidal
def draw(k):
    table = sinusoidal(128, 64, base=10_000.0 + 1000 * k)
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.5), dpi=150)
    axes[0].plot(table[:, 0], table[:, 1], "o-")
    axes[1].imshow(table.T, aspect="auto", cmap="RdBu")
    axes[2].plot(table @ table[10])
    display(figure)
    plt.close(figure)
widgets.interact(draw, k=widgets.IntSlider(50, 0, 100));
"""
EXPLORER = "from posenc_lib import explore\nexplore('sinusoidal', d_model=64, x_dim=0, y_dim=1, {})"
WAYS = {  # name: (cell, what it shows), in the order in which the notebook has them
    "floor": (FLOOR, "an 8×8 picture through the same round trip"),
    "base": (EXPLORER.format("seq_len=128, base=(10, 1e6), query=10"), "explorer, three views, base"),
    "query": (EXPLORER.format("seq_len=128, base=1e4"), "explorer, three views, query"),
    "seq_len": (
        EXPLORER.format("seq_len=(120, 136), base=1e4, query=10"),
        "explorer, three views, seq_len (axes change)",
    ),
    "interact": (INTERACT, "interact + inline pyplot, three such plots"),
}
WATCH = """() => {
    window.shown = [];  // when each new picture was on the screen
    const painted = () => requestAnimationFrame(() => shown.push(performance.now()));
    const last = new WeakMap();  // a new picture may be reported once for itself and once for what it stands in
    const seen = image => {
        if (last.get(image) === image.src) return;
        last.set(image, image.src);
        painted();
    };
    const images = node => node.tagName === 'IMG' ? [node] : [...node.querySelectorAll?.('img') ?? []];
    const note = node => images(node).forEach(image => image.decode().then(() => seen(image), () => 0));
    new MutationObserver(changes => changes.forEach(change => {
        if (change.type === 'attributes') note(change.target);
        change.addedNodes.forEach(note);
    })).observe(document.querySelector('.jp-NotebookPanel'),
                {subtree: true, childList: true, attributes: true, attributeFilter: ['src']});
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function(...all) {
        if (all[0] instanceof ImageBitmap) painted();  // as an explorer does, once for each frame
        return draw.apply(this, all);
    };
    document.addEventListener('keydown', () => {
        window.pressed = performance.now();
        shown.length = 0;
    }, true);
}"""


def press(page, handle, key: str) -> float:
    """Press a key on a slider's handle; return after how many ms its picture was shown."""
    handle.focus()
    page.keyboard.press(key)
    page.wait_for_function("() => shown.length", polling=25, timeout=5_000)
    taken = page.evaluate("() => shown[0] - pressed")
    page.wait_for_timeout(60)  # let everything settle before the next press
    return taken


def drag(page, handle) -> tuple[float, float]:
    """Drag a handle to and fro for some seconds; return pictures per second and how late the last one was, in ms."""
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("() => { shown.length = 0; }")
    start, moves = time.perf_counter(), SECONDS * HERTZ
    for k in range(1, moves + 1):
        page.mouse.move(x + 60 * math.sin(3 * math.pi * k / moves), y)  # it ends where it began
        time.sleep(max(0.0, start + k / HERTZ - time.perf_counter()))
    came, end = page.evaluate("() => [shown.length, performance.now()]")
    page.wait_for_timeout(1200)
    late = page.evaluate("end => Math.max(0, shown.at(-1) - end)", end)
    page.mouse.up()
    page.wait_for_timeout(300)
    return came / SECONDS, late


def measure() -> dict[str, tuple]:
    """Return by way the median and the 90 % of its presses, pictures per second and how late the last one is."""
    steps, drags = defaultdict(list), defaultdict(list)
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
            found = page.query_selector_all(".jp-NotebookPanel .widget-slider .noUi-handle")
            for turn in range(ROUNDS):
                for way, handle in zip(WAYS, found, strict=True):
                    taken = [press(page, handle, "ArrowLeft" if k % 2 else "ArrowRight") for k in range(PRESSES)]
                    steps[way] += taken[2:] if turn == 0 else taken  # the first two warm up
                    drags[way].append(drag(page, handle))
    each = {way: zip(*drags[way], strict=True) for way in WAYS}
    return {way: (median(steps[way]), quantiles(steps[way], n=10)[-1], *map(median, each[way])) for way in WAYS}


def main() -> None:
    runs = [measure() for _ in range(RUNS)]
    print(f"{'key press → new picture':<46}{'median':>9}{'90 %':>9}{'× floor':>9}{'interact ÷':>12}")
    for way, (_, words) in WAYS.items():
        middle, most = (median(run[way][k] for run in runs) for k in (0, 1))
        to_floor = median(run[way][0] / run["floor"][0] for run in runs)
        of_interact = median(run["interact"][0] / run[way][0] for run in runs)
        print(f"{words:<46}{middle:>6.0f} ms{most:>6.0f} ms{to_floor:>9.2f}{of_interact:>12.2f}")
    print(f"\n{f'dragging at {HERTZ} Hz for {SECONDS} s':<46}{'per s':>9}{'last':>9}{'× floor':>9}{'÷ interact':>12}")
    for way, (_, words) in WAYS.items():
        rate, late = (median(run[way][k] for run in runs) for k in (2, 3))
        to_floor, to_interact = (median(run[way][2] / run[one][2] for run in runs) for one in ("floor", "interact"))
        print(f"{words:<46}{rate:>9.1f}{late:>6.0f} ms{to_floor:>9.2f}{to_interact:>12.2f}")


if __name__ == "__main__":
    main()
