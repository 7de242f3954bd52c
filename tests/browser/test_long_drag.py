"""What a page bears: a thousand drags without growing, and two lessons side by side."""

import pytest

from .lab import kernel
from .lesson_page import READY, notebook, opened

pytestmark = pytest.mark.slow

MB = 1e6
BLOBS = """(() => {
    const [make, drop] = [URL.createObjectURL, URL.revokeObjectURL];
    [window.made, window.kept] = [0, new Set()];
    URL.createObjectURL = blob => { const url = make.call(URL, blob); made += 1; kept.add(url); return url; };
    URL.revokeObjectURL = url => { kept.delete(url); drop.call(URL, url); };
})()"""


def test_a_thousand_drags_do_not_make_the_page_grow(browser, lab, record_property):
    notebook(lab.folder / "long.ipynb", "from posenc_lib import explore", "explore('sinusoidal', views='dot_product')")
    with opened(browser, lab("long.ipynb")) as lesson:
        page = lesson.page
        page.evaluate(BLOBS)
        lesson.run_all()
        (explorer,), process = lesson.explorers(), kernel(lab, "long.ipynb")
        slider, inspector, held = explorer.sliders()["query"], page.context.new_cdp_session(page), []
        for k in range(1051):
            if k % 250 == 50:
                explorer.settled()
                inspector.send("HeapProfiler.collectGarbage")
                heap = inspector.send("Runtime.getHeapUsage")["usedSize"]
                held.append((heap / MB, process.memory_info().rss / MB))
            slider.drag_to(0.05 + k * 37 % 90 / 100, steps=2)
        made, kept = page.evaluate("() => [made, kept.size]")
        for name, sizes in zip(("page", "kernel"), zip(*held, strict=True), strict=True):
            record_property(f"long drag, MB of the {name}", " → ".join(f"{size:.0f}" for size in sizes))
            assert sizes[-1] - sizes[0] < 50
        record_property("long drag, total", f"{k} drags; {made} pictures made, {kept} kept")
        assert made > 300  # a busy page asks for some pictures only
        assert kept <= 10  # the picture in sight, and what JupyterLab itself keeps
        explorer.settled()
        assert f"Dot products of position {slider.readout.inner_text()}:" in explorer.words()


def test_two_lessons_in_one_lab_do_not_move_each_other(browser, lab):
    names = ("03_binary.ipynb", "04_sine.ipynb")
    with opened(browser, lab(names[0], "lab/tree")) as lesson:
        page = lesson.page
        lesson.run_all()
        ours = [explorer for explorer in lesson.explorers() if explorer.sliders()]
        lesson.choose("File", "Open from Path…")
        page.fill(".jp-Dialog input", names[1])
        page.click(".jp-Dialog button.jp-mod-accept")
        page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) h1:has-text('04 · Sine')").wait_for()
        in_sight = "document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden)')"
        page.wait_for_function(READY.replace("document", in_sight))
        lesson.run_all()
        theirs = [explorer for explorer in lesson.explorers()[len(ours) :] if explorer.sliders()]
        assert len(theirs) >= 2
        for those, others in ((theirs, ours), (ours, theirs)):
            still = [other.settled() for other in others]
            for explorer in those:
                explorer.step(next(iter(explorer.sliders().values())))
            assert [other.settled() for other in others] == still
            page.click(f".lm-TabBar-tabLabel:text-is('{names[0]}')")
