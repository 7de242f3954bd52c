"""Every figure: ids, files and links agree, words are sentences, every parameter does something."""

import io
import re
import tomllib

import nbformat
import numpy as np
import pytest
from PIL import Image

import posenc_lib as pe
from posenc_lib.figures import registry
from posenc_lib.figures.registry import FIGURES, find
from posenc_lib.tools.figures import gallery
from posenc_lib.tools.tiles import HIGH, TELLS, WIDE, telling, tile
from posenc_lib.views import VIEWS

from ..conftest import ROOT, prose

FOLDER = ROOT / "figures"


def sources(path):
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def test_the_gallery_is_up_to_date_and_links_every_file_of_the_folder():
    files = {f"{one.id}.{suffix}" for one in FIGURES.values() for suffix in one.formats}
    assert {path.name for path in FOLDER.iterdir()} == {"README.md", "small"} | files
    assert {path.stem for path in (FOLDER / "small").iterdir()} == set(FIGURES)
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert told == gallery().decode()
    assert set(re.findall(r'href="(\w+\.\w+)"', told)) == files
    assert sorted(re.findall(r'src="small/(\w+)\.png"', told)) == sorted(FIGURES)
    assert re.findall(r"^\| `(\w+)` \| [A-Z].*\. \| .", told, re.M) == list(VIEWS.load())


def test_each_figure_has_a_tile_and_a_line_that_fits_under_it():
    assert set(TELLS) == set(FIGURES)
    for name, (plot, line) in TELLS.items():
        views = [
            len(spec.views) * len(spec.encodings)
            for spec, _ in FIGURES[name].panels(FIGURES[name].values())
        ]
        assert plot < sum(views)
        assert 8 < len(line) <= 38
        assert line[0].isupper()
        assert line[-1] not in ".!?"


@pytest.mark.slow
def test_the_tiles_are_up_to_date_and_light():
    sizes = []
    for one in FIGURES.values():
        stored = (FOLDER / f"small/{one.id}.png").read_bytes()
        sizes.append(len(stored))
        assert stored == tile(one), one.id
    assert sum(sizes) < 400_000


def test_a_tile_shows_its_plot_alone_and_whole_words():
    names, shapes = ("toeplitz", "shaw_clip"), set()
    for name in names:
        grey = np.asarray(Image.open(io.BytesIO(tile(FIGURES[name]))).convert("L"), int)
        shapes.add(grey.shape)
        assert (grey < 250).any()
        assert grey[0, 0] > 250  # paper
    assert shapes == {(round(1.4 * HIGH), round(1.4 * WIDE))}


def test_a_figure_without_a_line_has_its_name(monkeypatch):
    monkeypatch.delitem(TELLS, "shaw_clip")
    assert telling(FIGURES["shaw_clip"]) == (0, "Shaw clip")


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
    assert "16 × 16" in caption
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
    "another's button": ({"button": "T5's buckets"}, "every scene needs a unique button"),
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
    frames = clock.frames(clock.values(seq_len=4, query=0))
    assert [frame["query"] for frame in frames] == [0, 1, 2, 3]
    assert 10_000 in [frame["base"] for frame in sweep.frames(sweep.defaults)]


def test_words_for_other_values_give_way_to_numbers_and_what_goes_to_its_end_still_does():
    one, chosen = find("alibi_heads"), ({}, {"head": 5}, {"seq_len": 96})
    at_home, moved, longer = (one.words(one.values(**values))[1] for values in chosen)
    assert at_home == moved == one.alt
    assert "get 90 % of each head's attention if all match alike: " in longer
    assert [at["head"] for at in one.frames(one.values(num_heads=12))] == list(range(12))


def test_a_caption_that_tells_of_other_values_gives_way_and_keeps_what_names_them():
    table = find("sinusoidal_heatmap")
    assert table.words(table.values())[0].startswith("The table of 2017. ")
    caption, alt = table.words(table.values(base=500_000))
    title = table.draw(table.values(base=500_000)).pens[0].headline
    assert caption == f"Sinusoidal: {title}. (100 positions, base 500,000, interleaved, 128 dims.)"
    assert alt == table.alt  # it was written for every base
    film = find("base_sweep")
    for frame in film.frames(film.values(), 3):
        assert film.words(frame)[0] == film.caption  # so was the caption of what is to move
    shaw = pe.figure("shaw_clip", clip=3).caption  # "et al." ends no sentence
    assert shaw.endswith(". Shaw et al. clip offsets at 3.")


def test_a_caption_of_ones_own_stays_at_all_values_with_its_braces():
    shown = pe.figure("toeplitz", base=50, caption="Mine {x}")
    assert repr(shown) == shown.caption == "Mine {x}"
    assert shown.alt == find("toeplitz").alt
    assert pe.figure("rope", views="dot_product", caption="Mine").caption == "Mine"


def test_a_figure_is_saved_as_it_is_shown_with_its_name_or_a_title(tmp_path):
    waves = pe.figure("sine_waves")
    told = waves.save(tmp_path / "new/a.svg").read_text(encoding="utf-8")
    assert f"<title>{waves.caption}</title>" in told
    assert f"<desc>{waves.alt}</desc>" in told
    assert ">Sines alone</text>" in told
    named = pe.figure("sine_waves", title="Mine & <b>").save(tmp_path / "b.svg")
    told = named.read_text(encoding="utf-8")
    assert ">Mine &amp; &lt;b&gt;</text>" in told
    assert "Sines alone</text>" not in told
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
    for wrong in (
        lambda: pe.figure("rope: dot_product; title=Mine"),
        lambda: find("toeplitz").parameter("title"),
    ):
        with pytest.raises(TypeError, match=r'write title="…", or --title "…"'):
            wrong()


def test_a_function_of_ones_own_that_knows_one_size_is_a_figure_too():
    def two(positions, d_model):
        return np.stack([np.sin(positions), np.cos(positions)], axis=1)

    shown = pe.figure(two, views="waves", seq_len=8, d_model=2, num_waves=2)
    assert shown.caption.startswith("two: ")
