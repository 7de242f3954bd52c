"""Lessons as somebody finds them: by the README's own command, before any cell is run, and as exported pages."""

import os
import re
import secrets
import shutil
import subprocess
import sys
import urllib.parse
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ..conftest import copied, tracked
from .lab import ROOT, free_port, serve

pytestmark = pytest.mark.slow

LESSONS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
COMMAND = re.search(
    r"^    pip install -r requirements.txt && (jupyter lab .*)$", (ROOT / "README.md").read_text(), re.M
)[1]
CONFIG = """
c.ServerApp.ip, c.ServerApp.port, c.ServerApp.port_retries = "127.0.0.1", {port}, 0
c.ServerApp.open_browser, c.ServerApp.allow_root, c.IdentityProvider.token = False, True, "{token}"
c.LabApp.news_url, c.LabApp.check_for_updates_class = None, "jupyterlab.NeverCheckForUpdate"
"""
WHOLE = '{"windowingMode": "none"}'  # cells below the fold, too
IMAGES = """async () => {
    const images = [...document.querySelectorAll('.jp-NotebookPanel img')];
    await Promise.all(images.map((image) => image.decode().catch(() => 0)));
    return images.map((image) => ({
        width: image.naturalWidth, alt: image.alt, source: image.src.slice(0, 40),
        words: image.parentElement.querySelector('p')?.textContent ?? '',
    }));
}"""
LINKS = """() => [...document.querySelectorAll('.jp-NotebookPanel .jp-RenderedMarkdown a')]
    .map((link) => link.getAttribute('href'))"""


@contextmanager
def started(command: str, folder: Path, home: Path):
    """Run a command as it stands, in a folder; settings that only a test needs stand in files of its own."""
    port, token = free_port(), secrets.token_hex(8)
    (home / "jupyter_config_dir").mkdir()
    (home / "jupyter_config_dir/jupyter_server_config.py").write_text(CONFIG.format(port=port, token=token))
    tracker = home / "jupyter_config_dir/lab/user-settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
    tracker.parent.mkdir(parents=True)
    tracker.write_text(WHOLE)
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with serve(["env", f"PATH={beside}", *command.split()], home, f"http://127.0.0.1:{port}/api", cwd=folder):
        # "reset": without the notebook of the page before
        yield lambda path: f"http://127.0.0.1:{port}/lab/tree/{path}?reset&token={token}"


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of all that git knows of."""
    return copied(tmp_path_factory.mktemp("clone"), tracked())


@pytest.fixture(scope="module")
def by_the_readme(clone, tmp_path_factory):
    with started(COMMAND, clone, tmp_path_factory.mktemp("home")) as address:
        yield address


class Found:
    """A notebook in a page, not yet run, and what the page complains of."""

    def __init__(self, browser, address: str):
        self.page, self.complaints = browser.new_page(viewport={"width": 1280, "height": 900}), []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda m: m.type == "error" and self.complaints.append(f"{m.text} {m.location}"))
        self.page.on("response", lambda r: r.status >= 400 and self.complaints.append(f"{r.status} {r.url}"))
        self.page.goto(address)
        self.page.wait_for_selector(".jp-NotebookPanel .jp-RenderedHTMLCommon img", timeout=60_000)
        self.page.wait_for_timeout(1500)

    def check(self, pictures: int) -> None:
        """Expect every picture of the file, with words for those who cannot see it, and no complaint."""
        shown = self.page.evaluate(IMAGES)
        assert len(shown) == pictures
        for image in shown:
            assert image["width"] > 400, image
            assert len(image["alt"]) > 20, image
            assert len(image["words"]) > 40, image
        assert self.complaints == []

    def links(self) -> list[str]:
        """Return where the text leads, within the project."""
        return [urllib.parse.unquote(link) for link in self.page.evaluate(LINKS) if not link.startswith(("http", "#"))]


def pictures(path: Path) -> int:
    return path.read_text(encoding="utf-8").count('"image/png": "')


@pytest.mark.parametrize("name", LESSONS)
def test_by_the_readmes_command_a_lesson_has_all_its_pictures_and_no_dead_link(by_the_readme, browser, clone, name):
    found = Found(browser, by_the_readme(name))
    found.check(pictures(clone / "notebooks" / name))
    for link in found.links():
        target = (clone / "notebooks" / link.split("#")[0].split("?")[0]).resolve()
        assert target.is_relative_to(clone / "notebooks"), f"{link} lies outside of what the server can reach"
        assert target.exists(), link
    found.page.close()


def test_from_the_root_of_the_repository(browser, clone, tmp_path):
    with started("jupyter lab", clone, tmp_path) as address:
        found = Found(browser, address("notebooks/06_rope.ipynb"))
        found.check(pictures(clone / "notebooks/06_rope.ipynb"))
        found.page.close()


def test_menus_are_where_the_page_for_teachers_says(by_the_readme, browser):
    page = Found(browser, by_the_readme("03_binary.ipynb")).page
    told = (ROOT / "notebooks/for_teachers.md").read_text(encoding="utf-8")
    paths = [" ".join(path.split()).split(" → ") for path in re.findall(r"\*((?:View|Run|Kernel) → [^*]*)\*", told)]
    assert len(paths) >= 4
    for first, *rest in paths:
        page.click(f".lm-MenuBar-itemLabel:text-is('{first}')")
        for item in rest:
            entry = page.wait_for_selector(f".lm-Menu-itemLabel:text-matches('^{item}( \\\\w+)?(…)?$')", timeout=5000)
            entry.hover()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    page.close()


class Page(HTMLParser):
    """The pictures and paragraphs of an exported page."""

    def __init__(self, text: str):
        super().__init__()
        self.images, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.images.append(dict(attrs))

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("name", LESSONS)
def test_a_copy_of_one_notebook_exports_with_pictures_alt_texts_and_words(browser, tmp_path, name):
    shutil.copy(ROOT / "notebooks" / name, tmp_path)
    command = [sys.executable, "-m", "nbconvert", "--to", "html", name]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Alternative text is missing" not in told.stderr
    exported = tmp_path / name.replace("ipynb", "html")
    page = Page(exported.read_text(encoding="utf-8"))
    assert len(page.images) == pictures(tmp_path / name)
    assert all(image["src"].startswith("data:image/png;base64,") and len(image["alt"]) > 20 for image in page.images)
    assert "No description has been provided" not in page.text
    seen = browser.new_page()
    seen.route("http*://**", lambda route: route.abort())  # nbconvert's page asks for its mathematics elsewhere
    seen.goto(exported.as_uri())
    assert seen.evaluate("[...document.images].every((image) => image.naturalWidth > 400)")
    seen.close()
