"""The files that the command makes: the same bytes every time, small, with words of their own."""

import html
import io
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image, ImageSequence

import posenc_lib as pe
from posenc_lib.__main__ import main
from posenc_lib.figures.film import POINTS, STEP
from posenc_lib.figures.registry import FIGURES, find
from posenc_lib.tools import formats
from posenc_lib.tools.formats import DPI, FINE, LEAST, MILLISECONDS, MOST, REST, SWEEP, render
from posenc_lib.views import style
from posenc_lib.views.sheet import MARGIN

from .. import films
from ..conftest import ROOT, todays
from ..views.test_sheet import touching


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder as the command fills it: each figure in the formats that are committed."""
    folder = tmp_path_factory.mktemp("made")
    assert main(["figures", "--out", str(folder)]) == 0
    return folder


def told(path) -> dict:
    """Return what a page holds of its film."""
    (film,) = films.films(path.read_text(encoding="utf-8"))
    return film


def frames(path) -> list:
    with Image.open(path) as film:
        return [frame.convert("RGB") for frame in ImageSequence.Iterator(film)]


def alike(one, other) -> bool:
    """Return whether two pictures look the same: only edges may be drawn a little differently."""
    if one.size != other.size:
        return False
    blocks, others = (np.asarray(picture.reduce(8), float) for picture in (one, other))
    apart = np.abs(blocks - others)
    return bool(apart.max() < 48 and apart.mean() < 1)


def letters(path) -> list[str]:
    """Return all words of a drawing, in order."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_what_is_committed_is_what_the_command_makes(made):
    """Another build of the libraries may draw edges differently; a changed number is noticed."""
    for path in (ROOT / "figures").rglob("*.*"):
        fresh = made / path.relative_to(ROOT / "figures")
        if path.suffix == ".svg":
            assert letters(path) == letters(fresh), path.name
        elif path.suffix != ".md":
            pairs = list(zip(frames(path), frames(fresh), strict=True))
            assert all(alike(*pairs[k]) for k in {0, len(pairs) // 2, len(pairs) - 1}), path.name


@pytest.mark.slow
def test_files_are_small_and_say_what_they_show(made):
    for path in made.glob("*.*"):
        one, size = FIGURES.get(path.stem), path.stat().st_size
        if path.suffix == ".svg":
            caption, alt = one.words(one.values())
            svg = path.read_text(encoding="utf-8")
            assert letters(path)
            assert size < 250_000
            assert f"<title>{html.escape(caption, quote=False)}</title>" in svg
            assert f"<desc>{html.escape(alt, quote=False)}</desc>" in svg
            assert ElementTree.fromstring(svg).get("role") == "img"
        elif path.suffix == ".png":
            with Image.open(path) as picture:
                said = picture.text["Title"], picture.text["Description"]
                assert said == one.words(one.values())
        elif path.suffix == ".gif":
            with Image.open(path) as film:
                assert film.info["loop"] == 0
                assert film.convert("RGB").getpixel((2, 2)) == (255, 255, 255), path.name  # paper
                assert film.width >= LEAST * DPI["gif"] / 100
                assert size < 1_900_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "one", todays([one for one in FIGURES.values() if one.moving]), ids=lambda one: one.id
)
def test_each_frame_of_a_page_says_something_else(one, tmp_path):
    path = tmp_path / "a.html"
    path.write_bytes(render(one, one.defaults, "html"))
    film = told(path)
    (slider,) = film["sliders"]
    assert path.stat().st_size < 1_600_000
    assert len(slider["values"]) == len(slider["frames"]) == len(film["frames"])
    assert len(set(films.along(film, "words"))) == len(slider["frames"])


WIDTHS = [(360, 4), *(pytest.param(width, 1, marks=pytest.mark.slow) for width in (360, 670))]


@pytest.mark.parametrize(("width", "every"), WIDTHS)
def test_views_keep_to_themselves_at_every_width(width, every):
    wrong = {}
    for one in list(FIGURES.values())[::every]:
        if found := touching(one.draw(one.defaults, width)):
            wrong[one.id] = found
    assert wrong == {}


@pytest.mark.slow
def test_a_frame_is_what_a_fresh_drawing_shows(tmp_path):
    one = FIGURES["base_sweep"]
    (tmp_path / "a.html").write_bytes(render(one, one.defaults, "html", frames=5))
    film = told(tmp_path / "a.html")
    ats = one.frames(one.defaults, 5, [one.defaults["base"]])
    assert films.along(film, "words") == [one.draw(at).text for at in ats]
    for at, k in zip(ats, film["sliders"][0]["frames"], strict=True):
        shown = films.frames(film)[k]
        for theme, picture in (("light", shown), ("dark", films.in_dark(film, shown))):
            with style.themed(theme):
                fresh = one.draw(at, dpi=DPI["html"]).pixels()[..., :3]
            apart = np.abs(np.subtract(picture, fresh, dtype=int))
            assert apart.max() <= STEP  # nobody can tell them apart
            assert picture.getpixel((0, 0)) == tuple(fresh[0, 0])  # paper is the page's
    (tmp_path / "a.gif").write_bytes(render(one, one.defaults, "gif", frames=3))
    there, *back = one.frames(one.defaults, 3), one.frames(one.defaults, 3)[1]
    for at, frame in zip([*there, *back], frames(tmp_path / "a.gif"), strict=True):
        dpi = 100 * MOST / one.draw(at).size[0]
        fresh = Image.fromarray(one.draw(at, dpi=dpi).pixels()[..., :3])
        assert frame.height > fresh.height  # a slider lies above
        assert alike(frame.crop((0, frame.height - fresh.height, *frame.size)), fresh)


def times(data: bytes) -> list[int]:
    """Return how long each picture of a film stays, in ms."""
    with Image.open(io.BytesIO(data)) as film:
        return [frame.info["duration"] for frame in ImageSequence.Iterator(film)]


def test_a_film_glides_to_and_fro_at_25_frames_a_second_and_rests_at_each_end():
    spring, odometer = FIGURES["sinusoidal_spring"], FIGURES["binary_odometer"]
    stiff = replace(odometer, glides=False)
    many, glides, few = (
        times(render(one, one.defaults, "gif", dpi=25)) for one in (spring, odometer, stiff)
    )
    for durations in (many, glides, few):
        assert all(duration % MILLISECONDS == 0 for duration in durations)
        assert durations[0] > REST
        ((far, _),) = [(k, each) for k, each in enumerate(durations[1:], 1) if each > REST]
        assert sum(durations[:far]) == pytest.approx(sum(durations[far:]), rel=0.03)  # and back
    assert sum(many[: len(many) // 2]) - REST == pytest.approx(SWEEP * MILLISECONDS, rel=0.1)
    for durations in (many, glides):  # a new picture at nearly every beat
        assert durations.count(MILLISECONDS) > 0.8 * len(durations)
    assert few[1] > few[len(few) // 4]  # slower near its ends
    assert len(few) == 2 * len(odometer.frames(odometer.defaults)) - 2  # no digit is left out


@pytest.mark.slow
def test_a_film_of_several_glides_rests_after_each_at_a_whole_number():
    one = FIGURES["rope_rotation"]
    last = len(one.frames(one.defaults, FINE)) - 1
    assert one.glides > 1
    assert last % one.glides == 0
    stays = formats._stays(last + 1, one.glides)
    assert {last / one.glides * k for k in range(one.glides + 1)} <= stays.keys()
    durations = times(render(one, one.defaults, "gif", dpi=20))
    assert sum(duration > REST for duration in durations) == 2 * one.glides  # to and fro


def test_a_drawing_alone_in_its_film_has_paper_around_it_and_several_views_have_none():
    for name, margin in (("dot_product_stem", MARGIN), ("sine_collision", 0)):
        one = FIGURES[name]
        data = render(one, one.defaults, "gif", dpi=50, frames=2)
        with Image.open(io.BytesIO(data)) as film:
            assert film.width == pytest.approx((one.draw(one.defaults).size[0] + 2 * margin) / 2)
            inked = np.flatnonzero((np.asarray(film.convert("L")) < 200).any(axis=0))
        assert inked[0] >= margin / 2 if margin else inked[0] < 2


@pytest.mark.parametrize("name", [name for name, one in FIGURES.items() if one.glides])
def test_what_glides_is_drawn_between_whole_numbers_and_then_as_before(name):
    one = FIGURES[name]
    shown = one.frames(one.defaults)
    drawn, seen = one.draw(shown[3], dpi=50), []
    for at in (3, 3.25, 3.75, 4, 3):
        formats._move(one, drawn, shown, at)
        seen.append(drawn.pixels().copy())
        assert re.search(r"\d\.\d+ flips|query at \d\.", drawn.text) is None
        marks = [mark for pen in drawn.pens for mark in pen.marks.drawn]
        written = [mark.get_text() for mark in marks if isinstance(mark, Text)]
        assert style.written(shown[round(at)][one.moves]) in written  # no part of a number
    assert len({picture.tobytes() for picture in seen[:4]}) == 4
    assert (seen[0] == seen[4]).all()


def test_a_narrow_film_has_room_for_its_slider_and_numbers_have_a_true_minus(monkeypatch):
    one, strips = FIGURES["sinusoidal_spring"], []
    draw = formats._strip
    monkeypatch.setattr(formats, "_strip", lambda *told: strips.append(told) or draw(*told))
    data = render(one, one.defaults, "gif", dpi=50, frames=3)
    assert {name for name, *_ in strips} == {"azimuth"}
    assert [value for _, value, *_ in strips][:3] == ["−80", "−45", "−10"]
    with Image.open(io.BytesIO(data)) as film:
        assert film.width == LEAST / 2
        strip = np.asarray(film.convert("L"))[: int(0.42 * 50)]
    assert strip[:, [0, -1]].min() > 200  # no letter is cut


def test_heights_stay_from_frame_to_frame(tmp_path):
    one = find("alibi: attention_row; seq_len=32, query=31, causal=True")
    one = replace(one, moves="head", low=0, high=7)
    (tmp_path / "a.html").write_bytes(render(one, one.values(), "html", frames=4))
    plots = [axes for frame in told(tmp_path / "a.html")["frames"] for axes in frame["axes"]]
    assert len({tuple(plot["ylim"]) for plot in plots}) == 1
    highest = [max(plot["curves"][0][2]) for plot in plots]
    assert max(highest) > 4 * min(highest)  # the steepest head's and the flattest's


def test_size_and_sharpness_are_as_asked():
    one = FIGURES["toeplitz"]
    for dpi in (100, 150):
        data = render(one, one.defaults, "png", dpi=dpi, width=500.0)
        with Image.open(io.BytesIO(data)) as picture:
            assert picture.width == 5 * dpi


def test_a_frame_has_its_axes_and_curves_in_numbers(tmp_path):
    one = FIGURES["base_sweep"]
    (tmp_path / "a.html").write_bytes(render(one, one.defaults, "html", dpi=50, frames=3))
    film = told(tmp_path / "a.html")
    shown = one.frames(one.defaults, 3, [one.defaults["base"]])
    for k, at in zip(film["sliders"][0]["frames"], shown, strict=True):
        own, first = film["frames"][k]["axes"], film["frames"][0]["axes"]
        axes = [plot or before for plot, before in zip(own, first, strict=True)]
        plot, table = axes[-1], pe.sinusoidal(64, 64, base=at["base"])
        ((kind, x, y),) = [curve for curve in plot["curves"] if curve[0] == "curve"]
        assert (kind, x, plot["names"][0]) == ("curve", [0, 63], "key")
        assert plot["title"] == one.draw(at).pens[-1].headline
        np.testing.assert_allclose(y, table @ table[at["query"]], rtol=1e-3)
        left, top, right, bottom = plot["box"]
        assert 0.5 < left < right < 1
        assert 0 < top < bottom < 1
        assert plot["ylim"][0] < plot["ylim"][1]
        assert all(len(curve[2]) <= POINTS for one in axes for curve in one["curves"])
