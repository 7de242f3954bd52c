"""What a person sees: drawings in a browser and on paper show the same picture as the PNG."""

import base64
import io
import os
import shutil
import subprocess
from unittest import mock

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from PIL import Image

import posenc_lib as pe
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.figures import FIGURES
from posenc_lib.figures.formats import DPI, MOVING, render
from posenc_lib.views import VIEWS, style

from ..browser.lab import silent_page

pytestmark = pytest.mark.slow

FINE = 3  # pictures are drawn so many times finer and shrunk: else bars and lines snap to whole pixels
REACH = 2  # pixels that an edge or a letter may lie elsewhere
BLOCK, MOST = 16, 15  # pixels in a row of a block, and how much its mean may still differ, of 255
KINDS = ENCODINGS | ELSEWHERE
ALONE = [view for view in VIEWS if not any(view in e.views for e in KINDS.values())]  # in no encoding's own panel
SAVED = [(name, list(e.views)) for name, e in KINDS.items()]
SAVED += [(next(name for name, e in KINDS.items() if VIEWS[view].fits(e)), [view]) for view in ALONE]
FILMS = [*((name, "light") for name, one in FIGURES.items() if one.moving), ("toeplitz", "dark"), ("ladder", "print")]


@pytest.fixture(scope="module")
def page(browser):
    with silent_page(browser, "file:", viewport={"width": 1100, "height": 700}) as page:
        yield page


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def unhinted():
    """Let letters be as wide as on paper: matplotlib widens each to whole pixels, which moves the end of a long line.

    The drawings themselves are made without this, as everybody makes them.
    """
    return mock.patch.object(
        style, "_settings", lambda theme, of=style._settings: of(theme) | {"text.hinting": "no_hinting"}
    )


def in_browser(page, path) -> Image.Image:
    """Return a drawing as a page shows it, at its own size."""
    page.goto(path.as_uri())
    size = page.evaluate("['width', 'height'].map((side) => document.documentElement[side].baseVal.value)")
    page.set_viewport_size(dict(zip(("width", "height"), map(round, size), strict=True)))
    return opened(page.screenshot())


def on_paper(path, like: Image.Image) -> Image.Image:
    """Return a PDF's page; a width of 619.2 points, which is 860 pixels, is not rounded up to 861.

    Where nothing can show a PDF the test is skipped, but never in CI.
    """
    if shutil.which("pdftoppm") is None:
        reason = "no pdftoppm found; Debian has it in the package poppler-utils"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    width, height = (str(FINE * side) for side in like.size)
    command = ["pdftoppm", "-r", str(FINE * style.CSS_DPI), "-W", width, "-H", height, path]
    return opened(subprocess.run(command, capture_output=True, check=True).stdout).reduce(FINE)


def beyond(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return how far each pixel lies outside what the other picture has within reach."""
    least = most = np.pad(other, [(REACH, REACH), (REACH, REACH), (0, 0)], mode="edge")
    for axis in (0, 1):
        least = sliding_window_view(least, 2 * REACH + 1, axis).min(axis=-1)
        most = sliding_window_view(most, 2 * REACH + 1, axis).max(axis=-1)
    return np.maximum(one - most, least - one).clip(0).max(axis=2)


def difference(one: Image.Image, other: Image.Image) -> float:
    """Return how different two pictures look where they differ most, of 255.

    Means of blocks alone, which do for two files of one program, would not: letters of another program differ more
    than a pale image that is shifted. So only what neither picture has within reach counts.
    """
    assert one.size == other.size
    one, other = (np.asarray(picture, np.int16) for picture in (one, other))
    worse = np.maximum(beyond(one, other), beyond(other, one))
    worse = np.pad(worse, [(0, -side % BLOCK) for side in worse.shape])
    height, width = (side // BLOCK for side in worse.shape)
    return float(worse.reshape(height, BLOCK, width, BLOCK).mean(axis=(1, 3)).max())


def too_much(told: dict) -> dict:
    """Return the differences that a person would see."""
    return {name: round(most, 1) for name, most in told.items() if most >= MOST}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The folder of every fourth figure's drawings, a third in each theme, and what they should show, by id."""
    folder, pictures = tmp_path_factory.mktemp("shown"), {}
    for k, (name, one) in enumerate(list(FIGURES.items())[::4]):
        with style.themed(style.THEMES[k % 3]):
            with unhinted():
                pictures[name] = opened(render(one, one.defaults, "png", dpi=FINE * style.CSS_DPI)).reduce(FINE)
            for suffix in ("svg", "pdf"):
                (folder / f"{name}.{suffix}").write_bytes(render(one, one.defaults, suffix))
    return folder, pictures


@pytest.mark.parametrize("suffix", ["svg", "pdf"])
def test_a_drawing_shows_the_picture(page, shown, suffix):
    folder, pictures = shown
    told = {}
    for name, picture in pictures.items():
        path = folder / f"{name}.{suffix}"
        told[name] = difference(in_browser(page, path) if suffix == "svg" else on_paper(path, picture), picture)
    assert too_much(told) == {}


CANVASES = "films[0].canvases.map((canvas, k) => [canvas.toDataURL().split(',')[1], films[0].cuts[k]])"
PAINTED = """key => {
    const {frames} = films[0].sliders[0];
    return films[0].figure.dataset.frame == frames[key === "Home" ? 0 : frames.length - 1];
}"""


@pytest.mark.parametrize(("name", "theme"), FILMS)
def test_the_ends_of_a_film_show_the_picture(page, tmp_path, name, theme):
    one = FIGURES[name]
    with style.themed(theme):
        first, *_, last = one.frames(one.defaults, 3)
        film = Image.open(io.BytesIO(render(one, one.defaults, "gif", frames=3)))
        (tmp_path / "film.html").write_bytes(render(one, one.defaults, "html", frames=3))
        pictures = {s: [opened(render(one, end, "png", dpi=DPI[s])) for end in (first, last)] for s in MOVING}
    page.goto((tmp_path / "film.html").as_uri())
    page.set_viewport_size({"width": 1100, "height": 1100})
    told = {}
    for k, key in ((0, "Home"), (-1, "End")):
        page.get_by_role("slider").press(key)
        page.wait_for_function(PAINTED, arg=key)
        seen = Image.new("RGB", pictures["html"][k].size, pictures["html"][k].getpixel((0, 0)))  # paper, between views
        for data, (left, top, *_) in page.evaluate(CANVASES):
            seen.paste(opened(base64.b64decode(data)), (left, top))
        told["html", key] = difference(seen, pictures["html"][k])
        film.seek(k % film.n_frames)
        frame = film.convert("RGB")
        told["gif", key] = difference(frame.crop((0, 0, *pictures["gif"][k].size)), pictures["gif"][k])
        assert frame.height > pictures["gif"][k].height  # a slider lies below
    assert too_much(told) == {}


def test_what_an_explorer_saves_shows_the_same_in_every_format(page, tmp_path):
    told = {}
    for name, views in SAVED[::2]:
        explorer, key = pe.explore(name, views=views), f"{name}: {', '.join(views)}"
        svg, pdf = (explorer.save(tmp_path / f"x.{suffix}") for suffix in ("svg", "pdf"))
        with unhinted():
            picture = opened(explorer.save(tmp_path / "x.png").read_bytes()).reduce(2)
        explorer.close()
        told[key, "svg"] = difference(in_browser(page, svg), picture)
        told[key, "pdf"] = difference(on_paper(pdf, picture), picture)
    assert too_much(told) == {}
