"""Every figure: ids, files and links agree, words are sentences, every parameter does something."""

import io
import re
import tomllib
from dataclasses import replace

import nbformat
import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

import posenc_lib as pe
from posenc_lib.figures import registry
from posenc_lib.figures.registry import FIGURES, find
from posenc_lib.tools.figures import FIRST, TILES_OF, formats, gallery, groups
from posenc_lib.tools.tiles import (
    DISC,
    GAP,
    HIGH,
    PAD,
    ROOM,
    SHARP,
    TELLS,
    WIDE,
    Tell,
    telling,
    tile,
)
from posenc_lib.views import VIEWS, style
from posenc_lib.views.sheet import Sheet

from ..conftest import ROOT, prose

FOLDER = ROOT / "figures"


def sources(path):
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def test_the_gallery_is_up_to_date_and_links_every_file_of_the_folder():
    files = {f"{one.id}.{suffix}" for one in FIGURES.values() for suffix in formats(one)}
    tiles = {name.format(one) for one in FIGURES for name in TILES_OF.values()}
    assert {path.name for path in FOLDER.iterdir()} == {"README.md", "small"} | files
    assert {f"small/{path.name}" for path in (FOLDER / "small").iterdir()} == tiles
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert told == gallery().decode()
    assert set(re.findall(r'href="(\w+\.\w+)"', told)) == files
    shown = re.findall(r'dark\)" srcset="([^"]+)"><img src="([^"]+)" alt="[^"]', told)
    assert sorted(name for both in shown for name in both) == sorted(tiles)
    assert all(dark == light.replace(".webp", "_dark.webp") for dark, light in shown)
    assert re.findall(r"^\| `(\w+)` \| [A-Z].*\. \| .", told, re.M) == list(VIEWS.load())


def test_each_figure_is_in_one_group_of_the_gallery():
    (title, first), *others = groups().items()
    assert title == "Start with these"
    assert [one.id for one in first] == FIRST
    everything = [one.id for _, some in [(title, first), *others] for one in some]
    assert sorted(everything) == sorted(FIGURES)
    assert all(some for _, some in others)


def test_each_figure_has_a_tile_and_a_line_that_fits_on_it():
    assert set(TELLS) == set(FIGURES)
    for name, tell in TELLS.items():
        one = FIGURES[name]
        views = [len(spec.views) * len(spec.encodings) for spec, _ in one.panels(one.values())]
        assert set(tell.plots) <= set(range(sum(views)))
        if len(tell.plots) > 1 and name != "base_sweep":
            assert all(tell.plots.values()), name  # plots side by side have names
        room = ROOM[0] - one.moving * 2 * DISC
        assert 60 < style.text_width(tell.line, style.WORDS, "bold") < room, name
        assert tell.line[0].isupper()
        assert tell.line[-1] not in ".!?"


def picture(data: bytes) -> np.ndarray:
    """Return a tile's pixels, with alpha."""
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"), int)


@pytest.mark.slow
def test_the_tiles_are_up_to_date_and_light():
    sizes = []
    for one in FIGURES.values():
        for theme, name in TILES_OF.items():
            stored = (FOLDER / name.format(one.id)).read_bytes()
            sizes.append(len(stored))
            apart = np.abs(picture(stored) - picture(tile(one, theme)))
            assert apart.mean() < 1, (one.id, theme)  # edges may be drawn a little differently
    assert sum(sizes) < 720_000  # a page loads half of them, light or dark


@pytest.mark.parametrize(("theme", "paper"), [("light", 255), ("dark", 17)])
def test_a_tile_is_a_card_of_one_size_that_is_clear_around_its_round_corners(theme, paper):
    for name in ("toeplitz", "shaw_clip", "ladder"):
        pixels = picture(tile(FIGURES[name], theme))
        assert pixels.shape == (SHARP * HIGH, SHARP * WIDE, 4)
        corner = SHARP * (GAP + 1)
        assert (pixels[[0, corner], [0, corner], 3] == 0).all()
        middle, inside = SHARP * HIGH // 2, SHARP * (GAP + 6)
        assert pixels[middle, inside].tolist() == [paper, paper, paper, 255]
        plots = pixels[
            SHARP * (GAP + PAD) : SHARP * 190, SHARP * (GAP + PAD) : -SHARP * (GAP + PAD)
        ]
        drawn = np.abs(plots[..., :3] - paper).max(axis=2) > 60
        assert drawn.any(axis=0).mean() > 0.6  # from edge to edge
        assert drawn.mean() > 0.01


def test_a_film_has_the_sign_of_a_button_on_its_tile(monkeypatch):
    one = FIGURES["binary_odometer"]
    there = SHARP * (HIGH - GAP - PAD - DISC), SHARP * (WIDE - GAP - PAD - int(1.6 * DISC))
    blue = [0, 0x72, 0xB2, 255]
    assert picture(tile(one))[there].tolist() == blue
    assert picture(tile(replace(one, moving=False)))[there].tolist() == [255] * 4


