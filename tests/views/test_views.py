"""Each view alone: what it draws is the data, an update equals a fresh drawing, and words say it."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from posenc_lib import dot_product_curve, similarity_matrix, sinusoidal
from posenc_lib.views import VIEWS, DotProductCurve, Heatmap, SimilarityMatrix, Trajectory, Trajectory3D, style

TABLE = sinusoidal(40, 8)
SHORT = sinusoidal(7, 4, base=50.0)
DATA = {  # view: (what it is drawn with first, what it is updated to)
    "trajectory": ({"table": TABLE, "dims": (0, 1)}, {"table": SHORT, "dims": (2, 1), "query": 3}),
    "trajectory_3d": ({"table": TABLE, "dims": (0, 1, 2)}, {"table": SHORT, "dims": (2, 1, 3), "azimuth": 30}),
    "heatmap": ({"table": TABLE}, {"table": SHORT, "shown_dims": 3, "query": 2}),
    "dot_product": (
        {"scores": dot_product_curve(TABLE, 4), "query": 4},
        {"scores": dot_product_curve(SHORT, 6), "query": 6},
    ),
    "similarity": ({"matrix": similarity_matrix(TABLE)}, {"matrix": similarity_matrix(SHORT), "query": 1}),
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
        assert view.update(**second) is True  # these two differ in their axes
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
    assert isinstance(view, Trajectory3D)


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
    assert view.image.get_cmap().name == style.DIVERGING
    assert isinstance(view, Heatmap)


def test_colours_start_at_zero_where_nothing_is_negative():
    view = drawn("heatmap", table=np.array([[0, 1], [7, 3]]))
    assert view.image.get_cmap().name == style.SEQUENTIAL
    assert view.image.get_clim() == (0, 7)


def test_curve_and_matrix_show_the_dot_products():
    view = drawn("dot_product", **DATA["dot_product"][0])
    np.testing.assert_array_equal(view.curve.get_ydata(), dot_product_curve(TABLE, 4))
    assert isinstance(view, DotProductCurve)
    view = drawn("similarity", **DATA["similarity"][0])
    np.testing.assert_array_equal(view.image.get_array(), similarity_matrix(TABLE))
    assert isinstance(view, SimilarityMatrix)
    assert isinstance(drawn("trajectory", **DATA["trajectory"][0]), Trajectory)


@pytest.mark.parametrize("name", VIEWS)
def test_everything_drawn_lies_within_the_axes(name):
    for data in DATA[name]:
        view = drawn(name, **data)
        if view.projection is None and hasattr(view, "curve"):
            (left, right), (low, high) = view.ax.get_xlim(), view.ax.get_ylim()
            x, y = view.curve.get_data()
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
    ("value", "text"), [(0, "0"), (-0.0, "0"), (-1e-16, "0"), (-1.5, "−1.5"), (1234.5, "1.23e+03"), (0.12345, "0.123")]
)
def test_numbers_in_sentences(value, text):
    assert style.number(value) == text


def test_the_style_leaves_the_callers_own_settings_alone():
    with mpl.rc_context({"font.size": 33}):
        drawn("heatmap", table=TABLE)
        assert mpl.rcParams["font.size"] == 33


def contrast(one, other):
    """Return the contrast ratio of two colours. Source: WCAG 2.2, relative luminance."""

    def luminance(color):
        rgb = np.array(mpl.colors.to_rgb(color))
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_and_lines_stand_out_from_the_page():
    for key in ("text.color", "axes.labelcolor", "xtick.color", "ytick.color"):
        assert contrast(f"#{style.RC[key].lstrip('#')}", "white") >= 4.5
    for color in (style.BLUE, style.QUERY):
        assert contrast(color, "white") >= 3


def test_cells_finer_than_pixels_are_shown_as_means_and_the_words_say_so():
    fine = sinusoidal(20, 2048)
    view = drawn("heatmap", table=fine)
    assert view.image.get_interpolation() == "antialiased"
    assert "finer than pixels" in view.describe(table=fine)
    with style.styled():
        view.update(table=TABLE)
    assert view.image.get_interpolation() == "nearest"
    assert "finer" not in view.describe(table=TABLE)
