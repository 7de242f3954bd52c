"""What a test does on a lesson's page, in a reader's words: open, run all, press, drag, look."""

import html
import re
from contextlib import contextmanager
from pathlib import Path

import nbformat
from playwright.sync_api import TimeoutError as Late

from .lab import PATIENCE

PICTURE = ".posenc-picture canvas[data-frame]"
DESK, CLIPBOARD = {"width": 1280, "height": 1000}, ["clipboard-read", "clipboard-write"]
PROMPTS = (
    "[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')]"
    ".map(prompt => prompt.textContent)"
)
STATUS = "document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status"
KERNEL = "document.querySelector('.jp-KernelName')?.textContent"
# idle alone is also said before there is a kernel
READY = f"{STATUS} === 'idle' && {KERNEL}?.startsWith('Python')"
BEGUN = f"before => String({PROMPTS}) !== before"
FAILED, STDERR = (
    f"[data-mime-type='application/vnd.jupyter.{kind}']" for kind in ("error", "stderr")
)
NO_NOTEBOOK = "!document.querySelector('.jp-NotebookPanel')"
FINISHED = f"""{STATUS} === 'idle' &&
    (document.querySelector("{FAILED}") || {PROMPTS}.every(prompt => /[0-9]/.test(prompt)))"""
# the last outputs are on their way for a while
DRAWN = """[...document.querySelectorAll(
    "[data-mime-type='application/vnd.jupyter.widget-view+json']"
)].every(
    output => output.children.length && [...output.querySelectorAll('.posenc-picture')].every(
        picture => picture.querySelector('canvas[data-frame]')))"""
FINGER = """(canvas, [type, clientX, clientY]) => {
    canvas.setPointerCapture = () => {};  // no real pointer is there
    const about = {
        pointerType: 'touch', pointerId: 1, isPrimary: true, bubbles: true, cancelable: true};
    canvas.dispatchEvent(new PointerEvent(type, {clientX, clientY, ...about})); }"""
FINGERPRINT = """async canvas => {
    const frame = canvas.dataset.frame;  // the same frame has the same pixels
    if (canvas.printed?.frame !== frame) {
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        const digest = await crypto.subtle.digest('SHA-256', pixels);
        canvas.printed = {frame, print: new Uint8Array(digest).join()};
    }
    return canvas.printed.print;
}"""
IMAGES = """async () => {
    const images = [...document.querySelectorAll('.jp-OutputArea-child img')].filter(
        image => image.src.startsWith('data:image/png;base64,'));
    await Promise.all(images.map(image => image.decode()));
    return images.map(image => {
        const output = image.closest('.jp-OutputArea-child'), below = output.nextElementSibling;
        return [image.naturalWidth, image.alt, output.textContent + below?.textContent];
    });
}"""


def notebook(path: Path, *sources: str) -> None:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    book.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    nbformat.write(book, path)


def stored(path) -> tuple[list[str], list[str], list[str]]:
    """Return the words of the outputs that are pictures, of those that are text, and of tables."""
    outputs = [
        output
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
    ]
    shown = [(o, o.get("data", {})) for o in outputs]
    shown = [
        (o.get("text") or data.get("text/plain"), data.get("text/html", "")) for o, data in shown
    ]
    shown = [(words, page) for words, page in shown if words]  # a bare picture's are below it
    described = re.compile(r"<summary>In words</summary><p>(.*?)</p>", re.S)
    return (
        [html.unescape(words) for _, page in shown for words in described.findall(page)],
        [words for words, page in shown if not page],
        [words for words, page in shown if "<table" in page],
    )


def pictures_are_there(page, words: list[str], *, alts: bool = True) -> None:
    """Expect a sharp picture above each of these words, with an alternative text.

    JupyterLab and nbconvert give none to a bare picture.
    """
    there = "document.querySelectorAll('.jp-OutputArea-child img').length"
    page.wait_for_function(f"{there} === {len(words)}")
    seen = page.evaluate(IMAGES)
    for (width, alt, told), said in zip(seen, words, strict=True):
        assert said in told
        assert width > 400
        assert len(alt) > 20 or not alts


@contextmanager
def opened(browser, address: str):
    """Open a notebook in a page of its own; expect no error on it, and close it."""
    lesson = LessonPage(browser.new_page(viewport=DESK, permissions=CLIPBOARD), address)
    yield lesson
    assert lesson.complaints() == [], lesson.complaints()
    lesson.page.close()