def test_curves_alone_have_their_numbers_and_words_that_an_edge_would_cut_are_left_out(monkeypatch):
    written = []
    pixels = Sheet.pixels

    def noted(sheet):
        marks = [mark for pen in sheet.pens for mark in pen.marks.drawn]
        written.append([mark.get_text() for mark in marks if isinstance(mark, Text)])
        return pixels(sheet)

    monkeypatch.setattr(Sheet, "pixels", noted)
    tile(FIGURES["cliff_4097"])
    assert written == [["4,096", "4,097", "29 times", "31"]]


def test_a_figure_without_a_line_has_its_name(monkeypatch):
    monkeypatch.delitem(TELLS, "shaw_clip")
    assert telling(FIGURES["shaw_clip"]) == Tell("Shaw clip", {0: ""})


def test_each_figure_is_named_in_its_lesson_which_links_to_no_picture():
    for one in FIGURES.values():
        lesson = ROOT / f"notebooks/{one.lesson}.ipynb"
        still, film = f'figure("{one.id}")', f"figures make {one.id} --format gif"
        shown = "\n".join(sources(lesson)).splitlines()
        assert still in shown or (film if one.moving else still) in prose(lesson)


def test_every_lesson_from_01_on_shows_a_figure_of_its_own_and_links_to_no_picture():
    for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"):
        named = re.findall(r'^figure\("(\w+)"\)$', "\n".join(sources(path)), re.M)
        lessons = {find(one).lesson for one in named}
        assert path.name.startswith("00") or path.stem in lessons
        assert not re.search(r"!\[[^\]]*\]\((?!attachment:)|<img|\]\(\.\.", prose(path))


def test_the_picture_in_the_readme_is_a_figure_and_carries_its_words():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[([^\]]*)\]\(figures/(\w+)\.\w+\)", readme)
    assert shown
    for alt, name in shown:
        assert alt == find(name).words(find(name).values())[1]


def test_a_figure_in_a_notebook_is_a_picture_with_its_words():
    shown = pe.figure("toeplitz", seq_len=16)
    data, metadata = shown._repr_mimebundle_()
    caption, alt = find("toeplitz").words(find("toeplitz").values(seq_len=16))
    assert data["text/plain"] == repr(shown) == caption
    assert "16 × 16" in alt
    assert f'alt="{alt}">\n<p>{caption}</p><details>' in data["text/html"]
    assert data["text/html"].endswith(f"<summary>In words</summary><p>{alt}</p></details>")
    assert metadata == {"image/png": {"alt": alt, "width": 856}, "needs_background": "light"}
    with pytest.raises(ValueError, match="Did you mean 'toeplitz'"):
        pe.figure("toplitz")


WRONG = {
    "an unknown key": ({"buton": "x"}, "its keys 'buton' is unknown"),
    "an unknown view": ({"line": "rope: heat_map"}, "Did you mean 'heatmap'"),
    "an unknown encoding": ({"line": "roper: heatmap"}, "Did you mean 'rope'"),
    "a value of none": ({"values": "bass=3"}, "its parameters 'bass' is unknown"),
    "no value of its kind": ({"values": "base=ten"}, "base must be a number, got 'ten'"),
    "a slider of none": ({"drag": ["bass"]}, "its parameters 'bass' is unknown"),
    "a motion of none": ({"moves": ["bass", 1, 2]}, "its parameters 'bass' is unknown"),
    "a brace of none": ({"caption": "At {bass}.", "alt": "It."}, "in braces 'bass' is unknown"),
    "another's button": ({"button": "T5's buckets"}, "button must be unique"),
}


@pytest.mark.parametrize(("change", "said"), WRONG.values(), ids=WRONG)
def test_a_scene_that_cannot_be_is_refused_by_its_name(change, said, monkeypatch):
    scenes = tomllib.loads((ROOT / "posenc_lib/figures/scenes.toml").read_text(encoding="utf-8"))
    usual = {"lesson": "10_rope", "line": "rope: heatmap", "values": "base=10000"}
    monkeypatch.setattr(registry, "stored_data", lambda path: {**scenes, "new": usual | change})
    with pytest.raises(ValueError, match=rf"scenes\.toml, \[new\]: .*{said}"):
        list(registry._scenes())


def test_words_are_sentences_that_fill_in_every_number():
    for one in FIGURES.values():
        caption, alt = one.words(one.values())
        for text in (caption, alt):
            assert not re.search(r"[{}<>\"&]", text)
            assert text.rstrip(")").endswith(".")
        assert 40 < len(alt) < 400
        # a screen reader says that by itself
        assert not re.search(r"image|picture of|figure", alt, re.I)


@pytest.mark.slow
@pytest.mark.parametrize("one", list(FIGURES.values())[::3], ids=lambda one: one.id)
def test_every_parameter_changes_what_is_seen(one):
    def changed(name, value):
        try:
            return one.draw(one.values(**{name: value})).picture("png", 40) != before
        except ValueError:
            return False  # this one does not fit the others

    before = one.draw(one.defaults).picture("png", 40)
    for name, p in one.parameters.items():
        low = p.low if p.high < 2 else max(p.low, 2)
        tries = p.options or [*p.frame_values(low, p.high, 9), 1, 3, 5, 8]
        assert any(changed(name, value) for value in tries if value != one.defaults[name]), name


