"""Each view alone: what it draws is the data, an update equals a fresh drawing, and words say it."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from posenc_lib import (
    binary,
    dot_product_curve,
    inv_freq,
    pairing_permutation,
    rotation_matrix,
    shift_matrix,
    similarity_matrix,
    sinusoidal,
)
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.rope import four_forms
from posenc_lib.encodings.sample import Sample
from posenc_lib.views import VIEWS, style
from posenc_lib.views.by_offset import by_offset
from posenc_lib.views.cells import Cells, means
from posenc_lib.views.practice import TRIED

TABLE = sinusoidal(40, 8)
SHORT = sinusoidal(7, 4, base=50.0)
CURVES = {base: 1.0 + np.sqrt(base) * np.arange(8) for base in (100.0, 10_000.0, 1_000_000.0)}
DATA = {  # view: (what it is drawn with first, what it is updated to)
    "trajectory": ({"table": TABLE, "dims": (0, 1)}, {"table": SHORT, "dims": (2, 1), "query": 3}),
    "trajectory_3d": ({"table": TABLE, "dims": (0, 1, 2)}, {"table": SHORT, "dims": (2, 1, 3), "azimuth": 30}),
    "heatmap": ({"table": TABLE}, {"table": SHORT, "shown_dims": 3, "query": 2}),
    "dot_product": (
        {"scores": dot_product_curve(TABLE, 4), "query": 4},
        {"scores": dot_product_curve(SHORT, 6), "query": 6},
    ),
    "similarity": ({"matrix": similarity_matrix(TABLE)}, {"matrix": similarity_matrix(SHORT), "query": 1}),
    "additive_scores": ({"matrix": similarity_matrix(TABLE)}, {"matrix": similarity_matrix(SHORT), "query": 1}),
    "cube": ({"table": binary(8, 3), "dims": (0, 1, 2)}, {"table": binary(4, 4), "dims": (3, 2, 1), "azimuth": 30}),
    "closest_pair": (
        {"table": TABLE, "dims": (0, 1), "pair": (3, 9, 0.25), "step": 0.9},
        {"table": SHORT, "dims": (2, 1), "pair": (1, 2, 0.5), "step": 0.8},
    ),
    "number_line": ({"values": np.arange(20), "dim": 0, "query": 3}, {"values": TABLE[:, 1], "dim": 1, "query": 7}),
    "waves": (
        {"table": binary(8, 3), "between": (np.arange(8), binary(8, 3)), "num_waves": 2},
        {"table": SHORT, "between": (np.linspace(0, 6, 13), sinusoidal(np.linspace(0, 6, 13), 4)), "num_waves": 4}
        | {"query": 2},
    ),
    "odometer": (
        {"row": np.array([0, 1, 1]), "next_row": np.array([1, 0, 0]), "position": 3},
        {"row": np.linspace(-1, 1, 12), "next_row": None, "position": 5},
    ),
    "clock": (
        {"frequencies": inv_freq(8), "position": 3, "called": "pair"},
        {"frequencies": np.array([1.0, 0.5]), "position": 9.5, "called": "dim"},
    ),
    "wavelengths": (
        {"frequencies": inv_freq(8), "seq_len": 30, "called": "pair"},
        {"frequencies": np.array([1.0, 0.5]), "seq_len": 300, "called": "dim"},
    ),
    "steps": ({"steps": np.array([1, 2.0, 1])}, {"steps": np.linspace(1, 2, 200)}),
    "against_length": (
        {"lengths": np.array([2, 8]), "largest": np.array([1, 7.0]), "steps": np.array([1, 1.0]), "seq_len": 4},
        {"lengths": np.array([2, 9]), "largest": np.array([0, 0.9]), "steps": np.array([0.5, 0.1]), "seq_len": 9},
    ),
    "added": (
        {"parts": {"sum": TABLE + 1, "words": TABLE * 0 + 1, "positions": TABLE}, "part": "sum"},
        {"parts": {"sum": SHORT + 2, "words": SHORT * 0 + 2, "positions": SHORT}, "part": "words"},
    ),
    "wavelengths_by_base": (
        {"curves": CURVES, "base": 10_000.0, "seq_len": 30},
        {"curves": CURVES | {7.0: np.arange(1, 9)}, "base": 7.0, "seq_len": 300},
    ),
    "kernel_by_base": (
        {"curves": CURVES, "base": 10_000.0, "seq_len": 9},
        {"curves": CURVES | {7.0: np.cos(np.arange(9))}, "base": 7.0, "seq_len": 9},
    ),
    "shift_matrix": ({"matrix": shift_matrix(2, 4), "offset": 2}, {"matrix": shift_matrix(-5, 16), "offset": -5}),
    "shifted": (
        {"points": TABLE[:, :2], "offset": 3, "angle": -3.0, "pair": 0},
        {"points": SHORT[:, 2:], "offset": -6, "angle": 0.5, "pair": 1},
    ),
    "basis": (
        {"block": rotation_matrix(1.0), "angle": 1.0, "position": 1, "pair": 0},
        {"block": rotation_matrix(9.0), "angle": 9.0, "position": 9, "pair": 1},
    ),
    "permutation": ({"order": pairing_permutation(8)}, {"order": pairing_permutation(32)}),
    "token_cosine": (
        {"same": np.array([1, 0.5]), "different": np.array([0, 0.4]), "lengths": (1.0, 5.6)},
        {"same": np.array([1, 0.7, 0.2]), "different": np.array([0, 0.4, 0.9]), "lengths": (8.0, 5.6)},
    ),
    "score_by_offset": (
        {"matrix": similarity_matrix(TABLE)},
        {"matrix": np.outer(np.arange(5), np.arange(5)), "offset": 2},
    ),
    "vectors": (
        {"before": np.eye(2), "after": np.array([[0, 1.0], [-1, 0]]), "positions": (1, 4), "angles": (1, 4), "pair": 0}
        | {"scores": (0.0, 2.5)},
        {
            "before": 3 * np.eye(2),
            "after": 3 * np.array([[1.0, 0], [0, 1]]),
            "positions": (0, 0),
            "angles": (0, -2),
            "pair": 2,
        }
        | {"scores": (0.0, -1.5)},
    ),
    "rope_forms": (
        {"rows": four_forms(np.arange(6.0), 5), "position": 5},
        {"rows": four_forms(np.ones(4), 2), "position": 2},
    ),
    "attention_weights": (
        {"attention_weights": np.full((3, 3), 1 / 3), "sentence": ("dog", "bites", "man")},
        {"attention_weights": np.eye(2), "sentence": ("bites", "dog")},
    ),
    "attention_row": (
        {"attention_weights": np.array([0.2, 0.8]), "plain": np.array([0.5, 0.5]), "query": 1, "known": 2},
        {"attention_weights": np.array([0.9, 0.1, np.nan]), "plain": np.full(3, 1 / 3), "query": 0, "known": 2},
    ),
    "bucket_map": (
        {"rows": np.array([0, 0, 1, 2, 2]), "table_rows": 3, "query": 1},
        {"rows": np.arange(7), "table_rows": 9, "query": 3},
    ),
    "bucket_by_offset": (
        {"rows": np.array([0, 0, 1, 2, 2]), "table_rows": 3, "offset": -2, "now": 0},
        {"rows": np.arange(7), "table_rows": 9, "offset": 9, "now": 8},
    ),
    "score_terms": (
        {"score_terms": dict.fromkeys(("q·k", "q·r", "u·k", "v·r"), TABLE[:8]), "term": "all"},
        {"score_terms": dict.fromkeys(("q·k", "q·r", "u·k", "v·r"), SHORT[:4]), "term": "v·r"},
    ),
    "head_biases": (
        {"biases": -np.outer([0.5, 0.25], np.arange(6)), "head": 0, "query": 0},
        {"biases": np.sin(np.outer(np.arange(1, 5), np.arange(9))), "head": 2, "query": 4},
    ),
    "checkpoint_port": (
        {"scores": np.arange(4.0), "right": np.ones(4), "query": 1, "permuted": False},
        {"scores": -np.arange(6.0), "right": np.ones(6), "query": 2, "permuted": True},
    ),
    "rope_bugs": (
        {"matrix": SHORT @ SHORT.T, "right": SHORT @ SHORT.T, "bug": "base"},
        {"matrix": TABLE @ SHORT[:, [0, 1, 2, 3, 0, 1, 2, 3]].T, "right": SHORT @ SHORT.T, "bug": "slice"},
    ),
    "precision": (
        {
            "errors": {
                "float16": TRIED / 1e7,
                "bfloat16": TRIED / 1e6,
                "float32": TRIED / 1e9,
                "once": 0 * TRIED + 3e-8,
            },
            "position": 1025,
        },
        {
            "errors": {
                "float16": np.where(TRIED < 65_504, TRIED / 1e5, np.nan),
                "bfloat16": TRIED / 1e7,
                "float32": TRIED / 1e8,
                "once": 0 * TRIED,
            },
            "position": 2,
        },
    ),
    "attention_span": (
        {"reach": np.array([3, 5, 9]), "seq_len": 10, "head": 1},
        {"reach": np.array([3, 50]), "seq_len": 64, "head": 0},
    ),
    "outputs": ({"outputs": TABLE[:3], "largest": 1.5}, {"outputs": SHORT[1:3], "largest": 1.0}),
}


def drawn(name, **data):
    """Return a view drawn alone on a figure of its own."""
    view = VIEWS[name]()
    with style.styled():
        figure = Figure(figsize=(5, 4))
        FigureCanvasAgg(figure)
        view.draw(figure.add_axes((0.15, 0.15, 0.6, 0.7), projection=view.projection), **data)
    return view


def pixels(view):
    canvas = view.ax.figure.canvas
    with style.styled():
        canvas.draw()
    return np.asarray(canvas.buffer_rgba()).copy()


def test_every_view_is_tried_here():
    assert set(DATA) == set(VIEWS)


@pytest.mark.parametrize("name", VIEWS)
def test_an_updated_view_is_pixel_for_pixel_a_fresh_one(name):
    first, second = DATA[name]
    view = drawn(name, **first)
    before = pixels(view)
    with style.styled():
        assert view.update(**second) is (name not in ("clock", "precision"))  # the axes of all others differ here
    after = pixels(view)
    assert (after != before).any()
    np.testing.assert_array_equal(after, pixels(drawn(name, **second)))
    with style.styled():
        assert view.update(**second) is False  # nothing about the axes is new


@pytest.mark.parametrize("name", VIEWS)
def test_artists_are_on_the_axes_and_words_are_sentences(name):
    first, second = DATA[name]
    view = drawn(name, **first)
    assert all(artist is view.ax or artist.axes is view.ax for artist in view.artists)
    for data in (first, second):
        text = view.describe(**data)
        assert text.endswith(".")
        assert "nan" not in text


def test_trajectory_draws_the_chosen_dims_in_order():
    view = drawn("trajectory", table=TABLE, dims=(3, 5), query=7)
    np.testing.assert_array_equal(view.path.get_xydata(), TABLE[:, [3, 5]])
    np.testing.assert_array_equal(view.points.get_offsets(), TABLE[:, [3, 5]])
    np.testing.assert_array_equal(view.asked.get_xydata(), TABLE[[7]][:, [3, 5]])
    assert (view.ax.get_xlabel(), view.ax.get_ylabel()) == ("dim 3", "dim 5")


def test_trajectory_in_3d_draws_the_chosen_dims_in_order():
    view = drawn("trajectory_3d", table=TABLE, dims=(3, 5, 0), azimuth=15)
    np.testing.assert_array_equal(np.stack(view.path.get_data_3d(), axis=1), TABLE[:, [3, 5, 0]])
    assert view.ax.azim == 15


def test_points_carry_their_numbers_and_share_them_where_they_coincide():
    square = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, 0]])
    view = drawn("trajectory", table=square, dims=(0, 1))
    assert [text.get_text() for text in view.numbers if text.get_visible()] == ["0, 4", "1", "2", "3"]
    view.update(table=TABLE, dims=(0, 1))
    assert [text.get_text() for text in view.numbers if text.get_visible()] == [
        "0",
        "5",
        "10",
        "15",
        "20",
        "25",
        "30",
        "35",
    ]


@pytest.mark.parametrize("n", [1, 2, 12, 13, 128, 4096])
def test_trajectory_of_any_length_has_few_numbers_in_sight(n):
    view = drawn("trajectory", table=np.arange(2 * n).reshape(n, 2), dims=(0, 1))
    shown = [text for text in view.numbers if text.get_visible()]
    assert 1 <= len(shown) <= 12
    assert all(np.isfinite(text.get_position()).all() for text in shown)


def test_heatmap_shows_each_number_in_its_cell():
    view = drawn("heatmap", table=SHORT, shown_dims=3)
    np.testing.assert_array_equal(view.image.get_array(), SHORT[:, :3].T)
    assert view.image.get_extent() == [-0.5, 6.5, 2.5, -0.5]
    assert view.image.get_cmap().name == style.diverging()


def test_colours_start_at_zero_where_nothing_is_negative():
    view = drawn("heatmap", table=np.array([[0, 1], [7, 3]]))
    assert view.image.get_cmap().name == style.SEQUENTIAL
    assert view.image.get_clim() == (0, 7)


def test_curve_and_matrix_show_the_dot_products():
    view = drawn("dot_product", **DATA["dot_product"][0])
    np.testing.assert_array_equal(view.curve.get_ydata(), dot_product_curve(TABLE, 4))
    view = drawn("similarity", **DATA["similarity"][0])
    np.testing.assert_array_equal(view.image.get_array(), similarity_matrix(TABLE))


@pytest.mark.parametrize("name", VIEWS)
def test_everything_drawn_lies_within_the_axes(name):
    for data in DATA[name]:
        view = drawn(name, **data)
        if view.projection is None and hasattr(view, "curve"):
            (left, right), (low, high) = view.ax.get_xlim(), view.ax.get_ylim()
            x, y = view.curve.get_data()
            if len(x) == 0:
                continue
            assert left <= min(x) <= max(x) <= right
            assert low <= min(y) <= max(y) <= high


@pytest.mark.parametrize(
    ("value", "bound"), [(0, 1), (1, 1), (1.01, 1.2), (32, 40), (0.062, 0.08), (99, 100), (128, 150)]
)
def test_bounds_are_round(value, bound):
    assert style.nice_bound(value) == pytest.approx(bound)


@pytest.mark.parametrize(("value", "bound"), [(0, 1), (1, 1), (32, 32), (0.0621, 0.063), (121, 130)])
def test_colours_reach_hardly_further_than_the_numbers(value, bound):
    assert style.tight_bound(value) == pytest.approx(bound)


def test_colours_begin_near_the_lowest_number_where_all_are_large():
    view = drawn("similarity", matrix=np.array([[32.0, 17], [17, 32]]))
    assert view.image.get_clim() == (16, 32)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (-1e-16, "0"),
        (-1.5, "−1.5"),
        (1234.5, "1,234"),
        (-99_999.9, "−100,000"),
        (1e8, "1e8"),
        (0.12345, "0.123"),
    ],
)
def test_numbers_in_sentences(value, text):
    assert style.number(value) == text


def test_of_equal_values_the_first_is_the_lowest():
    assert style.lowest(np.array([3.0, 1 + 1e-15, 1, 2])) == 1
    assert style.lowest(np.array([[5.0, -5], [-5, 5]])) == 1
    assert style.lowest(np.zeros(3)) == 0


def test_the_style_leaves_the_callers_own_settings_alone():
    with mpl.rc_context({"font.size": 33}):
        drawn("heatmap", table=TABLE)
        assert mpl.rcParams["font.size"] == 33


def test_cells_finer_than_pixels_are_shown_as_means_and_the_words_say_so():
    fine = sinusoidal(20, 2048)
    view = drawn("heatmap", table=fine)
    assert "finer than pixels" in view.describe(table=fine)
    with style.styled():
        view.update(table=TABLE)
    assert "finer" not in view.describe(table=TABLE)


def sample(name, **parameters):
    return Sample(ENCODINGS[name], **parameters)


def test_the_longest_step_is_named_only_where_steps_differ():
    view = drawn("steps", steps=sample("binary", seq_len=16, d_model=4).steps)
    assert view.name_it.get_text() == "7 → 8"
    assert view.name_it.get_visible()
    even = sample("sinusoidal").steps
    with style.styled():
        view.update(steps=even)
    assert not view.name_it.get_visible()
    assert len(view.bars.get_segments()) == len(even)


def test_waves_are_smooth_where_there_is_a_position_between_and_steps_where_there_is_none():
    at, between = sample("sine", seq_len=5).between(4)
    np.testing.assert_allclose(at, np.arange(17) / 4)
    np.testing.assert_allclose(between[:, 0], np.sin(at), atol=1e-15)
    at, between = sample("binary", seq_len=3, d_model=2).between(4)
    np.testing.assert_array_equal(at, [0, 1, 1, 2, 2, 3])
    np.testing.assert_array_equal(between, [[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 0]])


def test_waves_keep_their_lanes():
    view = drawn("waves", **DATA["waves"][1])
    for lane, wave in enumerate(view.curves.get_segments()):
        assert np.abs(wave[:, 1] + lane).max() <= 0.5
    binary_view = drawn("waves", **DATA["waves"][0])
    heights = np.unique(binary_view.curves.get_segments()[0][:, 1])
    np.testing.assert_allclose(heights, [-0.4, 0.4])


def test_digits_that_flip_are_marked():
    data = VIEWS["odometer"].inputs(sample("binary", seq_len=16, d_model=4), {"query": 7})
    view = drawn("odometer", **data)
    assert [digit.get_text() for digit in view.digits[:4]] == ["0", "1", "1", "1"]
    assert [flip.get_visible() for flip in view.flips[:5]] == [True, True, True, True, False]
    assert "4 of 4 flip" in view.describe(**data)
    last = VIEWS["odometer"].inputs(sample("binary", seq_len=16, d_model=4), {"query": 15})
    assert "the last one" in view.describe(**last)


def test_hands_point_where_sine_and_cosine_say():
    view = drawn("clock", frequencies=np.array([1.0, 0.5, 0.25, 0.125]), position=7, called="dim")
    tips = [np.array([hand.get_xdata()[1], hand.get_ydata()[1]]) for hand in view.hands]
    for tip, frequency in zip(tips, (1.0, 0.25, 0.125), strict=True):
        np.testing.assert_allclose(tip / np.linalg.norm(tip), [np.sin(7 * frequency), np.cos(7 * frequency)])
    assert [name.get_text() for name in view.names] == ["dim 0", "dim 2", "dim 3"]


def test_full_dots_turn_within_the_text_and_hollow_ones_do_not():
    view = drawn("wavelengths", frequencies=2 * np.pi / np.array([5.0, 50, 500]), seq_len=50, called="dim")
    np.testing.assert_allclose(view.inside.get_ydata(), [5, 50])
    np.testing.assert_allclose(view.beyond.get_ydata(), [500])


def test_the_closest_two_are_marked_and_named():
    meeting = sample("sine", seq_len=100)
    view = drawn("closest_pair", **VIEWS["closest_pair"].inputs(meeting, {"x_dim": 0, "y_dim": 1}))
    np.testing.assert_array_equal(view.two.get_xydata(), meeting.table[[11, 99]])
    assert view.named.get_text() == "11 and 99: 0.0127 apart"


def test_scores_by_offset_are_what_the_diagonals_hold():
    matrix = np.random.default_rng(0).normal(size=(6, 6))
    offsets, low, mean, high = by_offset(matrix)
    for k, offset in enumerate(offsets):
        diagonal = np.diagonal(matrix, offset)
        np.testing.assert_allclose([low[k], mean[k], high[k]], [diagonal.min(), diagonal.mean(), diagonal.max()])
    assert "the same for every pair" in VIEWS["score_by_offset"]().describe(sample("rope").similarity)
    assert "a band" in VIEWS["score_by_offset"]().describe(sample("integer").similarity)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_arrows_are_the_turned_query_and_key(pairing):
    turned = sample("rope", seq_len=20, head_dim=8, content="random", pairing=pairing)
    view = VIEWS["vectors"]
    one = view.inputs(turned, {"query": 3, "offset": 4, "pair": 1})
    other = view.inputs(turned, {"query": 9, "offset": 4, "pair": 1})
    assert one["scores"] == pytest.approx(other["scores"], abs=1e-12)
    assert one["scores"][1] == pytest.approx(turned.similarity[3, 7], abs=1e-12)
    np.testing.assert_allclose(np.linalg.norm(one["before"], axis=1), np.linalg.norm(one["after"], axis=1))
    parts = [view.inputs(turned, {"query": 3, "offset": 4, "pair": pair})["scores"][0] for pair in range(4)]
    assert sum(parts) == pytest.approx(one["scores"][1])


def test_a_word_drowns_in_integers_as_the_formula_says():
    view = VIEWS["token_cosine"]
    data = view.inputs(sample("integer", seq_len=101, d_model=64), {"embed_scale": 8})
    np.testing.assert_allclose(data["same"][[0, 1, 10, 100]], [1, 2**-0.5, 0.0995, 0.01], atol=0.02)
    assert data["different"][10] == pytest.approx(0.99, abs=0.002)
    assert data["lengths"] == (8.0, 400.0)


def test_without_positions_what_comes_out_does_not_know_the_order():
    still = [VIEWS["outputs"].inputs(sample("no_position", seq_len=3), {"order": k, "causal": False}) for k in range(6)]
    moved = [VIEWS["outputs"].inputs(sample("sinusoidal", seq_len=3), {"order": k, "causal": False}) for k in range(6)]
    for k in range(1, 6):
        np.testing.assert_allclose(still[k]["outputs"], still[0]["outputs"], atol=1e-15)
        assert np.abs(moved[k]["outputs"] - moved[0]["outputs"]).max() > 0.01


def test_each_row_of_weights_belongs_to_its_word():
    first = VIEWS["attention_weights"].inputs(sample("no_position", seq_len=3), {"order": 0, "causal": False})
    last = VIEWS["attention_weights"].inputs(sample("no_position", seq_len=3), {"order": 5, "causal": False})
    assert last["sentence"] == ("man", "bites", "dog")
    np.testing.assert_allclose(last["attention_weights"], first["attention_weights"][::-1, ::-1], atol=1e-15)
    causal = VIEWS["attention_weights"].inputs(sample("no_position", seq_len=3), {"order": 0, "causal": True})
    np.testing.assert_array_equal(np.triu(causal["attention_weights"], 1), 0)


def test_growth_is_measured_on_texts_of_other_lengths():
    data = VIEWS["against_length"].inputs(sample("normalized", seq_len=10), {})
    np.testing.assert_allclose(data["largest"], (data["lengths"] - 1) / data["lengths"])
    np.testing.assert_allclose(data["steps"], 2**0.5 / data["lengths"])
    assert VIEWS["against_length"].inputs(sample("binary", seq_len=4, d_model=3), {})["lengths"][-1] == 8


def painted(grid, width=2.0, height=1.5):
    """Return the pixels of a grid of numbers drawn in cividis, 0 … 1, on axes that fill the page."""
    figure = Figure(figsize=(width, height), dpi=100)
    FigureCanvasAgg(figure)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.axis("off")
    image = Cells(ax, cmap="cividis")
    image.set_data(grid)
    image.set_clim(0, 1)
    image.set_extent((-0.5, grid.shape[1] - 0.5, grid.shape[0] - 0.5, -0.5))
    ax.add_image(image)
    ax.set_xlim(-0.5, grid.shape[1] - 0.5)
    ax.set_ylim(grid.shape[0] - 0.5, -0.5)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)


def colors(grid):
    return (255 * mpl.colormaps["cividis"](grid)[..., :3]).round().astype(int)


def test_each_pixel_has_the_colour_of_its_cell():
    grid = np.linspace(0, 1, 6).reshape(2, 3)
    pixels = painted(grid)
    centres = pixels[[37, 112]][:, [33, 100, 166]]
    np.testing.assert_allclose(centres, colors(grid), atol=1)


def test_cells_finer_than_pixels_are_means_of_the_numbers_not_of_colours():
    grid = np.random.default_rng(0).random((600, 1000))
    pixels = painted(grid)
    expected = grid.reshape(150, 4, 200, 5).mean(axis=(1, 3))
    np.testing.assert_allclose(pixels, colors(expected), atol=1)


@pytest.mark.parametrize(("have", "most"), [(10, 10), (10, 3), (7, 5), (1, 4)])
def test_means_of_rows_weigh_every_row(have, most):
    grid = np.random.default_rng(0).random((have, 2))
    result = means(grid, most)
    shares = np.repeat(grid, most, axis=0).reshape(most, have, 2)  # every row in as many parts as there are means
    expected = shares.mean(axis=1) if have > most else grid
    np.testing.assert_allclose(result, expected)
