"""What a test does on a lesson's page, in the words of a reader: open, run all, press, drag, look."""

from contextlib import contextmanager
from pathlib import Path

import nbformat

CELL = ".jp-NotebookPanel .jp-Cell"
PICTURE = "img.widget-image"
PROMPT = ".jp-CodeCell .jp-InputPrompt"
STATUS = "document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status"
KERNEL = "document.querySelector('.jp-KernelName')?.textContent"
READY = (
    f"() => {STATUS} === 'idle' && {KERNEL}?.startsWith('Python')"  # idle alone is also said before there is a kernel
)
BEGUN = f"() => [...document.querySelectorAll('{PROMPT}')].some(e => /[*]/.test(e.textContent))"
FINISHED = f"""() => {{
    const failed = document.querySelector("[data-mime-type='application/vnd.jupyter.error']");
    const done = [...document.querySelectorAll('{PROMPT}')].every(e => /\\d/.test(e.textContent));
    return {STATUS} === 'idle' && (failed || done);
}}"""
FINGERPRINT = """async image => {
    const bytes = await (await fetch(image.src)).arrayBuffer();
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return [...hash].map(byte => byte.toString(16).padStart(2, '0')).join('');
}"""
WRONG = ", ".join(f"[data-mime-type='application/vnd.jupyter.{kind}']" for kind in ("error", "stderr"))


def notebook(path: Path, *sources: str) -> None:
    """Write a notebook of these code cells."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, path)


@contextmanager
def opened(browser, address: str):
    """Open a notebook in a page of its own; expect no error on it, and close it."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    lesson = LessonPage(page, address)
    yield lesson
    assert lesson.complaints() == []
    page.close()


class LessonPage:
    """A notebook in JupyterLab, seen through a browser page."""

    def __init__(self, page, address: str):
        self.page = page
        self.errors: list[str] = []
        self.noise: list[str] = []  # what only the page's own tools show
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda m: m.type == "error" and self.noise.append(f"{m.text} {m.location}"))
        page.on("response", lambda r: r.status >= 400 and self.noise.append(f"{r.status} {r.url}"))
        page.goto(address)
        page.wait_for_selector(CELL, timeout=60_000)
        self.must_hold(READY, 60, "no kernel was ready")

    def choose(self, *items: str) -> None:
        """Choose from JupyterLab's menus."""
        self.page.click(f".lm-MenuBar-itemLabel:text-is('{items[0]}')")
        for item in items[1:]:
            self.page.click(f".lm-Menu-itemLabel:text-is('{item}')")

    def run_all(self) -> None:
        """Choose Run All Cells from the menu and wait until no cell is left to run."""
        self.choose("Run", "Run All Cells")
        self.must_hold(BEGUN, 20, "nothing began to run")
        self.finish()

    def finish(self) -> None:
        """Wait until no cell is left to run."""
        self.must_hold(FINISHED, 120, "the notebook did not finish")
        self.page.wait_for_timeout(500)  # the last outputs are still on their way

    def must_hold(self, condition: str, seconds: int, otherwise: str) -> None:
        """Wait until a condition on the page holds."""
        for _ in range(20 * seconds):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(50)
        prompts = self.page.eval_on_selector_all(PROMPT, "all => all.map(e => e.textContent)")
        raise AssertionError(f"{otherwise} in {seconds} s; prompts {prompts}, complaints {self.complaints()}")

    def complaints(self) -> list[str]:
        """Return every error and stderr output on the page, and every JavaScript error."""
        return self.page.locator(WRONG).all_inner_texts() + self.errors

    def explorers(self) -> list["ExplorerOnPage"]:
        """Return the explorers, top to bottom."""
        boxes = self.page.query_selector_all(f".jp-OutputArea-output > .widget-vbox:has({PICTURE})")
        return [ExplorerOnPage(self.page, box) for box in boxes]


class ExplorerOnPage:
    """One explorer: its picture, its words, its sliders and its buttons."""

    def __init__(self, page, box):
        self.page, self.box = page, box

    def picture(self) -> str:
        """Return a fingerprint of the picture's bytes."""
        return self.box.query_selector(PICTURE).evaluate(FINGERPRINT)

    def settled(self) -> str:
        """Return the picture once it stands still and the kernel rests: frames of a drag may be on their way."""
        seen, since = self.picture(), 0
        while since < 3:
            self.page.wait_for_timeout(50)
            now, busy = self.picture(), self.page.evaluate(STATUS) == "busy"
            seen, since = now, since + 1 if now == seen and not busy else 0
        return seen

    def words(self) -> str:
        """Return the line under the picture."""
        return self.box.query_selector("[role=status]").text_content()  # also where scrolled out of sight

    def news(self) -> str:
        """Return all lines under the picture."""
        return " ".join(line.text_content() for line in self.box.query_selector_all("[role=status], [role=alert]"))

    def trouble(self) -> str:
        """Return the error line, empty when all is well."""
        alert = self.box.query_selector("[role=alert]")
        return alert.text_content() if alert else ""

    def sliders(self) -> dict[str, "SliderOnPage"]:
        """Return the sliders by name, in reading order."""
        rows = [SliderOnPage(self.page, row) for row in self.box.query_selector_all(".widget-slider")]
        return {slider.name: slider for slider in rows}

    def press(self, button: str) -> None:
        """Click a button by its label."""
        self.box.query_selector(f"button:has-text('{button}')").click()

    def step(self, slider: "SliderOnPage") -> str:
        """Move a slider by one arrow key; return the new picture."""
        before = self.settled()
        slider.press("ArrowLeft" if slider.fraction() == 1 else "ArrowRight")
        self.wait_until(lambda seen: seen != before)
        return self.settled()

    def wait_until(self, condition, seconds=10.0):
        """Return the picture as soon as condition(picture) holds."""
        for _ in range(int(seconds / 0.05)):
            seen = self.picture()
            if condition(seen):
                return seen
            self.page.wait_for_timeout(50)
        raise AssertionError(f"the picture did not follow; words: {self.words()!r}, error line: {self.trouble()!r}")


class SliderOnPage:
    """One slider of an explorer."""

    def __init__(self, page, row):
        self.page = page
        self.handle = row.query_selector(".noUi-handle")
        self.track = row.query_selector(".noUi-target")
        self.name = row.query_selector(".widget-label").inner_text()
        self.readout = row.query_selector(".widget-readout")

    def fraction(self) -> float:
        """Return where the handle stands along its track, 0 left to 1 right."""
        now, low, high = (float(self.handle.get_attribute(f"aria-value{which}")) for which in ("now", "min", "max"))
        return (now - low) / (high - low)

    def press(self, key: str) -> None:
        """Focus the handle and press a key."""
        self.handle.scroll_into_view_if_needed()
        self.handle.focus()
        self.page.keyboard.press(key)

    def hold(self, fraction: float, steps: int = 8) -> None:
        """Press the mouse on the handle and move it along the track, 0 left to 1 right, without letting go."""
        self.handle.scroll_into_view_if_needed()
        start, track = self.handle.bounding_box(), self.track.bounding_box()
        y = start["y"] + start["height"] / 2
        self.page.mouse.move(start["x"] + start["width"] / 2, y)
        self.page.mouse.down()
        self.page.mouse.move(track["x"] + fraction * track["width"], y, steps=steps)

    def drag_to(self, fraction: float, steps: int = 8) -> None:
        """Drag the handle to a place along the track with the mouse."""
        self.hold(fraction, steps)
        self.page.mouse.up()
