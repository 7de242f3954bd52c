"""Markup wherever a reader's text is shown, an evil notebook, and a kernel that is lost."""

import json
import random
import re
import signal
import tempfile
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import numpy as np
from ipywidgets import HTML
from playwright.sync_api import Error as PageError

import posenc_lib as pe
from posenc_lib.figures.registry import FIGURES
from posenc_lib.live.page import inside
from posenc_lib.tools.formats import render

from ...browser import lab as labs
from ...browser.lab import chromium, find_browser
from ...browser.lesson_page import PICTURE, LessonPage, notebook
from ...conftest import until
from .case import refusal_of, told
from .commands import POSENC, environment, ran

Tried = Iterator[tuple[str, str]]
NO_BROWSER = "not tried: there is no Chromium"
VECTORS = {
    "a script": "<script>alert(1)</script>",
    "an image": "<img src=x onerror=alert(1)>",
    "out of all": "\"'></text></title></style></script><script>alert(1)</script>",
    "a drawing": "<svg onload=alert(1)><animate onbegin=alert(1) attributeName=x dur=1s></svg>",
    "a link": "<a href='javascript:alert(1)' autofocus onfocus=alert(1)>x</a>",
    "a frame": "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "details": "<details open ontoggle=alert(1)>x</details>",
    "entities": "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#60;img src=x onerror=alert(1)&#62;",
    "an entity": "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "ends": "]]> --> ?> */ <!-- <![CDATA[ <?xml",
    "NUL": "a\0b",
    "control": "a\x01\x08\x0b\x1f\x7f\x85b",
    "no characters": "a\ufffe\uffffb",
    "other letters": "位置编码 😀 Ġ ﷽ $x$ e\u0301",
    "a lone surrogate": "a\ud800b",
    "turned over": "\u202e\u2066<script>alert(1)</script>",
    "JSON": '"};alert(1);//</script>',
    "a style": "x;background:url(javascript:alert(1))}*{display:none}",
}
MARKDOWN = [text for text in VECTORS.values() if not {*"\0\ud800"} & {*text}]
MARKDOWN += ["[x](javascript:alert(1))", '![x](x" onerror="alert(1))', "<javascript:alert(1)>"]
MARKDOWN += ["[x]: javascript:alert(1)\n\n[x]", "$<img src=x onerror=alert(1)>$", "`<script>`"]
MARKDOWN += ["```html\n</code><script>alert(1)</script>\n```", "| <script>alert(1)</script> |\n|-|"]


# Where a reader's text is shown: each returns pages and drawings


def of_panel(panel) -> tuple[list[str], list[bytes]]:
    """Return the HTML that a panel has on a page, what a notebook stores of it, and its drawing."""
    shown = [w.value for w in inside(panel.box) if isinstance(w, HTML)]
    allowed = [w for w in inside(panel.box) if getattr(w, "description_allow_html", False)]
    assert not allowed, "a description may be HTML"
    stored = panel._repr_mimebundle_()[0]["text/html"]
    explorer = getattr(panel, "explorer", panel)
    drawn = explorer.sheet.picture("svg", title=explorer.sheet.titles, description=panel.text)
    panel.close()
    return ["\n".join([*shown, stored])], [drawn]


def in_tokens(text: str):
    x, tokens = np.eye(4, 8), [text, "b", text, "d"]
    views = ["attention_row", "attention_map"]
    return of_panel(pe.explore("rope", views=views, q=x, k=x, tokens=tokens))


def in_title(text: str):
    class Own(pe.Additive):
        name, title, parameters = "own", text, pe.Additive.parameters

        def rows(self, positions):
            return np.outer(positions, np.ones(self.d_model))

    return of_panel(pe.explore([Own, "sine"], views="heatmap", seq_len=8, d_model=4))


def in_name(text: str):
    def f(positions, d_model):
        return np.outer(positions, np.ones(d_model))

    f.__name__ = f.__qualname__ = text
    return of_panel(pe.explore([f, "sine"], views="heatmap", seq_len=8, d_model=4))


def in_options(text: str):
    def f(positions, d_model, way="a"):
        return np.outer(positions, np.ones(d_model))

    return of_panel(pe.explore(f, views="heatmap", seq_len=8, d_model=4, way=[text, "a"]))


def in_parameter(text: str):
    class Own(pe.Bias):
        name, title = "own", "own"
        parameters = (*pe.Bias.parameters, pe.Parameter("way", text, text, options=(text, "a")))

        def biases(self, offsets):
            return -np.abs(offsets)[None]

    return of_panel(pe.explore(Own, seq_len=8))


def in_caption(text: str):
    one = replace(FIGURES["toeplitz"], id=text, caption=text, alt=text)
    page = render(one, one.defaults, "html", dpi=50, frames=2).decode()
    return [page], [render(one, one.defaults, "svg")]


def in_figure(text: str):
    shown = pe.figure("rope: dot_product; seq_len=8")
    shown.caption = shown.alt = text
    return [shown._repr_mimebundle_()[0]["text/html"]], []


def in_config(text: str):
    box = pe.config_box({"head_dim": 32, "rope_theta": 500.0, "title": text})
    box.paste.value = json.dumps({"model_type": text, text: text})
    shown = [w.value for w in inside(box.box) if isinstance(w, HTML)]
    box.close()
    return ["\n".join(shown)], []


def in_line(text: str):
    ground = pe.playground(f"rope: {text}; {text}={text}")
    ground._line.value = text
    return of_panel(ground)


def in_news(text: str):
    panel = pe.explore("binary", views="heatmap", seq_len=8)
    panel._say(text)
    return of_panel(panel)


PLACES: dict[str, Callable] = {
    "tokens": in_tokens,
    "a title": in_title,
    "a function's name": in_name,
    "options": in_options,
    "a parameter": in_parameter,
    "a caption": in_caption,
    "a figure": in_figure,
    "a config": in_config,
    "a line": in_line,
    "news": in_news,
}
ELSEWHERE = ("http:", "https:", "ws:", "wss:", "ftp:")
CLICK = "document.querySelectorAll('a[href^=\"javascript:\"]').forEach(link => link.click())"


@contextmanager
def watched():
    """Open a page, and yield a function from a file to what ran in it."""
    with chromium() as browser:
        page, ran = browser.new_page(), []

        def heard(dialog):
            ran.append(dialog.message)
            dialog.dismiss()

        page.on("dialog", heard)
        page.on("request", lambda asked: asked.url.startswith(ELSEWHERE) and ran.append(asked.url))

        def opened(path: Path) -> str:
            del ran[:]
            try:
                page.goto(path.as_uri())
                page.evaluate(CLICK)
                page.evaluate("new Promise(go => requestAnimationFrame(() => setTimeout(go, 50)))")
            except PageError as error:
                return f"page error: {error.message.splitlines()[0]}"
            return f"code run: {ran[0]}" if ran else ""

        yield opened


def markup() -> Tried:
    """Show each vector in each place, and open what comes of it in a browser."""
    if find_browser() is None:
        yield "in a browser", NO_BROWSER
        return
    with tempfile.TemporaryDirectory() as folder, watched() as opened:
        for where, shown_in in PLACES.items():
            for what, text in VECTORS.items():
                warned: list = []
                try:
                    with warnings.catch_warnings(record=True) as warned:
                        warnings.simplefilter("always")
                        pages, drawings = shown_in(text)
                except Exception as error:  # refused in words, it is shown nowhere
                    wrong = refusal_of(error)
                    yield f"{what} in {where}", f"{wrong}: {told(error)}" if wrong else ""
                    continue
                said = f"warning: {warned[0].message}" if warned else ""
                yield f"{what} in {where}, as it is drawn", said
                for page in pages:
                    path = Path(folder) / "page.html"
                    text_of = page if "<html" in page else f"<!doctype html><body>{page}"
                    path.write_text(text_of, encoding="utf-8", errors="replace")
                    yield f"{what} in {where}, a page", opened(path)
                for drawing in drawings:
                    path = Path(folder) / "drawing.svg"
                    path.write_bytes(drawing)
                    yield f"{what} in {where}, a drawing", malformed(drawing) or opened(path)


def malformed(drawing: bytes) -> str:
    """Return what is wrong with a drawing as XML."""
    try:
        ElementTree.fromstring(drawing)
    except ElementTree.ParseError as error:
        return f"no XML: {error}"
    return ""


# A site of evil notebooks


def evil(folder: Path) -> None:
    """Write a notebook and a text that hold each vector, in words, in outputs, and in titles."""
    output = nbformat.v4.new_output
    stored = [output("display_data", {"text/html": text}) for text in MARKDOWN]
    stored += [output("stream", text=text) for text in MARKDOWN]
    drawing = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
    stored += [output("display_data", {"image/svg+xml": drawing, "text/plain": "x"})]
    stored += [output("display_data", {"application/javascript": "alert(1)", "text/plain": "x"})]
    panel = "import numpy as np\nfrom posenc_lib import explore\nx = np.ones((2, 4))\n"
    panel += f"explore('rope', q=x, k=x, tokens={[MARKDOWN[0], MARKDOWN[1]]!r})"
    for k in range(2):
        cells = [nbformat.v4.new_markdown_cell(f"# {MARKDOWN[k]}\n\n**{MARKDOWN[k + 2]}?**")]
        cells += map(nbformat.v4.new_markdown_cell, MARKDOWN)
        cells += [nbformat.v4.new_code_cell(MARKDOWN[k], outputs=stored)]
        cells += [nbformat.v4.new_code_cell(panel), nbformat.v4.new_code_cell("1 / 0")]
        book = json.loads(json.dumps(nbformat.v4.new_notebook(cells=cells)))
        book["cells"][-1]["id"] = f"x{k}"
        book["cells"][-2]["id"] = '"><script>alert(1)</script>'
        (folder / f"{k}.ipynb").write_text(json.dumps(book))
    (folder / "words.md").write_text("\n\n".join([f"# {MARKDOWN[0]}", *MARKDOWN]))


def unknown_puzzle(folder: Path) -> None:
    """Write a notebook that asks for a puzzle that isn't there."""
    notebook(folder / "asks.ipynb", 'check("nosuch")', EXPLORE)


def site() -> Tried:
    """Make sites of evil notebooks, and open their pages in a browser."""
    if find_browser() is None:
        yield "in a browser", NO_BROWSER
        return
    evils = (evil, "0.html 1.html words.html index.html"), (unknown_puzzle, "asks.html index.html")
    with tempfile.TemporaryDirectory() as room, watched() as opened:
        for write, pages in evils:
            folder, out = (Path(room) / write.__name__ / name for name in ("notebooks", "out"))
            folder.mkdir(parents=True)
            write(folder)
            given = [*POSENC, "site", str(out), str(folder)]
            status, said = ran(given, env=environment())
            # one that can't be made is named
            wrong = "Traceback" in said or (status and ".ipynb" not in said)
            yield f"site, {write.__name__}", f"raw words: {said[-200:]}" if wrong else ""
            for path in (out / name for name in pages.split()):
                missing = "" if status else f"no page: {said[-200:]}"
                yield f"{write.__name__} {path.name}", opened(path) if path.exists() else missing


# A kernel that is lost

EXPLORE = "from posenc_lib import explore\npanel = explore('binary', views='heatmap')\npanel"
NAME, SECOND, MOVES = "trouble.ipynb", "second.ipynb", 200
LOST = """() => [
    ...document.querySelectorAll('.jp-OutputArea-output > .jupyter-widgets-disconnected')
].map(box => getComputedStyle(box, '::before').content)"""


def moved(lesson: LessonPage) -> str:
    """Move every slider on a page once; return what is wrong with what is then shown."""
    for explorer in lesson.explorers():
        slider = next(iter(explorer.sliders().values()))
        explorer.step(slider)
        if explorer.said("alert"):
            return f"says {explorer.said('alert')}"
        if not follows(explorer, slider):
            return f"wrong answer: at {slider.readout.inner_text()} it says {explorer.said()}"
    return "".join(f"error on the page: {text[:200]}" for text in lesson.complaints()[:1])


def follows(explorer, slider) -> bool:
    """Return whether the words under a picture come to be those of its slider."""
    explorer.settled()
    now = slider.readout.inner_text()
    return until(lambda: bool(re.search(rf"\b{now} positions", explorer.said())), 30)


def first_of(lesson: LessonPage):
    explorer = lesson.explorers()[0]
    return explorer, next(iter(explorer.sliders().values()))


def run_in_kernel(lesson: LessonPage, k: int) -> None:
    """Run a cell by the keyboard, and do not wait for it."""
    lesson.page.locator(".jp-CodeCell .cm-content").nth(k).click()
    lesson.page.keyboard.press("Control+Enter")


def lost(lesson: LessonPage) -> str:
    """Return what is wrong with what a page says whose kernel is gone; then mend it."""
    if not until(lambda: bool(lesson.page.evaluate(LOST)), 60):
        return "silent: nothing says that the sliders have lost their kernel"
    if said := lesson.complaints():
        return f"error on the page: {said[0][:200]}"
    return mended(lesson)


def mended(lesson: LessonPage) -> str:
    """Run the first cell again; return what is wrong with its panel."""
    lesson.ready()
    run_in_kernel(lesson, 0)
    shown = lesson.page.locator(PICTURE)
    if not until(lambda: shown.count() == 1 and not lesson.page.evaluate(LOST), 60):
        return "dead: the cell was run again, and no panel came"
    return moved(lesson)


def killed(lesson: LessonPage, lab) -> str:
    _, slider = first_of(lesson)
    slider.hold(0.5)
    labs.kernel(lab, NAME).kill()
    lesson.page.wait_for_selector(".jp-Dialog")
    lesson.page.mouse.up()
    lesson.page.click(".jp-Dialog button.jp-mod-accept")
    return lost(lesson)


def restarted(lesson: LessonPage, lab) -> str:
    lesson.choose("Kernel", "Restart Kernel…")
    lesson.page.click(".jp-Dialog button.jp-mod-accept")
    return lost(lesson)


def reloaded(lesson: LessonPage, lab) -> str:
    first_of(lesson)[1].hold(0.5)
    lesson.page.reload()
    lesson.page.mouse.up()
    return mended(lesson)


def queued(lesson: LessonPage, lab) -> str:
    explorer, slider = first_of(lesson)
    for k in range(MOVES):
        slider.handle.press("ArrowRight" if k % 40 < 25 else "ArrowLeft")
    return "" if follows(explorer, slider) else f"wrong answer: it says {explorer.said()}"


def queued_while_busy(lesson: LessonPage, lab) -> str:
    run_in_kernel(lesson, 1)
    return queued(lesson, lab)


def interrupted(lesson: LessonPage, lab) -> str:
    explorer, slider = first_of(lesson)
    chance, process = random.Random(5), labs.kernel(lab, NAME)
    slider.hold(0.5)
    track = slider.track.bounding_box()
    for _ in range(60):
        lesson.page.mouse.move(track["x"] + chance.random() * track["width"], track["y"])
        lesson.page.wait_for_timeout(chance.randrange(30))
        process.send_signal(signal.SIGINT)
    lesson.page.mouse.up()
    explorer.settled()
    return moved(lesson)


def canvas_closed(lesson: LessonPage, lab) -> str:
    run_in_kernel(lesson, 2)
    first_of(lesson)[1].handle.press("ArrowRight")
    lesson.page.wait_for_timeout(500)
    said = lesson.complaints()
    return f"error on the page: {said[0][:200]}" if said else mended(lesson)


def panel_closed(lesson: LessonPage, lab) -> str:
    run_in_kernel(lesson, 3)
    gone = until(lambda: lesson.page.locator(PICTURE).count() == 0, 30)
    said = lesson.complaints()
    if said or not gone:
        return f"error on the page: {said[0][:200]}" if said else "the panel is still there"
    return mended(lesson)


def shared(lesson: LessonPage, lab, browser) -> str:
    """Open a second notebook on the first one's kernel."""
    sessions = lab("api/sessions", "")
    with urllib.request.urlopen(sessions) as answer:
        number = next(s["kernel"]["id"] for s in json.load(answer) if s["path"] == NAME)
    asked = {"path": SECOND, "name": SECOND, "type": "notebook", "kernel": {"id": number}}
    urllib.request.urlopen(urllib.request.Request(sessions, json.dumps(asked).encode()))
    other = LessonPage(browser.new_page(viewport={"width": 1280, "height": 1000}), lab(SECOND))
    run_in_kernel(other, 0)
    other.page.wait_for_selector(PICTURE)
    same_kernel = labs.kernel(lab, NAME).pid == labs.kernel(lab, SECOND).pid
    fault = "" if same_kernel else "not tried: the second notebook has a kernel of its own"
    fault = fault or moved(other) or moved(lesson) or moved(other)
    other.page.close()
    return fault


TROUBLES: dict[str, Callable] = {
    "a page reloaded in the middle of a drag": reloaded,
    f"{MOVES} moves queued": queued,
    f"{MOVES} moves while a cell runs": queued_while_busy,
    "60 interrupts while dragging": interrupted,
    "a canvas closed": canvas_closed,
    "a panel closed": panel_closed,
    "a kernel restarted": restarted,
    "a kernel killed in the middle of a drag": killed,
}


def kernel() -> Tried:
    """Lose a kernel, a canvas or a panel in front of a reader; the page says so, or bears it."""
    if find_browser() is None:
        yield "in a browser", NO_BROWSER
        return
    sources = [EXPLORE, "import time\ntime.sleep(6)", "panel._canvas.close()", "panel.close()"]
    with tempfile.TemporaryDirectory() as room, chromium() as browser:
        folder, home = Path(room) / "work", Path(room) / "home"
        folder.mkdir(), home.mkdir()
        notebook(folder / SECOND, EXPLORE)
        with labs.jupyterlab(folder, home) as lab:
            troubles = TROUBLES | {"two notebooks, one kernel": partial(shared, browser=browser)}
            for what, make in troubles.items():
                notebook(folder / NAME, *sources)  # each cell is run by itself, when it's its turn
                yield what, trouble(browser, lab, make)


def trouble(browser, lab, make: Callable) -> str:
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    try:
        lesson = LessonPage(page, lab(NAME))
        run_in_kernel(lesson, 0)
        page.wait_for_selector(PICTURE)
        return make(lesson, lab)
    except Exception as error:
        return f"error on the page: {type(error).__name__}: {str(error).splitlines()[0][:200]}"
    finally:
        page.close()
