"""Every figure: ids, files and links agree, words are true sentences, parameters are those of the catalog."""

import inspect
import re

import nbformat
import pytest

import posenc_lib as pe
from posenc_lib import explore
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.figures import FIGURES
from posenc_lib.figures.gallery import gallery
from posenc_lib.figures.registry import find
from posenc_lib.figures.shots import Shot
from posenc_lib.views import VIEWS

from ..conftest import ROOT, prose

FOLDER = ROOT / "figures"
WANTED = """
    binary_trajectory sine_trajectory sinusoidal_trajectory rope_trajectory sinusoidal_dot_product sinusoidal_heatmap
    sine_waves clock_hands rotation_of_basis rope_block_matrix position_added ladder toeplitz wavelengths
    neighbour_steps shift_rotation kernel_by_base rope_offset_only pairing_permutation alibi_heads t5_buckets shaw_clip
    scorecard
    binary_odometer rope_rotation base_sweep sine_collision
""".split()


@pytest.fixture(params=FIGURES.values(), ids=FIGURES)
def one(request):
    return request.param


def files_of(one):
    return {f"{one.id}.{suffix}" for suffix in (("gif", "html") if one.moving else ("png", "svg"))}


def test_every_figure_of_the_curriculum_is_there():
    assert set(WANTED) <= set(FIGURES)
    assert {one.id for one in FIGURES.values() if one.moving} == set(WANTED[-4:])


def test_the_folder_holds_the_registry_and_nothing_else():
    wanted = {"README.md"}.union(*map(files_of, FIGURES.values()))
    assert {path.name for path in FOLDER.iterdir()} == wanted


def test_each_figure_is_named_in_its_lesson_and_linked_from_the_gallery(one):
    lesson = ROOT / f"notebooks/{one.lesson}.ipynb"
    cells = [cell.source for cell in nbformat.read(lesson, as_version=4).cells if cell.cell_type == "code"]
    still, film = f'figure("{one.id}")', f"figures make {one.id} --format gif"
    assert still in cells or (film if one.moving else still) in prose(lesson)
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f'src="{one.id}.{"gif" if one.moving else "png"}"' in told
    assert all(f"]({name})" in told for name in files_of(one))
    assert f"../notebooks/{one.lesson}.ipynb" in told


def test_every_lesson_from_01_on_ends_with_a_figure_and_links_to_no_picture():
    for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"):
        sources = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        named = re.fullmatch(r'figure\("(\w+)"\)', sources[-1])
        assert path.name.startswith("00") or find(named[1]).lesson == path.stem
        assert not re.search(r"!\[|<img|\]\(\.\.", prose(path))


def test_the_picture_in_the_readme_is_a_figure_and_carries_its_words():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[([^\]]*)\]\(figures/(\w+)\.\w+\)", page)
    assert shown
    for alt, name in shown:
        assert alt == find(name).words(find(name).defaults)[1]


def test_a_figure_in_a_notebook_is_a_picture_with_its_words():
    shown = pe.figure("toeplitz", seq_len=16)
    data, metadata = shown._repr_mimebundle_()
    caption, alt = find("toeplitz").words(find("toeplitz").values(seq_len=16))
    assert data["text/plain"] == repr(shown) == f"{caption} {alt}"
    assert "16 × 16" in caption
    assert f'alt="{alt}"' in data["text/html"]
    assert metadata["image/png"]["alt"] == alt
    with pytest.raises(ValueError, match="near it: toeplitz"):
        pe.figure("toplitz")


def test_the_gallery_is_up_to_date():
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == gallery()


def test_words_are_sentences_that_fill_in_every_number(one):
    caption, alt = one.words(one.defaults)
    for text in (caption, alt):
        assert not re.search(r"[{}<>\"&]", text)
        assert text.endswith(".")
    assert 40 < len(alt) < 400
    assert not re.search(r"image|picture of|figure", alt, re.I)  # a screen reader says that by itself


def test_parameters_are_those_of_the_catalog_and_the_views(one):
    names = {p.name for e in ENCODINGS.values() for p in e.parameters}
    names |= {p.name for view in VIEWS.values() for p in view.parameters} | {p.name for p in one.own}
    assert set(one.defaults) <= names
    assert one.moves in one.defaults
    assert all(p.default is not inspect.Parameter.empty for p in inspect.signature(one.compose).parameters.values())


def test_every_parameter_changes_what_is_seen(one):
    before = one.draw(one.defaults).picture("png", 40)
    for name, parameter in one.parameters.items():
        tries = parameter.options or [
            *one.parameters[name].spread(max(parameter.low, 2), parameter.high, 9),
            1,
            3,
            5,
            8,
        ]
        assert any(changed(one, name, value, before) for value in tries if value != one.defaults[name]), name


def changed(one, name, value, before):
    try:
        return one.draw(one.values(**{name: value})).picture("png", 40) != before
    except ValueError:
        return False  # this one does not fit the others


def test_an_unknown_name_is_answered_with_near_ones():
    with pytest.raises(ValueError, match=r"no figure 'heatmap'; near it: sinusoidal_heatmap"):
        find("heatmap")
    with pytest.raises(ValueError, match=r"no figure 'zzz' \(there are position_added, "):
        find("zzz")
    with pytest.raises(TypeError, match=r"ladder has no parameter 'seqlen'; near it: seq_len"):
        find("ladder").values(seqlen=3)


