"""Each view alone: what it draws is right, an update equals a fresh drawing, and no error leaves it half moved."""

import pkgutil
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import posenc_lib as pe
from posenc_lib import views
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.spec import Spec
from posenc_lib.views import VIEWS, Panel, View, style
from posenc_lib.views.panel import BlitCanvas
from posenc_lib.views.view import Cells, means

from .test_panel import settings
from .test_words import Oracle, made_up, projected

each_view = pytest.mark.parametrize("view", VIEWS)


def states(view: str) -> Iterator[tuple]:
    """Yield encodings and values for a view: one's defaults, the highest values of another, the lowest of the first."""
    fitting = [Spec.of(name, view) for name, encoding in ENCODINGS.items() if VIEWS[view].fits(encoding)]
    for spec, end in ((fitting[0], None), (fitting[-1], -1), (fitting[0], 0)):
        values = spec.all_values
        if end is not None:
            for name, parameter in spec.parameters.items():
                values[name] = (parameter.options or (parameter.low, parameter.high))[end]
            values |= {"query": values["seq_len"] - 1, "offset": 1}  # as another view may bring in
        yield spec.encodings_at(spec.clamp(values)), spec.clamp(values)


def drawn(view: str, state: tuple) -> Panel:
    return Panel([VIEWS[view]()], *state)


def frame(panel: Panel) -> bytes:
    return BlitCanvas(panel).frame()


def test_every_view_is_found():
    modules = [import_module(f"{views.__name__}.{module.name}") for module in pkgutil.iter_modules(views.__path__)]
    classes = [one for module in modules for one in vars(module).values() if isinstance(one, type)]
    found = {one for one in classes if issubclass(one, View)}
    whole = {one for one in found if one.name or not any(issubclass(other, one) for other in found - {one})}
    assert whole == set(VIEWS.values())


@each_view
def test_an_updated_view_is_pixel_for_pixel_a_fresh_one(view):
    first, *later = states(view)
    canvas = BlitCanvas(drawn(view, first))
    (one,), before = canvas.panel.views, canvas.frame()
    for state in later:
        canvas.update(*state)
        fresh = drawn(view, state)
        assert canvas.frame() == frame(fresh) != before
        assert one.text == fresh.views[0].text
        assert one.text.endswith(".")
        assert "nan" not in one.text
        assert canvas.panel.update(*state) == []  # nothing about the axes is new


@each_view
def test_artists_are_on_the_axes_and_lines_within_them(view):
    for state in states(view):
        (one,) = drawn(view, state).views
        assert all(artist is one.ax or artist.axes is one.ax for artist in one.artists)
        lines = [line for line in one.artists if isinstance(line, Line2D) and line.get_transform() == one.ax.transData]
        if view in ("head_biases", "precision"):  # cut at −10; from position 1 on
            continue
        for line in (line for line in lines if line.get_visible()):
            for (low, high), at in zip((one.ax.get_xlim(), one.ax.get_ylim()), line.get_data(), strict=True):
                assert np.all((min(low, high) <= at) & (at <= max(low, high)) | np.isnan(at))


@each_view
def test_frozen_limits_stay_and_what_the_data_want_is_known(view):
    first, second, _ = states(view)
    panel, fresh = drawn(view, first), drawn(view, second)
    (one,) = panel.views
    one.frozen = one.wanted
    panel.update(*second)
    for name, ends in one.frozen.items():
        assert ends == (one.image.get_clim() if name == "clim" else pytest.approx(getattr(one.ax, f"get_{name}")()))
    assert one.wanted == fresh.views[0].wanted
    one.frozen = {}
    panel.update(*second)
    assert frame(panel) == frame(fresh)


@pytest.mark.parametrize(("step", "then"), [("_set", 0), ("axes", 1)])
@each_view
def test_an_interrupt_leaves_a_view_able_to_draw(view, step, then, monkeypatch):
    """_set: when one limit of several is set; axes: when all are, but nothing has moved."""
    both = list(states(view))[:2]
    panel = drawn(view, both[0])
    finish = getattr(panel.views[0], step)

    def interrupted(*args, **state):
        finish(*args, **state)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(panel.views[0], step, interrupted)
        panel.update(*both[1])
    panel.update(*both[then])
    assert frame(panel) == frame(drawn(view, both[then]))


