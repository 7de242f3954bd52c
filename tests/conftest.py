"""What all tests share: files, goldens, random numbers, a browser."""

import gc
import io
import json
import os
import shutil
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

# before NumPy: each process's threads would wait for the others'
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
# the same in all processes of a run, also around midnight
DAY = int(os.environ.setdefault("POSENC_DAY", str(date.today().toordinal())))

# lessons whose first cell shows a picture below its imports
PICTURE_FIRST = ("00_start_here", "01_why_position", "02_integers", "03_binary", "05_sinusoidal")
PICTURE_FIRST += ("04_sine", "06_rope", "07_relative", "08_alibi", "09_rope_in_practice")
PICTURE_FIRST += ("10_beyond", "11_config", "12_plane", "13_which", "14_make_your_own")
PICTURE_FIRST += ("15_positions_not_words", "16_real_model")

# what takes longest, in the order in which it begins
LONGEST = (
    "tests/lite",
    "tests/browser",
    "tests/tools/test_formats.py",
    "tests/browser/test_trouble.py",
    "tests/views",
    "tests/lessons/test_real_model.py",
    "tests/peers/test_trained.py",
    "tests/figures",
)
# files whose tests share next to nothing
APART = ("tests/figures/test_rasters.py", "tests/peers/test_trained.py")


def tracked() -> list[Path]:
    """Return every file that git knows of and that is there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).exists()]


def mostly_slow(cases, every: int = 4) -> list:
    """Return cases that are much alike: one in `every` always runs, the others are marked slow."""
    return [
        case if i % every == 0 else pytest.param(case, marks=pytest.mark.slow)
        for i, case in enumerate(cases)
    ]


def todays(cases, every: int = 2) -> list:
    """Return one in `every` of cases that take long: in as many days all are tried."""
    return list(cases)[DAY % every :: every]


def unpacked(png: bytes) -> bytes:
    """Return a PNG's pixels, to compare: isal may pack the same pixels in other bytes."""
    from PIL import Image  # tests of one floor need none

    return Image.open(io.BytesIO(png)).convert("RGBA").tobytes()


def same_pixels(a: bytes, b: bytes) -> bool:
    """Return whether two PNGs show the same."""
    return a == b or unpacked(a) == unpacked(b)


def until(true, seconds: float = 120) -> bool:
    """Wait until something is so; return whether it came to that."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(true())


def copied(folder: Path, files: list[Path]) -> Path:
    """Return a folder that holds copies of some files of the checkout, each in its place."""
    for path in files:
        (folder / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / path.relative_to(ROOT))
    return folder


def prose(path: Path) -> str:
    """Return the text of a Markdown file, or of all Markdown cells of a notebook."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    import nbformat  # tests of one floor need none

    return "\n\n".join(
        c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "markdown"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage in what is imported: it stays, and each look would take 0.2 s."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Begin with what takes longest: a process left alone with it would keep all waiting."""

    def place(item) -> int:
        found = (k for k, name in enumerate(LONGEST) if item.nodeid.startswith(name))
        return max(found, default=len(LONGEST))

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep a file in one process, and those that share a JupyterLab or the browser edition.

    Of the longest some are kept apart, so that others can work beside them.
    """
    from xdist.scheduler import LoadFileScheduling

    class Sharing(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            if file in APART:
                return nodeid
            if file == "tests/browser/test_trouble.py":
                return file
            together = [name for name in ("tests/browser", "tests/lite") if file.startswith(name)]
            return together[0] if together else file

    return Sharing(config, log)


@pytest.fixture
def golden():
    """Return a reader of values from independent implementations; each file names its source."""

    def read(name: str) -> dict:
        record = json.loads((ROOT / "tests/goldens" / f"{name}.json").read_text(encoding="utf-8"))
        assert record["source"], "a golden without its source proves nothing"
        for part in {"values", "inputs"} & set(record):
            x = record[part]
            record[part] = (
                {key: np.array(y) for key, y in x.items()} if isinstance(x, dict) else np.array(x)
            )
        return record

    return read


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator that draws the same for every test."""
    return np.random.default_rng(0)


@pytest.fixture(autouse=True)
def usual_page():
    """Let no test inherit the page of another, dark or narrow."""
    yield
    if page := sys.modules.get("posenc_lib.live.page"):  # tests of one floor import none
        page.present(False)
        page.seen({"dark": False, "width": page.DESK[0], "height": page.DESK[1]})


@pytest.fixture(scope="session")
def browser():
    """A browser; where none is installed the test is skipped, but never in CI."""
    from .browser.lab import BROWSERS, chromium, find_browser  # most tests need none

    if find_browser() is None:
        reason = f"no browser found ({', '.join(BROWSERS)}); Debian has the package chromium"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    with chromium() as started:
        yield started
