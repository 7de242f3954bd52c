"""Each view alone: what it draws is right, an update equals a fresh drawing, and no error leaves it half moved."""

import itertools
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import posenc_lib as pe
from posenc_lib.encodings.catalog import ELSEWHERE, ENCODINGS
from posenc_lib.spec import Spec
from posenc_lib.views import VIEWS, Panel, style
from posenc_lib.views.canvas import BlitCanvas
from posenc_lib.views.cells import Cells
from posenc_lib.views.ghosts import Ghosts, place
from posenc_lib.views.view import LIMITS, union

from ..conftest import mostly_slow
from .test_panel import settings
from .test_words import FEEDING, HEAVY, Oracle, made_up, projected

some_views = pytest.mark.parametrize("view", mostly_slow(VIEWS, 12))


def states(view: str, *names: str) -> Iterator[tuple]:
    """Yield encodings and values for a view: one's defaults, the highest values of another, the lowest of the first."""
    fitting = [Spec.of(name, view) for name in names or FEEDING[view]]
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


def is_fresh(view: str, *names: str) -> None:
    """Expect pixels and words of a fresh drawing after each move, and nothing new about the axes if it is repeated."""
    first, *later = states(view, *names)
    canvas = BlitCanvas(drawn(view, first))
    (one,), before = canvas.panel.views, canvas.frame()
    for state in later:
        canvas.update(*state)
        fresh = drawn(view, state)
        assert canvas.frame() == frame(fresh), view
        assert names or canvas.frame() != before, view  # two encodings do not look alike
        before = canvas.frame()
        assert one.text == fresh.views[0].text
        assert one.text.endswith(".")
        assert "nan" not in one.text
        assert canvas.panel.update(*state) == [], view


@pytest.mark.parametrize("view", [view for view in VIEWS if view not in HEAVY][::5])
def test_an_updated_view_is_pixel_for_pixel_a_fresh_one(view):
    is_fresh(view)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENCODINGS | ELSEWHERE)
def test_every_view_of_an_encoding_is_a_fresh_one_after_each_move_to_the_ends(name):
    for view in VIEWS:
        if name in FEEDING[view]:
            is_fresh(view, name)


@some_views
def test_artists_are_on_the_axes_and_lines_within_them(view):
    for state in states(view):
        (one,) = drawn(view, state).views
        assert all(artist is one.ax or artist.axes is one.ax for artist in one.artists)
        lines = [line for line in one.artists if isinstance(line, Line2D) and line.get_transform() == one.ax.transData]
        if view in ("head_biases", "precision", "bias_port"):  # cut at −10; from position 1 on; cut at 40 %
            continue
        for line in (line for line in lines if line.get_visible()):
            for (low, high), at in zip((one.ax.get_xlim(), one.ax.get_ylim()), line.get_data(), strict=True):
                assert np.all((min(low, high) <= at) & (at <= max(low, high)) | np.isnan(at))


@some_views
def test_frozen_limits_hold_all_that_they_were_told_of_stay_and_grow(view):
    first, second, third = states(view)
    panel = drawn(view, first)
    (one,) = panel.views
    panel.freeze(LIMITS, [first, second])
    told, ends, asked = one.text, dict(one.frozen), []
    for state in (second, first):
        panel.update(*state)
        asked.append(one.wanted)
        assert one.wanted == drawn(view, state).views[0].wanted
        for name, limits in ends.items():
            drawn_to = one.image.get_clim() if name == "clim" else getattr(one.ax, f"get_{name}")()
            assert drawn_to == pytest.approx(limits)
    assert one.text == told
    assert ends == {name: union(name, *(limits[name] for limits in asked[::-1])) for name in ends}
    panel.update(*third)
    assert one.frozen == {name: union(name, limits, one.wanted[name]) for name, limits in ends.items()}
    fresh = VIEWS[view]()
    fresh.frozen = dict(one.frozen)
    assert frame(panel) == frame(Panel([fresh], *third))