@pytest.mark.parametrize(
    ("name", "wanted", "message"),
    [
        ("sinusoidal_heatmap", {"base": -1.0}, "base must be greater than 0, got -1"),
        ("sinusoidal_heatmap", {"d_model": 7}, "d_model must be even, got 7"),
        ("binary_trajectory", {"seq_len": 9}, r"seq_len 9 does not fit in d_model=3 bits \(at most 2\*\*3 = 8\)"),
        ("sinusoidal_heatmap", {"seq_len": 10**9}, "seq_len must be between 1 and 4096, got 1000000000"),
        ("toeplitz", {"seq_len": 1025}, "seq_len must be at most 1024 here, got 1025"),
        ("clock_hands", {"query": 32}, "query must be at most 31 here, got 32"),
        ("alibi_heads", {"head": 8}, "head must be at most 7 here, got 8"),
        ("t5_buckets", {"bidirectional": "no"}, "bidirectional must be one of True, False, got 'no'"),
        ("scorecard", {"row": 12}, "row must be between 0 and 11, got 12"),
        ("rope_trajectory", {"x_dim": 64}, "x_dim must be at most 63 here, got 64"),
    ],
)
def test_out_of_range_is_the_encodings_own_error(name, wanted, message):
    with pytest.raises((TypeError, ValueError), match=message):
        find(name).values(**wanted)


def test_shots_of_one_setting_share_what_they_compute():
    panel = find("base_sweep").draw(find("base_sweep").defaults)
    assert len(set(map(id, panel.samples))) == 1
    assert len(set(map(id, find("ladder").draw(find("ladder").defaults).samples))) == 6


def test_a_shot_begins_where_an_explorer_does():
    assert Shot("trajectory", "sinusoidal").own["x_dim"] == 16
    assert Shot("trajectory", "integer").own["x_dim"] == 0


def test_a_title_takes_the_place_of_the_views_own_at_every_update():
    drawn = find("ladder").draw(find("ladder").defaults)
    assert drawn.views[0].ax.get_title(loc="left") == "Integers"
    drawn.update(drawn.samples, {})
    assert drawn.views[0].ax.get_title(loc="left") == "Integers"


def test_frames_stay_within_what_other_values_leave():
    clock = find("clock_hands")
    assert [frame["query"] for frame in clock.frames(clock.values(seq_len=4, query=0))] == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="query cannot move in clock_hands: query must be at most 0 here"):
        clock.frames(clock.values(seq_len=1, query=0))
    assert len(find("base_sweep").frames(find("base_sweep").defaults, 9)) <= 9
    assert 10_000 in [frame["base"] for frame in find("base_sweep").frames(find("base_sweep").defaults)]


def test_any_view_of_any_encoding_is_a_figure_too():
    one = find("rope + alibi:dot_product, similarity")
    assert one.id == "rope+alibi:dot_product,similarity"
    values = one.values(seq_len=40, num_heads=4, query=7)
    explorer = explore(["rope", "alibi"], views=["dot_product", "similarity"], seq_len=40, num_heads=4, query=7)
    assert one.draw(values).picture("png", 60) == explorer._stage.panel.picture("png", 60)
    assert one.draw(values).describe() == explorer.text
    assert [view.name for view in find("rope:").draw(find("rope:").defaults).views] == list(ENCODINGS["rope"].views)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rop:heatmap", "name must be one of"),
        ("rope:heatmaps", "views must be one of"),
        ("alibi:heatmap", "views must fit alibi, which has no 'heatmap'"),
        ("rope+rope:heatmap", "each once"),
    ],
)
def test_what_cannot_be_composed_is_said(name, message):
    with pytest.raises(ValueError, match=message):
        find(name)


def test_an_encoding_that_ends_is_seen_to_end():
    one = find("learned+alibi:attention_row")
    assert "no row" in one.draw(one.values(num_positions=8, seq_len=20)).describe()


@pytest.mark.slow
def test_every_encoding_with_every_view_it_feeds_moves():
    for name, record in ENCODINGS.items():
        for view in VIEWS:
            if VIEWS[view].needs in record.gives:
                one = find(f"{name}:{view}")
                first, *_, last = one.frames(one.defaults, 3)
                assert one.redraw(one.draw(first), last).describe() == one.draw(last).describe()


@pytest.mark.parametrize("value", ["x", [1], 1j, b"1", None])
def test_a_value_of_another_type_is_an_error_that_names_it(value):
    for name in ("toeplitz", "rotation_of_basis", "scorecard"):
        one = find(name)
        for parameter in one.defaults:
            if value is not None or one.defaults[parameter] is not None:
                with pytest.raises((TypeError, ValueError), match=parameter):
                    one.values(**{parameter: value})


def test_extremes_are_drawn():
    for name, wanted in (
        ("shift_rotation", {"offset": -40}),
        ("wavelengths", {"d_model": 2}),
        ("clock_hands", {"seq_len": 8}),
    ):
        assert find(name).draw(find(name).values(**wanted)).describe()


@pytest.mark.parametrize("frames", [2, 3, 5, 24])
def test_there_are_never_more_frames_than_asked_for(one, frames):
    assert 2 <= len(one.frames(one.defaults, frames)) <= frames