class Desk:
    """A JupyterLab page for one notebook after another: to load it anew takes far longer."""

    def __init__(self, browser, lab):
        self.browser, self.lab, self.lesson = browser, lab, None

    @contextmanager
    def opened(self, name: str):
        """Open a notebook, with a kernel of its own; expect no error, and close it unsaved."""
        lesson, self.lesson = self.lesson, None  # where a test fails nobody comes back to its page
        if lesson:
            lesson.open(name)
        else:
            page = self.browser.new_page(viewport=DESK, permissions=CLIPBOARD)
            lesson = LessonPage(page, self.lab(name))
        yield lesson
        assert lesson.complaints() == [], lesson.complaints()
        lesson.close()
        self.lesson = lesson


class LessonPage:
    """A notebook in JupyterLab, seen through a browser page."""

    def __init__(self, page, address: str):
        # noise is what only the browser's own tools show
        self.page, self.errors, self.noise = page, [], []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console", lambda m: m.type == "error" and self.noise.append(f"{m.text} {m.location}")
        )
        page.on("response", lambda r: r.status >= 400 and self.noise.append(f"{r.status} {r.url}"))
        page.set_default_timeout(2 * PATIENCE)
        page.goto(address)
        self.ready()

    def ready(self) -> None:
        """Wait until the notebook has a kernel."""
        try:
            self.page.wait_for_function(READY, timeout=PATIENCE)
        except Late:
            # on a busy machine JupyterLab may miss that its kernel is there: who waits reloads
            self.page.reload()
            self.page.wait_for_function(READY)

    def choose(self, menu: str, *items: str) -> None:
        self.page.click(f".lm-MenuBar-itemLabel:text-is('{menu}')")
        for item in items:
            self.page.click(f".lm-Menu-itemLabel:text-is('{item}')")

    def open(self, name: str) -> None:
        """Open another notebook where the last one was closed."""
        self.page.set_viewport_size(DESK)
        self.choose("File", "Open from Path…")
        path = self.page.locator(".jp-Dialog input")
        path.fill(name)
        path.press("Enter")
        self.ready()
        files = self.page.locator("#filebrowser")  # comes beside it
        files.wait_for()
        self.page.keyboard.press("Control+b")
        files.wait_for(state="hidden")

    def close(self) -> None:
        """Close the notebook, unsaved."""
        self.choose("File", "Close Tab")
        self.page.wait_for_function(f"document.querySelector('.jp-Dialog') || {NO_NOTEBOOK}")
        if self.page.locator(".jp-Dialog").count():  # none where it has just been saved by itself
            self.page.click(".jp-Dialog button:has-text('Discard')")
        self.page.wait_for_function(NO_NOTEBOOK)

    def run_all(self) -> None:
        """Choose Run All Cells and wait until no cell is left to run."""
        before = self.page.evaluate(f"String({PROMPTS})")
        self.choose("Run", "Run All Cells")
        self.page.wait_for_function(BEGUN, arg=before)
        self.page.wait_for_function(FINISHED)
        self.page.wait_for_function(DRAWN)

    def complaints(self) -> list[str]:
        """Return every error and stderr output on the page, and every JavaScript error."""
        return self.page.locator(f"{FAILED}, {STDERR}").all_inner_texts() + self.errors

    def explorers(self) -> list["ExplorerOnPage"]:
        """Return the explorers that have sliders, top to bottom."""
        boxes = self.page.query_selector_all(
            f".jp-OutputArea-output > .widget-vbox:has({PICTURE}):has(.widget-slider)"
        )
        assert boxes, "there is none"
        return [ExplorerOnPage(self.page, box) for box in boxes]