@pytest.mark.parametrize(
    ("name", "one", "other", "both"),
    [
        ("ylim", (0, 5), (-1, 3), (-1, 5)),
        ("ylim", (9.5, -0.5), (-0.5, 19.5), (19.5, -0.5)),  # downwards, as in images
        ("ylim", (1, 1e4), (0.1, 1e3), (0.1, 1e4)),  # a logarithmic axis
        ("clim", (0, 7), (2, 9), (0, 9)),
        ("clim", (0, 7), (-1, 1), (-7, 7)),  # white stays zero
        ("clim", (-9, 0), (-1, 1), (-9, 9)),
    ],
)
def test_a_union_holds_both(name, one, other, both):
    assert union(name, one, other) == both


@some_views
def test_a_ghost_stands_where_curves_and_dots_were_and_only_behind_what_moved(view):
    first, second, _ = states(view)
    panel = drawn(view, first)
    plain = frame(panel)
    panel.ghosts = Ghosts(panel.views)
    canvas, was = BlitCanvas(panel), [place(artist) for artist in panel.views[0].traced]
    assert canvas.frame() == plain
    panel.ghosts.keep(panel.values)
    for state in (second, first):
        canvas.update(*state)
        moved = {}
        for (artist, copy, kind), before in zip(panel.ghosts._pairs, was, strict=True):
            moves = len(before) > 0 and not np.array_equal(before, place(artist), equal_nan=True)
            np.testing.assert_array_equal(copy.get_xydata(), before if moves else np.empty((0, 2)))
            moved |= {kind: 1} if moves else {}
        said = f" Grey {' and '.join(sorted(moved))}: before, at "
        assert (said in panel.describe()) if moved else ("Grey" not in panel.describe())
        seen = canvas.frame()
        canvas.forget()
        assert canvas.frame() == seen
    assert seen == plain


def test_pointers_count_what_is_known():
    known = {None, "position", "query", "key", "dim", "offset", "pair", "seq_len", "head", "token", "right", "down"}
    known |= {"row", "column"}  # where words stand, the label names them itself
    assert {name: view.pointer for name, view in VIEWS.items() if not {*view.pointer} <= known} == {}


TABLE = pe.sinusoidal(64, 64)
DIAGONALS = [np.diagonal(pe.similarity_matrix(pe.integer(6, 2)), offset) for offset in range(-5, 6)]
DYNAMIC, _ = pe.rope_scaling({"rope_type": "dynamic", "factor": 4}, 64, max_position_embeddings=64, seq_len=72)
FINE = np.linspace(0, 4, 129)  # from position to position
HANDS = np.array([7, 7 / 4, 7 / 8])  # how far they have turned
ARROWS = np.random.default_rng(44).normal(size=(2, 8))  # the query and the key
TURNED = pe.rope(ARROWS, [5, 9])
PARTS = (TURNED[0] * TURNED[1]).reshape(4, 2).sum(axis=1)
ONES = 2 * pe.sinusoidal_kernel(np.arange(64), 64)
HALF = partial(pe.rope, pairing="half")
QUERY = "head_dim=8, content=random, query=5"
PAIR = f"{QUERY}, offset=4, pair=1"
TOP = "rope: score_by_offset; seq_len=6, head_dim=2, content=random, draw=6, aim=-1"
SPRING = "sinusoidal: trajectory_3d; seq_len=45, d_model=4, x_dim=0, y_dim=1, z_dim=2"
SINES = np.abs(np.sin([5, 37, 68]))
CLOCK = "sine: clock; d_model=4, query=7, seq_len=9"
WORD = "integer: token_cosine; seq_len=101, d_model=64, embed_scale=8"
ROW = "alibi: attention_row; seq_len=6, query=4, words=different, causal=true"
WEIGHTS = Oracle("alibi", {"seq_len": 6, "num_heads": 8, "head": 0, "causal": True}).attend(made_up(6, 64))[1]
TOKENS = np.random.default_rng(614).normal(size=(3, 8))  # of the sentence
EVEN, SORTED = Oracle("no_position", {"seq_len": 3, "d_model": 8, "causal": False}).attend(TOKENS)
ENDING = "learned+alibi: attention_row; seq_len=10, num_positions=6, query=3"
HEADS = "alibi: head_biases; seq_len=20, num_heads=12, head=9, query=7"
_XL = Oracle("transformer_xl", {"seq_len": 12, "head_dim": 8, "base": 10_000.0, "seed": 0})
FINER, HALVED = "heatmap; d_model=1024", [0, 200, 1022, 1, 1023]  # some dims that stand where dims are apart
ENDS = "learned+alibi: position_effect; seq_len=40, num_positions=30"
LOWER = np.where(np.tri(3), pe.alibi(8, 3)[0], np.nan)
STRIP = "mrope: axis_positions; before=2, frames=3, tall=2, wide=3, after=1"
FIRST = np.random.default_rng(0).normal(size=(32, 8))  # what each head of an untrained T5 adds, by bucket
TERMS = _XL.relate(*projected(made_up(12, 8))[:2])["scores"]
FLAT = np.hstack([pe.sinusoidal(at, 32) for at in np.divmod(np.arange(196), 14)])  # a row for each patch
TILTED = np.repeat([(-0.5, 0.75**0.5), (0.75**0.5, 0.5)], 2, axis=0)  # what looked down, to the right; y runs down
TILTED *= np.array([1, 0.22, 1, 0.22])[:, None]  # the slow ones are short
TURNED_CROSS = np.eye(13) + np.eye(13)[::-1] > 0


