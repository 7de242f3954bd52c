"""From the key to the new picture in a real JupyterLab: explorer, floor and what tutorials teach.

    python -m tests.benchmarks.live

All ways run in one notebook, in one browser, by turns, on the same machine. What is printed are
medians of the turns; read the ratios, not the milliseconds.
"""

import math
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles

from tests.browser.lab import chromium, jupyterlab
from tests.browser.lesson_page import LessonPage, notebook

TURNS, PRESSES = 8, 16  # that each way takes, and keys in one
SECONDS, HERTZ = 3, 60  # of a drag
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
EXPLORER = "from posenc_lib import explore\nexplore('sinusoidal', d_model=64, pair=0, {})"
WAYS = {  # name: (cell, what it shows), in the order in which the notebook has them
    "floor": (FLOOR, "an 8×8 picture through the same round trip"),
    "base": (
        EXPLORER.format("seq_len=128, base=(10, 1e6), query=10"),
        "explorer, three views, base",
    ),
    "query": (EXPLORER.format("seq_len=128, base=1e4"), "explorer, three views, query"),
    "seq_len": (
        EXPLORER.format("seq_len=(8, 248), base=1e4, query=10"),
        "explorer, seq_len (axes change)",
    ),
    "interact": (INTERACT, "interact + inline pyplot, three such plots"),
}
WATCH = """() => {
    window.shown = [];  // when each new picture was on the screen
    const painted = () => requestAnimationFrame(() => shown.push(performance.now()));
    // a new picture may be reported once for itself and once for what it stands in
    const seen = new WeakMap();
    const fresh = image => seen.get(image) !== image.src && seen.set(image, image.src);
    const note = image => image.decode().then(() => fresh(image) && painted(), () => 0);
    const within = node => [...node.querySelectorAll?.('img') ?? []];
    const images = node => node.tagName === 'IMG' ? [node] : within(node);
    new MutationObserver(changes => changes.forEach(({type, target, addedNodes}) => {
        (type === 'attributes' ? [target] : [...addedNodes]).flatMap(images).forEach(note);
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
    """Drag a handle to and fro; return pictures a second, and how late the last one was, in ms."""
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


def main() -> None:
    steps, drags = defaultdict(list), defaultdict(list)
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        notebook(Path(place, "live.ipynb"), *(cell.strip() for cell, _ in WAYS.values()))
        with jupyterlab(Path(place), Path(place, "home")) as address:
            page = browser.new_page(viewport={"width": 1280, "height": 3200})
            opened = LessonPage(page, address("live.ipynb"))
            opened.run_all()
            assert opened.complaints() == []
            opened.page.evaluate(WATCH)
            found = opened.page.query_selector_all(".jp-NotebookPanel .widget-slider .noUi-handle")
            for turn in range(TURNS):
                for way, handle in zip(WAYS, found, strict=True):
                    keys = ("ArrowRight", "ArrowLeft") * (PRESSES // 2)
                    taken = [press(opened.page, handle, key) for key in keys]
                    steps[way] += taken[2:] if turn == 0 else taken  # the first two warm up
                    drags[way].append(drag(opened.page, handle))
    key = {way: median(steps[way]) for way in WAYS}
    rate, late = ({way: median(one[k] for one in drags[way]) for way in WAYS} for k in (0, 1))
    head = "key press → new picture"
    print(f"{head:<46}{'median':>9}{'90 %':>9}{'× floor':>9}{'interact ÷':>12}")
    for way, (_, words) in WAYS.items():
        ratios = f"{key[way] / key['floor']:>9.2f}{key['interact'] / key[way]:>12.2f}"
        print(f"{words:<46}{key[way]:>6.0f} ms{quantiles(steps[way], n=10)[-1]:>6.0f} ms{ratios}")
    head = f"dragging at {HERTZ} Hz for {SECONDS} s"
    print(f"\n{head:<46}{'per s':>9}{'last':>9}{'× floor':>9}{'÷ interact':>12}")
    for way, (_, words) in WAYS.items():
        ratios = f"{rate[way] / rate['floor']:>9.2f}{rate[way] / rate['interact']:>12.2f}"
        print(f"{words:<46}{rate[way]:>9.1f}{late[way]:>6.0f} ms{ratios}")


if __name__ == "__main__":
    main()