class ExplorerOnPage:
    """One explorer: its picture, its words, its sliders and its buttons."""

    def __init__(self, page, box):
        self.page, self.box = page, box

    def picture(self) -> str:
        """Return a fingerprint of the picture's pixels."""
        return self.box.wait_for_selector(PICTURE, state="attached").evaluate(FINGERPRINT)

    def settled(self) -> str:
        """Return the picture once it and the kernel rest: frames of a drag may be on their way."""
        seen, since = self.picture(), 0
        while since < 3:
            self.page.wait_for_timeout(50)
            now, busy = self.picture(), self.page.evaluate(STATUS) == "busy"
            seen, since = now, since + 1 if now == seen and not busy else 0
        return seen

    def changed(self, before: str) -> str:
        """Wait for another picture than the one before, and until it rests; return it."""
        self.wait_until(lambda picture: picture != before)
        return self.settled()

    def wait_until(self, condition) -> None:
        """Return as soon as condition(picture) holds."""
        for _ in range(PATIENCE // 50):
            if condition(self.picture()):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(
            f"the picture did not follow; {self.said('status')!r}, {self.said('alert')!r}"
        )

    def said(self, role: str = "status") -> str:
        """Return the lines under the picture, even out of sight; in role alert, errors."""
        return " ".join(
            line.text_content() for line in self.box.query_selector_all(f"[role={role}]")
        )

    def sliders(self) -> dict[str, "SliderOnPage"]:
        """Return the sliders in sight, by name."""
        rows = [row for row in self.box.query_selector_all(".widget-slider") if row.is_visible()]
        return {
            row.query_selector(".widget-label").inner_text(): SliderOnPage(self.page, row)
            for row in rows
        }

    def place(self, left: float, top: float) -> tuple[float, float]:
        """Return a place in the picture, in fractions of it, as x and y on the screen."""
        picture = self.box.query_selector(PICTURE)
        picture.scroll_into_view_if_needed()
        box = picture.bounding_box()
        return box["x"] + left * box["width"], box["y"] + top * box["height"]

    def over(self, left: float, top: float) -> str:
        """Move the mouse to a place in the picture; return what is said there."""
        self.page.mouse.move(*self.place(left, top))
        return " ".join(
            tip.inner_text()
            for tip in self.box.query_selector_all(".posenc-tip")
            if tip.is_visible()
        )

    def told_at(self, left: float, top: float) -> str:
        """Rest the mouse on a place in the picture until something is said there; return it."""
        self.over(left, top)
        self.page.wait_for_function(
            "() => [...document.querySelectorAll('.posenc-tip')].some(tip => !tip.hidden)"
        )
        return self.over(left, top) or self.box.query_selector(".posenc-tip").inner_text()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag in the picture from one place to another."""
        self.over(*start)
        self.page.mouse.down()
        self.page.mouse.move(*self.place(*end), steps=8)
        self.page.mouse.up()

    def touch(self, *events) -> None:
        """Send what a finger does: (type, left, top) in fractions of the picture."""
        for kind, left, top in events:
            self.box.query_selector(PICTURE).evaluate(
                FINGER, [f"pointer{kind}", *self.place(left, top)]
            )
            self.page.wait_for_timeout(60)

    def press(self, button: str) -> None:
        self.box.query_selector(f"button:has-text('{button}')").click()

    def step(self, slider: "SliderOnPage") -> None:
        """Move a slider by one arrow key, and expect another picture."""
        before = self.settled()
        slider.handle.press("ArrowLeft" if slider.fraction() == 1 else "ArrowRight")
        self.wait_until(lambda seen: seen != before)


class SliderOnPage:
    """One slider of an explorer."""

    def __init__(self, page, row):
        self.page, self.handle = page, row.query_selector(".noUi-handle")
        self.track = row.query_selector(".noUi-target")
        self.readout = row.query_selector(".widget-readout")

    def fraction(self) -> float:
        """Return where the handle stands along its track, 0 left to 1 right."""
        now, low, high = (
            float(self.handle.get_attribute(f"aria-value{which}"))
            for which in ("now", "min", "max")
        )
        return (now - low) / (high - low)

    def asleep(self) -> bool:
        """Return whether the slider is gray: it has no room until another one moves."""
        return self.track.get_attribute("disabled") is not None

    def hold(self, fraction: float, steps: int = 8) -> None:
        """Press the mouse on the handle and move it, 0 left to 1 right, without letting go."""
        self.handle.scroll_into_view_if_needed()
        start, track = self.handle.bounding_box(), self.track.bounding_box()
        y = start["y"] + start["height"] / 2
        self.page.mouse.move(start["x"] + start["width"] / 2, y)
        self.page.mouse.down()
        self.page.mouse.move(track["x"] + fraction * track["width"], y, steps=steps)

    def drag_to(self, fraction: float, steps: int = 8) -> None:
        self.hold(fraction, steps)
        self.page.mouse.up()