def tips_2d(view) -> np.ndarray:
    """Return where arrows end that begin in the middle."""
    return np.array([segment[-1] for segment in view.arrows.get_segments()])


def grid(view) -> np.ndarray:
    return view.image.get_array()


def texts(artists) -> list[str]:
    return [text.get_text() for text in artists if text.get_visible()]


def tips(lines) -> np.ndarray:
    """Return where arrows or hands end."""
    return np.array([line.get_xydata()[-1] for line in lines])


def tips_of(lines) -> list[float]:
    """Return how high each of several lines in one collection ends."""
    return [segment[-1, 1] for segment in lines.get_segments()]


def framed(view) -> list[tuple[float, float]]:
    """Return where frames begin and how many rows they hold."""
    return [(frame.get_y(), frame.get_height()) for frame in view.frames if frame.get_visible()]


def drawn_on_axes(bars) -> np.ndarray:
    """Return for each pair the axis in whose colour its bar is drawn, and how high it is."""
    boxes = [(k, box.vertices) for k, of in enumerate(bars) for box in of.get_paths()]
    found = {round(corners[:4, 0].mean()): (k, corners[1, 1]) for k, corners in boxes}
    return np.array([found[pair] for pair in range(len(found))]).T


def at_points(view) -> np.ndarray:
    """Return how high the fit is drawn at the known points."""
    return np.interp(view.points.get_xdata(), *view.curve.get_data())


def two_waves(x) -> np.ndarray:
    return np.sin(6 * np.pi * x) + np.sin(14 * np.pi * x)


def band(view) -> np.ndarray:
    """Return the lower edge of the band, and the upper one backwards."""
    return view.band.get_paths()[0].vertices[:, 1]


