"""The files that the command makes: the same bytes every time, small, and what they say about themselves."""

import io
import os
import re
import subprocess
import sys
import zlib

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image, ImageSequence

from posenc_lib.figures import FIGURES
from posenc_lib.figures.formats import FORMATS, render
from posenc_lib.views import style

from .. import films
from ..conftest import ROOT, mostly_slow
from ..views.test_panel import views_keep_apart
from ..views.test_style import contrast

TRACE = re.compile(rb"20\d\d-\d\d-\d\d|D:20\d\d|/(home|root|tmp|Users)/|[Mm]atplotlib \(?v?\d|Pillow|Python \d")


def run(folder, *arguments, seed):
    """Run the command as a user would, in a process of its own; every process orders its sets in another way."""
    command = [sys.executable, "-m", "posenc_lib", "figures", *arguments, "--out", folder]
    subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder as the command fills it: each figure in the formats that are committed."""
    return run(tmp_path_factory.mktemp("made"), seed="1")


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """Every figure in every format; for tests that are slow."""
    return run(tmp_path_factory.mktemp("everything"), "make", *FIGURES, "--format", ",".join(FORMATS), seed="1")


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.slow) for name in ("made", "everything")])
def folder(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(params=FIGURES.values(), ids=FIGURES)
def one(request):
    return request.param


def of(folder, suffix):
    """Return the figures of a folder in one format, with their files."""
    found = [(FIGURES[path.stem], path) for path in sorted(folder.glob(f"*.{suffix}"))]
    assert found
    return found


def told(path) -> dict:
    """Return what a page holds of its film."""
    (film,) = films.films(path.read_text(encoding="utf-8"))
    return film


def words(path) -> dict:
    """Return the same without its pictures and their colours."""
    drawn = {"at": (), "data": ""}
    frames = [frame | drawn for frame in told(path)["frames"]]
    return told(path) | {"first": "", "colors": [], "frames": frames}


def frames(path) -> list:
    if path.suffix == ".html":
        return films.frames(told(path))
    with Image.open(path) as film:
        return [frame.convert("RGB") for frame in ImageSequence.Iterator(film)]


def alike(one, other) -> bool:
    """Return whether two pictures look the same: edges may be drawn a little differently, nothing else."""
    if one.size != other.size:
        return False
    blocks = np.abs(np.subtract(*(np.asarray(picture.reduce(8), float) for picture in (one, other))))
    return bool(blocks.max() < 48 and blocks.mean() < 1)


def letters(path) -> list[str]:
    """Return all words of a drawing, in order."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_another_process_gives_the_same_bytes(everything, tmp_path):
    assert {path.name for path in everything.iterdir()} == {f"{name}.{kind}" for name in FIGURES for kind in FORMATS}
    again = run(run(tmp_path, seed="2"), "make", *FIGURES, "--format", "pdf", seed="3")
    (again / "README.md").unlink()
    assert len(list(again.iterdir())) == 3 * len(FIGURES)
    assert [path.name for path in again.iterdir() if path.read_bytes() != (everything / path.name).read_bytes()] == []