@each_view
def test_a_pointer_names_whole_numbers(view):
    known = {None, "position", "query", "key", "dim", "offset", "pair", "seq_len", "base", "head"}
    x, y = VIEWS[view].pointer
    assert {x, y} <= known
    here = VIEWS[view]().points_at(2.4, 6.6)
    assert here == {name: at for name, at in ((x, 2), (y, 7)) if name}
    assert all(isinstance(at, int) for at in here.values())


TABLE = pe.sinusoidal(64, 64)
DIAGONALS = [np.diagonal(pe.similarity_matrix(pe.integer(6, 2)), offset) for offset in range(-5, 6)]
FINE = np.linspace(0, 4, 129)  # from position to position
HANDS = np.array([7, 7 / 4, 7 / 8])  # how far they have turned
ARROWS = np.random.default_rng(44).normal(size=(2, 8))  # the query and the key
HALF = partial(pe.rope, pairing="half")
QUERY = "head_dim=8, content=random, query=5"
PAIR = f"{QUERY}, offset=4, pair=1"
WORD = "integer: token_cosine; seq_len=101, d_model=64, embed_scale=8"
ROW = "alibi: attention_row; seq_len=6, query=4, words=different, causal=true"
WEIGHTS = Oracle("alibi", {"seq_len": 6, "num_heads": 8, "head": 0, "causal": True}).attend(made_up(6, 64))[1]
PLAIN = pe.attention(*projected(made_up(6, 64)), causal=True)[1]
EVEN, SORTED = Oracle("no_position", {"seq_len": 3, "d_model": 8, "causal": False}).attend(made_up(3, 8))
ENDING = "learned+alibi: attention_row; seq_len=10, num_positions=6, query=3"
HEADS = "alibi: head_biases; seq_len=20, num_heads=12, head=9, query=7"
_XL = Oracle("transformer_xl", {"seq_len": 12, "head_dim": 8, "base": 10_000.0, "seed": 0})
TERMS = _XL.relate(*projected(made_up(12, 8))[:2])["scores"]


def grid(view) -> np.ndarray:
    return view.image.get_array()


def texts(artists) -> list[str]:
    return [text.get_text() for text in artists if text.get_visible()]


def tips(lines) -> np.ndarray:
    """Return where arrows or hands end."""
    return np.array([line.get_xydata()[-1] for line in lines])


def band(view) -> np.ndarray:
    """Return the lower edge of the band, and the upper one backwards."""
    return view.band.get_paths()[0].vertices[:, 1]