SEEN = [  # what is drawn, what of it is looked at, and what that should be
    ("sinusoidal: trajectory; x_dim=3, y_dim=5", lambda v: v.path.get_xydata(), TABLE[:, [3, 5]]),
    ("sinusoidal: trajectory; x_dim=3, y_dim=5", lambda v: [v.ax.get_xlabel(), v.ax.get_ylabel()], ["dim 3", "dim 5"]),
    ("sinusoidal: trajectory; seq_len=40", lambda v: texts(v.numbers), [*map(str, range(0, 40, 5)), "39"]),
    ("binary: trajectory; x_dim=1, y_dim=2", lambda v: texts(v.numbers), ["0, 4", "1, 5", "2, 6", "3, 7"]),
    ("sinusoidal: trajectory; pair=3", lambda v: v.points.get_offsets(), TABLE[:, [6, 7]]),
    *(
        (f"sinusoidal: heatmap, trajectory; d_model={d}, pair=3, {more}", lambda v: framed(v), rows)
        for d, more, rows in (
            (16, "layout=interleaved", [(5.5, 2)]),
            (16, "layout=concatenated", [(2.5, 1), (10.5, 1)]),
            (1024, "layout=interleaved", [(2.5, 1), (514.5, 1)]),  # sines above, cosines below
        )
    ),
    ("sinusoidal: trajectory_3d; z_dim=0", lambda v: np.transpose(v.path.get_data_3d())[::16], TABLE[:, [16, 17, 0]]),
    ("sine: closest_pair; seq_len=100", lambda v: v.two.get_xydata(), pe.sine(100, 2)[[11, 99]]),
    (f"{SPRING}, base=200", lambda v: v.told.get_text(), "0 and 44: 0.0351 apart\nin dims 0, 1 and 2"),
    ("sinusoidal: kernel_by_base; seq_len=2048, d_model=128", lambda v: v.below.get_xdata(), [1707]),
    ("sinusoidal: shifted; seq_len=64, offset=5", lambda v: [np.ptp(hand.get_xdata()) for hand in v.hands], SINES),
    ("sinusoidal: heatmap; seq_len=7, d_model=4, shown_dims=3", grid, pe.sinusoidal(7, 4)[:, :3].T),
    ("integer: heatmap; seq_len=8", lambda v: v.image.get_clim(), (0, 7)),
    (f"sinusoidal: {FINER}", lambda v: grid(v)[[0, 100, 511, 512, 1023]], pe.sinusoidal(64, 1024)[:, HALVED].T),
    ("rope: frequencies; rope_type=linear", lambda v: v.now.get_ydata() / v.before.get_ydata(), np.full(32, 4)),
    ("rope: frequencies; head_dim=2, rope_type=yarn", lambda v: texts(v.fates), ["1 kept", "", ""]),
    ("rope: cliff; rope_type=dynamic, past=8", lambda v: v.now.get_ydata() * pe.inv_freq(64), DYNAMIC),
    ("rope: yarn_ramps", lambda v: v.paper.get_ydata(), 1 - np.clip((64 / pe.wavelengths(64) - 1) / 31, 0, 1)),
    ("rope: passing_bases; base=20000", lambda v: v.chosen.get_xydata(), [(20_000, pe.first_negative(64, 20_000))]),
    ("binary: odometer; seq_len=16, d_model=4, query=7", lambda v: texts(v.digits), ["0", "1", "1", "1"]),
    ("binary: odometer; seq_len=16, d_model=4, query=7", lambda v: texts(v.counts), ["0", "1", "3", "7"]),
    (STRIP, grid, pe.mrope_positions([2, (3, 2, 3), 1])),
    (STRIP, lambda v: v.next.get_x() + 0.5, 20),
    *(
        (f"mrope: axis_of_pair; model={model}", lambda v: drawn_on_axes(v.bars), np.stack([axes, np.log10(theta)]))
        for model, axes, theta in (
            ("Qwen2-VL", pe.axis_of_pair([16, 24, 24]), pe.inv_freq(128, 1e6)),
            ("Qwen3-VL", pe.axis_of_pair([24, 20, 20], interleaved=True), pe.inv_freq(128, 5e6)),
        )
    ),
    ("fourier: signal_fit; points=8", lambda v: v.points.get_ydata(), lambda v: two_waves(v.points.get_xdata())),
    ("fourier: signal_fit; scale=32", lambda v: np.abs(at_points(v) - v.points.get_ydata()).max() < 1e-5, True),
    ("binary: cube", lambda v: texts(v.legend), ["4 along an edge", "2 across a face", "1 through the middle"]),
    ("binary: cube; seq_len=4", lambda v: [len(lines._segments3d) for lines in v.steps], [2, 1, 0]),
    ("integer: nearest_token; d_model=64, query=0", lambda v: tips_of(v.wires), np.arange(10)),
    ("binary: waves; seq_len=3", lambda v: v.curves.get_segments()[2][:, 1] + 2, [-0.4, -0.4, 0.4, 0.4, -0.4, -0.4]),
    ("sine: waves; seq_len=5", lambda v: v.curves.get_segments()[1][:, 1] + 1, 0.4 * np.sin(FINE / 2)),
    (CLOCK, lambda v: [np.diff(hand.get_xdata())[0] for hand in v.hands], np.sin(HANDS)),
    (CLOCK, lambda v: [-np.diff(hand.get_ydata())[0] / v.up for hand in v.hands], np.cos(HANDS)),
    ("sine: wavelengths; seq_len=50, d_model=5", lambda v: v.inside.get_ydata(), 2 * np.pi * np.array([1, 2, 4])),
    ("sinusoidal: dot_product; query=4", lambda v: v.curve.get_ydata(), TABLE @ TABLE[4]),
    ("sinusoidal: similarity", grid, pe.similarity_matrix(TABLE)),
    ("sinusoidal: token_scores; word_norm=0", lambda v: grid(v) + v.mean, pe.similarity_matrix(TABLE)),
    ("sinusoidal: similarity; causal=true", lambda v: np.isnan(grid(v)), ~np.tri(64, dtype=bool)),
    (WORD, lambda v: v.same.get_ydata()[[0, 1, 10, 100]].round(1), [1, 0.7, 0.1, 0]),
    ("integer: score_by_offset; seq_len=6", lambda v: v.mean.get_ydata(), [np.mean(x) for x in DIAGONALS]),
    ("integer: score_by_offset; seq_len=6", lambda v: band(v)[:11], [np.min(x) for x in DIAGONALS]),
    (TOP, lambda v: texts([v.aimed, v.topped]), ["−1", "top at 4"]),
    (f"rope: vectors; {PAIR}", lambda v: tips(v.arrows), pe.rope(ARROWS, [5, 9])[:, [2, 3]]),
    (f"rope: vectors; {PAIR}, pairing=half", lambda v: tips(v.arrows), HALF(ARROWS, [5, 9])[:, [1, 5]]),
    (f"rope: pair_scores; {PAIR}", lambda v: v.bars.get_ydata()[1::3], PARTS),
    ("rope: score_decay; correlation=1", lambda v: np.abs(v.mean.get_ydata() - ONES).max() < 3, True),
    ("no_position: attention_weights; seq_len=3, order=5", grid, SORTED[::-1, ::-1]),
    ("sinusoidal: attention_weights; order=3", lambda v: len(v.frames.get_segments()), 9),
    ("no_position: outputs; seq_len=3, order=3", grid, [*EVEN, EVEN.mean(axis=0)]),
    (ROW, lambda v: v.curve.get_ydata(), [*100 * WEIGHTS[4, :5], np.nan]),
    (ENDING, lambda v: [v.no_row.get_visible(), v.unknown.get_x(), v.unknown.get_width()], [True, 5.5, 4]),
    ("shaw: bucket_map; seq_len=9", grid, pe.relative_offsets(9) + 8),
    ("t5: bucket_map; seq_len=9", grid, pe.t5_bucket(pe.relative_offsets(9))),
    ("t5: bucket_by_offset", lambda v: v.steps.get_ydata(), pe.t5_bucket(np.arange(-63, 64))),
    (HEADS, lambda v: v.chosen.get_ydata(), pe.alibi(12, 20)[9, 7]),
    ("alibi: attention_span; seq_len=4096", lambda v: tips(v.bars[:8])[:, 0], np.ceil(np.log(10) / pe.alibi_slopes(8))),
    ("transformer_xl: score_terms; seq_len=12, head_dim=8", grid, TERMS),
    ("t5: position_effect; query=40", lambda v: v.curve.get_ydata(), pe.t5_bias(FIRST, 64)[0, 40]),
    (f"{ENDS}, query=9", lambda v: [v.unknown.get_x(), v.unknown.get_visible()], [20.5, True]),
    ("alibi: bias_added; seq_len=3", lambda v: grid(v)[:, 4:7], LOWER),
    (
        "alibi: bias_added; seq_len=3",
        lambda v: grid(v)[:, 8:] - grid(v)[:, :3],
        np.where(np.tri(3), pe.alibi(8, 3)[0], np.nan),
    ),
    ("alibi: bias_port; head=3", lambda v: v.curve.get_ydata() - v.ported.get_ydata(), np.zeros(11)),
    ("sinusoidal_2d: patches; row=2, column=3", lambda v: grid(v).ravel(), FLAT @ FLAT[2 * 14 + 3] / 32),
    ("sinusoidal_2d: patches; seq_len=20, row=2", lambda v: np.isnan(grid(v)).sum(axis=1), [0, 8]),
    *(
        (f"sinusoidal_2d: patches; row={row}, distance={far}", lambda v: len(v.ring.get_xdata()), dots)
        for row, far, dots in ((6, 0, 0), (6, 1, 8), (0, 1, 5), (6, 40, 0))
    ),
    ("rope_2d: directions; head_dim=8, tilt=30", lambda v: tips_2d(v), TILTED),
    ("rope_2d: wished; wish=turned cross", grid, TURNED_CROSS / TURNED_CROSS.sum()),
    ("rope_2d: window_head; wish=diagonal", grid, np.full((13, 13), 1 / 169)),
    ("rope_2d: window_head; wish=diagonal", lambda v: texts([v.told]), ["8 % on the wish, by chance 8 %"]),
    ("rope_2d: window_head; wish=diagonal, tilt=45", lambda v: grid(v)[np.eye(13, dtype=bool)].sum() > 0.95, True),
]