def test_frames_stay_within_what_other_values_leave():
    clock, sweep = find("clock_hands"), find("base_sweep")
    frames = clock.frames(clock.values(seq_len=4, query=0))  # the old name of position
    assert [frame["position"] for frame in frames] == [0, 1, 2, 3]
    assert 10_000 in [frame["base"] for frame in sweep.frames(sweep.defaults)]


def test_words_for_other_values_give_way_to_numbers_and_what_goes_to_its_end_still_does():
    one, chosen = find("alibi_heads"), ({}, {"head": 5}, {"seq_len": 96})
    at_home, moved, longer = (one.words(one.values(**values))[1] for values in chosen)
    assert at_home == one.alt
    for told in (moved, longer):
        assert "get 90% of each head's attention when all match equally: " in told
    assert [at["head"] for at in one.frames(one.values(num_heads=12))] == list(range(12))


def test_a_caption_that_tells_of_other_values_gives_way_but_for_facts_in_brackets():
    table = find("sinusoidal_heatmap")
    assert table.words(table.values())[0].startswith("Each column is one position. ")
    drawn = table.draw(table.values(base=500_000))
    caption, alt = table.words(table.values(base=500_000))
    assert caption == (
        f"Sinusoidal: {drawn.pens[0].headline}. "
        "(100 positions, base 500,000, interleaved, 128 dims.)"
    )
    assert alt == drawn.text
    film = find("base_sweep")
    for frame in film.frames(film.values(), 3):
        assert film.words(frame) == (film.caption, film.alt)  # they tell of all that moves
    few = find("sine_trajectory")
    assert "almost meet" in few.words(few.values())[0]
    assert "almost" not in few.words(few.values(seq_len=4))[0]  # four do not come close
    assert pe.figure("shaw_clip", clip=3).caption == "Shaw: Offsets 3 to 31 share row 6."


@pytest.mark.slow
def test_facts_of_a_caption_hold_what_they_name_at_both_ends_of_what_moves():
    for one in FIGURES.values():
        for fact in registry.FACTS.findall(one.caption):
            assert one.caption.endswith(fact), one.id
        for end in (one.low, one.high) if one.moves and not one.moving else ():
            parameter = one.parameter(one.moves)
            value = parameter.options[int(end)] if parameter.options else end
            value = value if parameter.options else parameter.read(f"{end:g}")
            caption, alt = one.words(one.values(**{one.moves: value}))
            assert not re.search(r"[{}]", caption + alt), one.id


def test_a_caption_of_ones_own_stays_at_all_values_with_its_braces():
    shown = pe.figure("toeplitz", base=50, caption="Mine {x}")
    assert repr(shown) == shown.caption == "Mine {x}"
    assert shown.alt == shown.sheet.text
    for own in ({"caption": "Mine"}, {}):
        shown = pe.figure("rope", views="dot_product", **own)
        assert shown.caption == own.get("caption", f"{shown.sheet.titles}.")
        page = shown._repr_mimebundle_()[0]["text/html"]
        assert (f"<p>{shown.caption}</p>" in page) == bool(own)  # or its titles would come twice


def test_a_figure_is_saved_as_it_is_shown_with_its_name_or_a_title(tmp_path):
    waves = pe.figure("sine_waves")
    told = waves.save(tmp_path / "new/a.svg").read_text(encoding="utf-8")
    assert f"<title>{waves.caption}</title>" in told
    assert f"<desc>{waves.alt}</desc>" in told
    assert ">Sines</text>" in told
    named = pe.figure("sine_waves", title="Mine & <b>").save(tmp_path / "b.svg")
    told = named.read_text(encoding="utf-8")
    assert ">Mine &amp; &lt;b&gt;</text>" in told
    assert ">Sines</text>" not in told
    with pytest.raises(ValueError, match="must end in"):
        waves.save(tmp_path / "a.gif")


def test_a_title_or_caption_must_be_text():
    for wrong in (3, None, b"x", ["x"]):
        with pytest.raises(TypeError, match="title must be a string, got"):
            pe.figure("toeplitz", title=wrong)
        with pytest.raises(TypeError, match="title must be a string, got"):
            pe.explore("rope", title=wrong)
        with pytest.raises(TypeError, match="caption must be a string, got"):
            pe.figure("toeplitz", caption=wrong)


def test_a_title_that_is_no_parameter_is_told_its_place():
    for name in ("title", "caption"):
        with pytest.raises(TypeError, match=rf'Write {name}="…", or --{name} "…"'):
            find("toeplitz").parameter(name)
    with pytest.raises(TypeError, match=r"rope has no parameter 'title' here\. "):
        pe.figure("rope: dot_product; title=Mine")


def test_a_function_of_ones_own_that_knows_one_size_is_a_figure_too():
    def two(positions, d_model):
        return np.stack([np.sin(positions), np.cos(positions)], axis=1)

    shown = pe.figure(two, views="waves", seq_len=8, d_model=2, num_waves=2)
    assert shown.caption.startswith("two: ")