SEEN = [  # what is drawn, what of it is looked at, and what that should be
    ("sinusoidal: trajectory; x_dim=3, y_dim=5", lambda v: v.path.get_xydata(), TABLE[:, [3, 5]]),
    ("sinusoidal: trajectory; x_dim=3, y_dim=5", lambda v: v.points.get_offsets(), TABLE[:, [3, 5]]),
    ("sinusoidal: trajectory; x_dim=3, y_dim=5", lambda v: [v.ax.get_xlabel(), v.ax.get_ylabel()], ["dim 3", "dim 5"]),
    ("sinusoidal: trajectory, dot_product; query=7", lambda v: v.asked.get_xydata(), TABLE[[7]][:, [16, 17]]),
    ("sinusoidal: trajectory; seq_len=40", lambda v: texts(v.numbers), [str(5 * k) for k in range(8)]),
    ("binary: trajectory; x_dim=1, y_dim=2", lambda v: texts(v.numbers), ["0, 4", "1, 5", "2, 6", "3, 7"]),
    *(
        (f"integer: trajectory; seq_len={n}", lambda v: 1 <= len(texts(v.numbers)) <= 12, True)
        for n in (1, 2, 12, 13, 128, 4096)
    ),
    ("sinusoidal: trajectory_3d; z_dim=0", lambda v: np.transpose(v.path.get_data_3d()), TABLE[:, [16, 17, 0]]),
    ("sinusoidal: trajectory_3d; azimuth=15", lambda v: v.ax.azim, 15),
    ("sine: closest_pair; seq_len=100", lambda v: v.two.get_xydata(), pe.sine(100, 2)[[11, 99]]),
    ("sine: closest_pair; seq_len=100", lambda v: v.named.get_text(), "11 and 99: 0.0127 apart"),
    ("sinusoidal: heatmap; seq_len=7, d_model=4, shown_dims=3", grid, pe.sinusoidal(7, 4)[:, :3].T),
    ("sinusoidal: heatmap; seq_len=7, shown_dims=3", lambda v: v.image.get_extent(), [-0.5, 6.5, 2.5, -0.5]),
    ("sinusoidal: heatmap", lambda v: v.image.get_cmap().name, style.diverging()),
    ("integer: heatmap; seq_len=8", lambda v: v.image.get_cmap().name, style.SEQUENTIAL),
    ("integer: heatmap; seq_len=8", lambda v: v.image.get_clim(), (0, 7)),
    ("sinusoidal: heatmap; d_model=1024", lambda v: "(finer than pixels: each" in v.text, True),
    ("sinusoidal: heatmap", lambda v: "finer" in v.text, False),
    ("binary: odometer; seq_len=16, d_model=4, query=7", lambda v: texts(v.digits), ["0", "1", "1", "1"]),
    ("binary: odometer; seq_len=16, d_model=4, query=7", lambda v: texts(v.flips), ["flips"] * 4),
    ("binary: waves; seq_len=3", lambda v: v.curves.get_segments()[2][:, 0], [0, 1, 1, 2, 2, 3]),
    ("binary: waves; seq_len=3", lambda v: v.curves.get_segments()[2][:, 1] + 2, [-0.4, -0.4, 0.4, 0.4, -0.4, -0.4]),
    ("sine: waves; seq_len=5", lambda v: v.curves.get_segments()[1][:, 0], FINE),
    ("sine: waves; seq_len=5", lambda v: v.curves.get_segments()[1][:, 1] + 1, 0.4 * np.sin(FINE / 2)),
    ("sine: clock; d_model=4, query=7", lambda v: texts(v.names), ["dim 0", "dim 2", "dim 3"]),
    ("sine: clock; d_model=4, query=7", lambda v: tips(v.hands)[:, 0], np.sin(HANDS) * [1, 0.78, 0.56]),
    ("sine: clock; d_model=4, query=7", lambda v: tips(v.hands)[:, 1], np.cos(HANDS) * [1, 0.78, 0.56]),
    ("sine: wavelengths; seq_len=50, d_model=5", lambda v: v.inside.get_ydata(), 2 * np.pi * np.array([1, 2, 4])),
    ("sine: wavelengths; seq_len=50, d_model=5", lambda v: v.beyond.get_ydata(), 2 * np.pi * np.array([8, 16])),
    ("binary: steps; seq_len=16, d_model=4", lambda v: texts([v.name_it]), ["7 → 8"]),
    ("sinusoidal: steps", lambda v: [*texts([v.name_it]), len(v.bars.get_segments())], [63]),
    ("normalized: against_length; seq_len=10", lambda v: 1 - 1 / v.large.get_xdata() - v.large.get_ydata(), [0] * 12),
    ("normalized: against_length; seq_len=10", lambda v: v.step.get_xdata() * v.step.get_ydata(), [2**0.5] * 12),
    ("sinusoidal: dot_product; query=4", lambda v: v.curve.get_ydata(), pe.dot_product_curve(TABLE, 4)),
    ("sinusoidal: similarity", grid, pe.similarity_matrix(TABLE)),
    ("sinusoidal: similarity", lambda v: v.image.get_clim(), (8, 32)),
    ("sinusoidal: similarity; causal=true", lambda v: np.isnan(grid(v)), ~np.tri(64, dtype=bool)),
    (WORD, lambda v: v.same.get_ydata()[[0, 1, 10, 100]].round(1), [1, 0.7, 0.1, 0]),
    (WORD, lambda v: v.different.get_ydata()[10].round(2), 0.99),
    ("integer: score_by_offset; seq_len=6", lambda v: v.mean.get_ydata(), [np.mean(x) for x in DIAGONALS]),
    ("integer: score_by_offset; seq_len=6", lambda v: band(v)[:11], [np.min(x) for x in DIAGONALS]),
    ("integer: score_by_offset; seq_len=6", lambda v: band(v)[21:10:-1], [np.max(x) for x in DIAGONALS]),
    (f"rope: vectors; {PAIR}", lambda v: tips(v.ghosts), ARROWS[:, [2, 3]]),
    (f"rope: vectors; {PAIR}", lambda v: tips(v.arrows), pe.rope(ARROWS, [5, 9])[:, [2, 3]]),
    (f"rope: vectors; {PAIR}, pairing=half", lambda v: tips(v.arrows), HALF(ARROWS, [5, 9])[:, [1, 5]]),
    (f"rope: rope_forms; {QUERY}", grid, pe.rope(ARROWS, [5, 5])[[0, 0, 0, 0]]),
    (f"rope: rope_forms; {QUERY}, pairing=half", grid, HALF(ARROWS, [5, 5])[[0, 0, 0, 0]]),
    ("no_position: attention_weights; seq_len=3, order=5", grid, SORTED[::-1, ::-1]),
    ("rope: attention_weights; causal=true", lambda v: np.triu(grid(v), 1), np.zeros((4, 4))),
    ("no_position: outputs; seq_len=3, order=3", grid, [*EVEN, EVEN.mean(axis=0)]),
    (ROW, lambda v: v.curve.get_ydata(), [*100 * WEIGHTS[4, :5], np.nan]),
    (ROW, lambda v: v.plain.get_ydata(), [*100 * PLAIN[4, :5], np.nan]),
    (ENDING, lambda v: [v.no_row.get_visible(), v.unknown.get_x(), v.unknown.get_width()], [True, 5.5, 4]),
    (ENDING, lambda v: np.isnan(v.curve.get_ydata()), [False] * 6 + [True] * 4),
    ("shaw: bucket_map; seq_len=9", grid, pe.relative_offsets(9) + 8),
    ("t5: bucket_map; seq_len=9", grid, pe.t5_bucket(pe.relative_offsets(9))),
    ("t5: bucket_map; seq_len=9", lambda v: v.image.get_clim(), (0, 31)),
    ("t5: bucket_by_offset; offset=-50", lambda v: v.mark.get_xydata(), [(-50, pe.t5_bucket(-50))]),
    ("t5: bucket_by_offset; offset=-50, seq_len=8", lambda v: v.mark.get_visible(), False),
    ("t5: bucket_by_offset", lambda v: v.steps.get_ydata(), pe.t5_bucket(np.arange(-63, 64))),
    (HEADS, lambda v: v.chosen.get_ydata(), pe.alibi(12, 20)[9, 7]),
    (HEADS, lambda v: v.chosen.get_color(), style.CURVE),
    (HEADS, lambda v: [len(line.get_xdata()) for line in v.others], [20] * 12 + [0] * 52),
    ("alibi: attention_span; seq_len=4096", lambda v: tips(v.bars[:8])[:, 0], np.ceil(np.log(10) / pe.alibi_slopes(8))),
    ("transformer_xl: score_terms; seq_len=12, head_dim=8", grid, TERMS),
]