def test_what_is_seen_is_right():
    wrong = []
    for line, look, expected in SEEN:
        spec, encodings, values = settings(line)
        (view,) = Panel(spec.draw()[:1], encodings[:1], values).views
        seen, expected = np.asarray(look(view)), np.asarray(expected(view) if callable(expected) else expected)
        if expected.dtype.kind in "fi":
            alike = np.allclose(seen, expected, rtol=0, atol=1e-12, equal_nan=True)
        else:
            alike = np.array_equal(seen, expected)
        if not alike:
            wrong.append((line, seen, expected))
    assert wrong == []


def test_no_corner_of_the_cube_hides_another_from_any_side():
    spec, encodings, values = settings("binary: cube; seq_len=8, d_model=3")
    panel = Panel(spec.draw(), encodings, values)
    for azimuth in range(-180, 180, 5):
        panel.update(encodings, values | {"azimuth": azimuth})
        marks = panel.views[0].marks()
        apart = np.linalg.norm(marks[:, None] - marks, axis=-1)[np.triu_indices(8, 1)]
        assert apart.min() > 30  # px; a corner's badge is about 25 wide


def test_colours_of_a_sum_stand_still_while_words_grow():
    spec, encodings, values = settings("sinusoidal: added")
    panel = Panel(spec.draw(), encodings, values)
    assert not panel.update(encodings, values | {"embed_scale": 64})
    assert panel.views[0].image.get_clim() == (-2, 2)


