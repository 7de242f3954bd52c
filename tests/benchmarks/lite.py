"""From the link to the live picture, and from the key to the next: browser edition, JupyterLab.

    python -m posenc_lib lite build/lite
    python -m tests.benchmarks.lite build/lite

Both open lesson 00 in one browser, by turns, on the same machine. JupyterLab's server runs already;
the edition's first visit is in a browser that has nothing of it yet.
"""

import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

from tests.benchmarks.live import WATCH, press
from tests.browser.lab import chromium, jupyterlab, served
from tests.browser.lesson_page import PICTURE, READY
from tests.conftest import ROOT, copied

LESSON, TURNS, KEYS = "00_start_here", 3, 20
DESK = {"width": 1280, "height": 1600}
STORED = "[...document.images].some(image => image.complete && image.naturalWidth > 400)"
HANDLE = ".posenc .noUi-handle"


class Visit:
    """A page that is opened, and how long it takes from then, in seconds."""

    def __init__(self, context, address: str):
        self.page, self.took = context.new_page(), {}
        self.page.set_default_timeout(300_000)
        self._begun = time.perf_counter()
        self.page.goto(address, wait_until="commit")
        self.page.wait_for_function(STORED, polling=20)
        self._note("stored picture")

    def _note(self, what: str) -> None:
        self.took[what] = time.perf_counter() - self._begun

    def live(self) -> None:
        self.page.wait_for_selector(PICTURE, state="attached")
        self.page.wait_for_selector(HANDLE, state="attached")
        self._note("live")

    def run_first(self) -> None:
        """Run the first cell, as a reader of JupyterLab does who doesn't wait."""
        self.page.wait_for_function(READY, polling=20)
        self.page.click(".jp-CodeCell .cm-content")
        self.page.keyboard.press("Shift+Enter")

    def keys(self) -> list[float]:
        """Return after how many milliseconds each of some keys shows its picture."""
        self.page.evaluate(WATCH)
        self.page.wait_for_timeout(1500)
        handle = self.page.query_selector(HANDLE)
        turns = ("ArrowRight", "ArrowLeft") * (KEYS // 2 + 1)
        return [press(self.page, handle, key) for key in turns][2:]  # the first two warm up


def main(folder: Path) -> None:
    took, keys = defaultdict(lambda: defaultdict(list)), defaultdict(list)

    def note(way: str, visit: Visit) -> None:
        for what, seconds in visit.took.items():
            took[what][way].append(seconds)
        keys[way] += visit.keys()
        visit.page.close()

    with tempfile.TemporaryDirectory() as place, chromium() as browser, served(folder) as here:
        clone = copied(Path(place), [ROOT / f"notebooks/{LESSON}.ipynb"])
        with jupyterlab(clone / "notebooks", Path(place, "home")) as address:
            for _ in range(TURNS):
                context = browser.new_context(viewport=DESK)
                for way in ("first visit", "second visit"):
                    visit = Visit(context, f"{here}{LESSON}.html")
                    visit.live()
                    note(way, visit)
                visit = Visit(context, address(f"{LESSON}.ipynb"))
                visit.run_first()
                visit.live()
                note("JupyterLab", visit)
                context.close()

    def line(what: str, ways: dict, look: str) -> None:
        middle = {way: median(times) for way, times in ways.items()}
        ratio = middle["second visit"] / middle["JupyterLab"]
        print(f"{what:<32}" + "".join(map(look.format, middle.values())) + f"{ratio:>7.2f}")

    print(f"{'from the link':<32}" + "".join(f"{way:>14}" for way in keys) + f"{'÷':>7}")
    for what, ways in took.items():
        line(what, ways, "{:>12.1f} s")
    line("key → picture, base", keys, "{:>11.0f} ms")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
