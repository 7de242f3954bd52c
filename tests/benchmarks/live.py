"""From the key to the new picture in a real JupyterLab: the explorer beside its floor and what tutorials teach.

    python -m tests.benchmarks.live

All ways run in one notebook, in one browser, by turns, on the same machine; read the ratios, not the milliseconds.
ipympl takes part where it is installed (the extra `posenc_lib[benchmark]`).
"""

import argparse
import math
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.ways import LOG, WAYS
from tests.browser.lab import chromium, jupyterlab
from tests.browser.lesson_page import LessonPage, notebook

DRAGGED = ("floor", "base", "query", "interact", "ipympl")
LOGGED = ("base", "query", "seq_len")  # whose steps the kernel notes
SECONDS, HERTZ = 3, 60
WATCH = """() => {
    window.arrived = [];  // when the page was handed each new picture
    window.shown = [];  // when it was on the screen
    window.painted = [];  // the same for pictures that are drawn on a canvas, as ipympl does
    const last = new WeakMap();  // a new picture may be reported once for itself and once for what it stands in
    const seen = image => {
        if (last.get(image) === image.src) return;
        last.set(image, image.src);
        requestAnimationFrame(() => shown.push(performance.now()));
    };
    const note = image => {
        arrived.push(performance.now());
        image.decode().then(() => seen(image), () => 0);
    };
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
        arrived.length = shown.length = painted.length = 0;
    }, true);
}"""


class Step(NamedTuple):
    """When a key was pressed, and when its picture reached the page and the screen; in seconds since 1970."""

    pressed: float
    arrived: float
    shown: float

    @property
    def ms(self) -> float:
        """Return the milliseconds from the key to the picture."""
        return 1e3 * (self.shown - self.pressed)


def pictures(way: str) -> str:
    """Return where the page keeps the times of a way's pictures."""
    return "painted" if way == "ipympl" else "shown"


def press(page, way: str, handle, key: str) -> Step:
    """Press a key on a slider's handle, wait for its picture, and return when what happened."""
    handle.focus()
    page.keyboard.press(key)
    for _ in range(200):
        page.wait_for_timeout(25)
        times = page.evaluate(
            f"() => [pressed, arrived[0], {pictures(way)}[0]].map(t => (performance.timeOrigin + t) / 1e3)"
        )
        if times[2] is not None and not math.isnan(times[2]):
            page.wait_for_timeout(60)  # let everything settle before the next press
            return Step(*times)
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
    moves = SECONDS * HERTZ
    for k in range(1, moves + 1):
        page.mouse.move(x + 60 * math.sin(3 * math.pi * k / moves), y)  # it ends where it began
        time.sleep(max(0.0, start + k / HERTZ - time.perf_counter()))
    came, end = page.evaluate(f"() => [{pictures(way)}.length, performance.now()]")
    page.wait_for_timeout(1200)
    late = page.evaluate(f"end => Math.max(0, {pictures(way)}.at(-1) - end)", end)
    page.mouse.up()
    page.wait_for_timeout(300)
    return came, late


def measure(rounds: int, presses: int) -> tuple[dict[str, list[Step]], dict[str, list[tuple[int, float]]], list]:
    """Return every press and the pictures of every drag by way, the ways taking turns, and the kernel's steps."""
    steps: dict[str, list[Step]] = {way: [] for way in WAYS}
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
                    steps[way] += taken[2:] if turn == 0 else taken  # the first two warm up
                for way, handle in zip(WAYS, handles, strict=True):
                    if way in drags:
                        drags[way].append(drag(page, way, handle))
        kernel = [tuple(map(float, line.split())) for line in (folder / LOG).read_text().splitlines()]
    return steps, drags, kernel


def table(steps: dict[str, list[Step]]) -> str:
    """Return medians, ninth deciles and ratios as text."""
    times = {way: [step.ms for step in taken] for way, taken in steps.items()}
    middle = {way: statistics.median(taken) for way, taken in times.items()}
    lines = [f"{'key press → new picture':<46}{'median':>9}{'90 %':>9}{'× floor':>9}{'interact ÷':>12}"]
    for way, (_, what) in WAYS.items():
        late = statistics.quantiles(times[way], n=10)[-1]
        ratios = f"{middle[way] / middle['floor']:>9.2f}{middle['interact'] / middle[way]:>12.2f}"
        lines.append(f"{what:<46}{middle[way]:>6.0f} ms{late:>6.0f} ms{ratios}")
    return "\n".join(lines)


def profile(steps: dict[str, list[Step]], kernel: list[tuple[float, float]]) -> str:
    """Return where the time of one step goes, from the key to the screen, as text."""
    parts: dict[str, list] = {way: [] for way in LOGGED}
    for way in LOGGED:
        for step in steps[way]:
            begun, ended = next(pair for pair in kernel if pair[0] > step.pressed)
            moments = (step.pressed, begun, ended, step.arrived, step.shown)
            parts[way].append([1e3 * (b - a) for a, b in pairwise(moments)])
    names = (
        "page and wire, to the kernel",
        "kernel (see tests.benchmarks.step)",
        "wire, back to the page",
        "page: to the screen",
    )
    lines = [f"{'where the time of one step goes, ms':<46}" + "".join(f"{way:>9}" for way in LOGGED)]
    for k, name in enumerate(names):
        lines.append(f"{name:<46}" + "".join(f"{statistics.median(p[k] for p in parts[way]):>9.1f}" for way in LOGGED))
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
    steps, drags, kernel = measure(options.rounds, options.presses)
    print(table(steps), profile(steps, kernel), drag_table(drags), sep="\n\n")