def test_weights_are_named_by_their_words_and_what_the_mask_took_away_has_a_frame():
    spec, encodings, values = settings("no_position: attention_weights; order=1, causal=true")
    (view,) = Panel(spec.draw(), encodings, values).views
    assert view.value_at(0, 1) == f"man looks at dog, {style.number(view.image.get_array()[1, 0])}"  # dog man bites
    assert view.value_at(2, 0) == "dog looks at bites, 0"
    assert len(view.frames.get_segments()) == 6


@pytest.mark.parametrize(
    ("line", "name", "values", "limits"),
    [
        ("transformer_xl: term_by_offset", "term", ("all", "q·k", "v·r"), ("ylim",)),
        ("alibi: position_effect", "query", (0, 9, 63), ("xlim", "ylim")),
        ("alibi: bias_added", "head", (0, 7), ("clim",)),
        ("alibi: bias_port", "head", (0, 7), ("xlim", "ylim")),
        ("alibi: bias_port", "query", (5, 60), ("xlim", "ylim")),
    ],
)
def test_what_is_compared_keeps_its_frame(line, name, values, limits):
    kept = set()
    for value in values:
        spec, encodings, at = settings(f"{line}; {name}={value}")
        (view,) = Panel(spec.draw(), encodings, at).views
        kept.add(tuple(view.wanted[limit] for limit in limits))
    assert len(kept) == 1