@pytest.mark.parametrize(("line", "look", "expected"), SEEN)
def test_what_is_seen(line, look, expected):
    spec, encodings, values = settings(line)
    (view,) = Panel(spec.draw()[:1], encodings[:1], values).views
    seen, expected = look(view), np.asarray(expected)
    if expected.dtype.kind in "fi":
        np.testing.assert_allclose(seen, expected, rtol=0, atol=1e-12)
    else:
        np.testing.assert_array_equal(seen, expected)


def test_nine_of_ten_equal_keys_hold_nine_tenths_whatever_the_rounding():
    even = SimpleNamespace(seq_len=10, head=0, biases=lambda offsets: np.zeros((1, len(offsets))))
    assert VIEWS["attention_span"]().inputs(even, {})["reach"] == [9]


def painted(grid) -> np.ndarray:
    """Return the pixels of a grid of numbers in cividis, 0 … 1, on axes of 200 by 150 pixels."""
    image = Cells(Figure(figsize=(2, 1.5), dpi=100).add_axes((0, 0, 1, 1)), cmap="cividis")
    image.set_data(grid)
    image.set_clim(0, 1)
    pixels, *place = image.make_image(None)
    assert place == [0, 0, None]
    return pixels[::-1, :, :3].astype(int)


def test_each_pixel_has_the_colour_of_its_cell_or_of_the_mean_of_its_cells():
    few, many = np.linspace(0, 1, 6).reshape(2, 3), np.random.default_rng(0).random((600, 1000))
    centres, blocks = painted(few)[[37, 112]][:, [33, 100, 166]], many.reshape(150, 4, 200, 5).mean(axis=(1, 3))
    for seen, numbers in ((centres, few), (painted(many), blocks)):  # means of numbers, not of colours
        np.testing.assert_allclose(seen, 255 * mpl.colormaps["cividis"](numbers)[..., :3], atol=1.5)


@pytest.mark.parametrize(("have", "most"), [(10, 10), (10, 3), (7, 5), (1, 4)])
def test_means_of_rows_weigh_every_row(have, most):
    grid = np.random.default_rng(0).random((have, 2))
    shares = np.repeat(grid, most, axis=0).reshape(most, have, 2)  # every row in as many parts as there are means
    np.testing.assert_allclose(means(grid, most), shares.mean(axis=1) if have > most else grid)