@pytest.mark.slow
def test_what_is_committed_is_what_the_command_makes(made):
    """Another build of the libraries may draw edges a little differently; a changed number or line is noticed."""
    for path in (ROOT / "figures").iterdir():
        fresh = made / path.name
        if path.suffix == ".svg":
            assert letters(path) == letters(fresh), path.name
        elif path.suffix != ".md":
            pairs = list(zip(frames(path), frames(fresh), strict=True))
            assert all(alike(*pairs[k]) for k in {0, len(pairs) // 2, len(pairs) - 1}), path.name
        if path.suffix == ".html":
            assert words(path) == words(fresh), path.name


@pytest.mark.slow
def test_a_change_would_be_noticed(made):
    shown = frames(made / "base_sweep.html")
    assert not any(map(alike, shown, shown[1:]))
    assert alike(shown[0], shown[0])


def test_films_go_round_and_round_and_stay_small(folder):
    for one, path in of(folder, "gif"):
        assert path.stat().st_size < 1_500_000
        with Image.open(path) as film:
            assert film.info["loop"] == 0
            assert film.n_frames == len(one.frames(one.defaults))
            assert film.convert("RGB").getpixel((2, 2)) == (255, 255, 255), f"{path.name} has paper of its own"


def test_pages_are_small_and_each_frame_says_something_else(folder):
    for _, path in of(folder, "html"):
        (slider,) = told(path)["sliders"]
        assert path.stat().st_size < 1_000_000
        assert len(slider["values"]) == len(slider["frames"]) == len(told(path)["frames"])
        assert len(set(films.along(told(path), "words"))) == len(slider["frames"])


def test_drawings_and_pictures_say_what_they_show_and_are_small(folder):
    for one, path in of(folder, "svg"):
        caption, alt = one.words(one.defaults)
        svg = path.read_text(encoding="utf-8")
        assert letters(path)
        assert len(svg) < 250_000
        assert f"<title>{caption}</title>" in svg
        assert alt in svg
    for one, path in of(folder, "png"):
        with Image.open(path) as picture:
            assert (picture.text["Title"], picture.text["Description"]) == one.words(one.defaults)


def test_nothing_tells_when_where_or_by_what_it_was_made(folder):
    for path in (path for path in folder.iterdir() if path.suffix != ".md"):
        data = path.read_bytes()
        if path.suffix == ".html":
            data = re.sub(rb"[A-Za-z0-9+/=]{1000,}", b"", data)  # pictures
        elif path.suffix == ".pdf":
            data += b"".join(map(inflated, re.findall(rb"stream\r?\n(.*?)endstream", data, re.S)))
        elif path.suffix != ".svg":
            with Image.open(path) as picture:
                data = repr({k: v for k, v in picture.info.items() if k not in ("Title", "Description")}).encode()
        assert not TRACE.search(data), path.name


def inflated(data):
    try:
        return zlib.decompress(data)
    except zlib.error:
        return b""


@pytest.mark.parametrize("theme", mostly_slow(style.THEMES))
def test_words_can_be_read_in_every_theme(one, theme):
    with style.themed(theme):
        drawn = one.draw(one.defaults)
        drawn.picture("png", 40)
        paper = dict.fromkeys(drawn.figure.findobj(match=Text), style.PAPER)
        for view in getattr(drawn, "views", []):
            for text in view.numbers if view.name == "shift_matrix" else []:  # they stand on coloured cells
                column, row = text.get_position()
                paper[text] = view.image.to_rgba(view.image.get_array()[row, column]) if text.get_visible() else None
        seen = {text: below for text, below in paper.items() if text.get_visible() and text.get_text().strip()}
        assert seen
        assert {t.get_text(): t.get_color() for t, below in seen.items() if contrast(t.get_color(), below) < 4.5} == {}


@pytest.mark.parametrize("width", [None, 3.6, 4.2, 6.7, 20.0])
def test_views_keep_to_themselves_at_every_width(one, width):
    drawn = one.draw(one.defaults, width if one.line else None)  # the scorecard has a width of its own
    views_keep_apart(drawn.figure, room=1)


def test_a_frame_is_what_a_fresh_drawing_shows(tmp_path):
    one = FIGURES["base_sweep"]
    (tmp_path / "a.html").write_bytes(render(one, one.defaults, "html", frames=5))
    words = films.along(told(tmp_path / "a.html"), "words")
    assert words == [one.draw(at).describe() for at in one.frames(one.defaults, 5)]


@pytest.mark.parametrize("dpi", [100, 150])
def test_size_and_sharpness_are_as_asked(dpi):
    one = FIGURES["toeplitz"]
    with Image.open(io.BytesIO(render(one, one.defaults, "png", dpi=dpi, width=5.0))) as picture:
        assert picture.width == 5 * dpi
