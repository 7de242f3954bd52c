"""What a person sees: drawings in a browser and on paper show the same picture as the PNG."""

import io
import os
import shutil
import subprocess
from unittest import mock

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageFilter

from posenc_lib.figures.registry import find
from posenc_lib.views import VIEWS, style

from ..browser.lab import silent_page
from ..conftest import DAY
from ..kinds import KINDS

pytestmark = pytest.mark.slow

# pictures are drawn so many times finer and shrunk: else bars and lines snap to whole pixels
FINE = 3
REACH = 2  # pixels that an edge or a letter may lie elsewhere
BLOCK, MOST = 16, 15  # pixels in a row of a block, and how much its mean may still differ, of 255
SHOWN = {view for encoding in KINDS.values() for view in encoding.views}


def feeds(view: str) -> str:
    """Return the first encoding that a view fits."""
    return next(name for name, encoding in KINDS.items() if VIEWS[view].fits(encoding))


LINES = [f"{name}:" for name in KINDS]
LINES += [f"{feeds(view)}: {view}" for view in VIEWS.load() if view not in SHOWN]  # in no own panel


@pytest.fixture(scope="module")
def page(browser):
    with silent_page(browser, "file:", viewport={"width": 1100, "height": 700}) as page:
        yield page


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def unhinted():
    """Let letters be as wide as on paper.

    Matplotlib widens each to whole pixels, which moves the end of a long line. The drawings
    themselves are made without this, as everybody makes them.
    """
    usual = style._settings
    plain = {"text.hinting": "no_hinting"}
    return mock.patch.object(style, "_settings", lambda *asked: usual(*asked) | plain)


def in_browser(page, path) -> Image.Image:
    """Return a drawing as a page shows it, at its own size."""
    page.goto(path.as_uri())
    sides = "['width', 'height'].map((side) => document.documentElement[side].baseVal.value)"
    width, height = map(round, page.evaluate(sides))
    page.set_viewport_size({"width": width, "height": height})
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


def beyond(one: Image.Image, other: Image.Image) -> Image.Image:
    """Return how far each pixel lies outside what the other picture has within reach."""
    least = other.filter(ImageFilter.MinFilter(2 * REACH + 1))
    most = other.filter(ImageFilter.MaxFilter(2 * REACH + 1))
    return ImageChops.lighter(ImageChops.subtract(one, most), ImageChops.subtract(least, one))


def difference(one: Image.Image, other: Image.Image) -> float:
    """Return how different two pictures look where they differ most, of 255.

    Means of blocks alone, which do for two files of one program, would not: letters of another
    program differ more than a pale image that is shifted. So only what neither picture has within
    reach counts.
    """
    assert one.size == other.size
    worse = ImageChops.lighter(beyond(one, other), beyond(other, one))
    return float(np.asarray(Image.fromarray(np.asarray(worse).max(axis=2)).reduce(BLOCK)).max())


@pytest.mark.parametrize("suffix", ["svg", "pdf"])
@pytest.mark.parametrize("third", range(3))
def test_a_drawing_of_every_view_shows_the_picture(page, third, suffix, tmp_path):
    """Every encoding's own panel and every other view, a third of them in each theme.

    Of eight lines one is an SVG and one a PDF, and the next day others are.
    """
    path, told = tmp_path / f"x.{suffix}", {}
    turn = (DAY + third + 4 * (suffix == "pdf")) % 8
    for line in LINES[third::3][turn::8]:
        one = find(line)
        with style.themed(style.THEMES[third]):
            with unhinted():
                fine = one.draw(one.defaults).picture("png", FINE * style.CSS_DPI)
            path.write_bytes(one.draw(one.defaults).picture(suffix, style.CSS_DPI))
        picture = opened(fine).reduce(FINE)
        drawing = in_browser(page, path) if suffix == "svg" else on_paper(path, picture)
        told[line] = difference(drawing, picture)
    assert {line: round(most, 1) for line, most in told.items() if most >= MOST} == {}