CROWDED = (
    "sinusoidal: trajectory, heatmap, dot_product; seq_len=48, base=100, query=24",
    "learned: trajectory; seq_len=100",
    "sine: trajectory, number_line, steps; seq_len=60",
)


@pytest.mark.parametrize("line", CROWDED)
def test_numbers_of_positions_do_not_overlap(line):
    spec, encodings, values = settings(line)
    panel = Panel(spec.draw(), encodings, values)
    panel.figure.canvas.draw()
    for view in panel.views:
        boxes = [text.get_window_extent() for text in getattr(view, "numbers", ()) if text.get_visible()]
        assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
        assert len(boxes) > 2 or not hasattr(view, "numbers")


def test_nine_of_ten_equal_keys_hold_nine_tenths_whatever_the_rounding():
    even = SimpleNamespace(seq_len=10, head=0, biases=lambda offsets: np.zeros((1, len(offsets))))
    assert VIEWS["attention_span"]().inputs(even, {})["reach"] == [9]


def painted(grid) -> np.ndarray:
    """Return the pixels of a grid of numbers in cividis, 0 … 1, on axes of 200 by 150 pixels."""
    limits = {"xlim": (-0.5, grid.shape[1] - 0.5), "ylim": (len(grid) - 0.5, -0.5)}
    image = Cells(Figure(figsize=(2, 1.5), dpi=100).add_axes((0, 0, 1, 1), **limits), cmap="cividis")
    image.set_data(grid)
    image.set_clim(0, 1)
    pixels, *place = image.make_image(None)
    assert place == [0, 0, None]
    return pixels[::-1, :, :3].astype(int)


def test_a_pixel_between_two_buckets_has_the_colour_of_one():
    spec, encodings, values = settings("t5: bucket_map; seq_len=160")
    (view,) = Panel(spec.draw(), encodings, values).views
    colors = {tuple(color) for color in view.image.make_image(None)[0].reshape(-1, 4)}
    assert colors == {tuple(view.image.to_rgba(bucket, bytes=True)) for bucket in np.unique(grid(view))}


def test_each_pixel_has_the_colour_of_its_cell_or_of_the_mean_of_its_cells():
    few, many = np.linspace(0, 1, 6).reshape(2, 3), np.random.default_rng(0).random((600, 1000))
    centres, blocks = painted(few)[[37, 112]][:, [33, 100, 166]], many.reshape(150, 4, 200, 5).mean(axis=(1, 3))
    for seen, numbers in ((centres, few), (painted(many), blocks)):  # means of numbers, not of colours
        np.testing.assert_allclose(seen, 255 * mpl.colormaps["cividis"](numbers)[..., :3], atol=1.5)


@pytest.mark.parametrize("shape", [(128, 300), (512, 20), (1024, 2048)])
def test_a_table_of_any_size_looks_like_one_drawn_eight_times_as_large(shape):
    """A large drawing repeats each cell many times and is then shrunk; where cells are large, edges move by a part."""
    table = np.sin(np.outer(10_000.0 ** -np.linspace(0, 1, shape[0]), np.arange(shape[1]))) / 2 + 0.5
    (height, width), times = (150, 200), 8
    rows, columns = (np.arange(times * n) * have // (times * n) for n, have in zip((height, width), shape, strict=True))
    truth = table[rows][:, columns].reshape(height, times, width, times).mean(axis=(1, 3))
    apart = np.abs(painted(table) - 255 * mpl.colormaps["cividis"](truth)[..., :3]).mean()
    assert apart < 2.5, apart  # of 255
