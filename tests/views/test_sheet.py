"""A sheet: no words overlap or leave it, plots are level and fill it, a teacher's marks show."""

import io
import re
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from posenc_lib.encodings import validate
from posenc_lib.encodings.similarity import closest_pair
from posenc_lib.figures.registry import find
from posenc_lib.live.settings import steps
from posenc_lib.spec import Spec, read
from posenc_lib.views.sheet import MARGIN, Sheet
from posenc_lib.views.style import LEAST, ROW, TITLE, WORDS

from ..conftest import same_pixels, todays
from ..kinds import KINDS
from ..trust.kernels import PATHS, code_cells

# dots around a page; before 3.10 the box of a number ends that far beyond its ink
ROOM = 1 if matplotlib.__version_info__ >= (3, 10) else 2.5
THREE = "sinusoidal: trajectory, heatmap, dot_product; query=3"
LINES = [
    THREE,
    "rope: score_by_offset, vectors, shift_matrix",
    "rope: vectors, phasor_sum; content=random, head_dim=16",
    *(f"{two}: dot_product, similarity" for two in ("learned+rope", "sine+sinusoidal")),
    "sinusoidal+rope+t5+alibi+kerple: trained_models",
    "sinusoidal+rope+alibi: similarity",
    *(str(Spec.of(name)) for name in KINDS),
]


SIDES = "width", "height"


def sheet(line=THREE, **look) -> Sheet:
    (spec,) = read(line)
    encodings, values = spec.fit(spec.all_values)
    return Sheet(spec.views_in_order(), encodings, values, **look)


def words(drawn: Sheet) -> list[tuple[str, object]]:
    """Return every text that is seen, and where; numbers that another one replaces are not."""
    drawn.figure.canvas.draw()
    renderer, found = drawn.figure.canvas.get_renderer(), []
    for pen in drawn.pens:
        # numbers that another one replaces
        gone = {(at, 0) if axis == "x" else (0, at) for axis, at in pen.axes.hidden}
        ground = [
            t for t in pen.ground.drawn if not (isinstance(t, Text) and t.get_position() in gone)
        ]
        texts = [
            t for t in (*ground, *pen.marks.drawn) if isinstance(t, Text) and t.get_text().strip()
        ]
        found += [(t.get_text(), t.get_window_extent(renderer)) for t in texts]
    return found


def touching(drawn: Sheet) -> list[str]:
    """Return pairs of texts that lie over each other, and texts that leave the page."""
    seen, (wide, high) = words(drawn), drawn.figure.bbox.size
    least, most = -ROOM, (wide + ROOM, high + ROOM)
    off = [t for t, box in seen if min(box.p0) < least or (box.p1 > most).any()]
    wrong = [f"{text!r} leaves the page" for text in off]
    for k, (one, box) in enumerate(seen):
        for other, there in seen[:k]:
            across = min(box.x1, there.x1) - max(box.x0, there.x0)
            up = min(box.y1, there.y1) - max(box.y0, there.y0)
            if across > 2 and up > 0.35 * min(box.height, there.height):
                wrong.append(f"{one!r} over {other!r}")
    return wrong


def fills(drawn: Sheet) -> bool:
    """Return whether plots fill most of a picture; several, or some beside words, leave room."""
    filled = sum(pen.ax.get_position().width * pen.ax.get_position().height for pen in drawn.pens)
    worded = any(pen.view.left > 80 for pen in drawn.pens)
    return filled >= (0.56 if len(drawn.encodings) == 1 and not worded else 0.48)


@pytest.mark.parametrize("width", [pytest.param(None, marks=pytest.mark.slow), 358])
def test_no_two_texts_touch_and_none_leaves_the_page(width):
    found = {line: wrong for line in LINES if (wrong := touching(sheet(line, width=width)))}
    assert found == {}


@pytest.mark.parametrize("azimuth", range(-180, 180, 20))
def test_names_of_a_cubes_axes_lie_on_no_number_from_any_side(azimuth):
    drawn = sheet(f"sinusoidal: trajectory_3d; seq_len=45, d_model=4, base=1000, azimuth={azimuth}")
    assert touching(drawn) == []


@pytest.mark.parametrize(("seq_len", "d_model"), [(30, 2), (60, 2), (89, 4), (100, 2), (120, 4)])
def test_the_name_of_the_closest_two_hides_neither(seq_len, d_model):
    drawn = sheet(f"sine: closest_pair; seq_len={seq_len}, d_model={d_model}, base=none")
    table = drawn.encodings[0].table
    i, j, _ = closest_pair(table)
    ((_, box),) = [each for each in words(drawn) if each[0] == f"{i}, {j}"]
    for place in drawn.pens[0].ax.transData.transform(table[[i, j], :2]):
        assert not box.contains(*place)


def touching_at_ends(panel, widths=(None,)) -> dict:
    """Return what touches at the first and last value of each slider, at these page widths."""
    found = {}
    for name, slider in panel.sliders.items():
        for value in (steps(slider)[0], steps(slider)[-1]):
            panel.reset()
            slider.value, shown = value, panel.sheet
            for width in widths:
                drawn = (
                    shown
                    if width is None
                    else Sheet(shown.views, shown.encodings, shown.values, width=width)
                )
                if wrong := touching(drawn):
                    found[f"{panel.spec}: {name}={slider.value}, {width}"] = wrong
    panel.close()
    return found


def test_a_long_headline_or_unit_shrinks_by_a_quarter_at_most_before_it_gives_way():
    line = "rope: similarity; content=random, head_dim=16, seq_len=32"
    sizes = {"Each diagonal has one color": [], "↓ position of the query": []}
    for wide in range(180, 360, 10):
        drawn = sheet(line, width=wide)
        texts = [t for t in drawn.pens[0].marks.drawn if isinstance(t, Text)]
        there = {t.get_text(): t.get_fontsize() for t in texts}
        assert there.keys() & {*sizes, "All queries and keys"}
        for text, found in sizes.items():
            found.append(there.get(text, 0))
    for whole, found in zip((TITLE, WORDS), sizes.values(), strict=True):
        assert found == sorted(found)
        assert found[-1] == whole
        shrunk = [size for size in found if 0 < size < whole]
        assert shrunk
        assert min(shrunk) >= LEAST == 0.75 * TITLE


@pytest.mark.slow
@pytest.mark.parametrize("path", todays(PATHS, 4), ids=lambda path: path.stem)
def test_explorers_of_a_lesson_fill_their_pictures_and_no_two_texts_touch_at_any_width(path):
    first, *others = [cell.source for cell in code_cells(path)]
    space = {}
    exec(first, space)
    for source in others:
        if (
            "explore(" not in source
            and re.search(r"^def ", source, re.M)
            and "check(" not in source
        ):
            exec(source, space)  # what a lesson draws of its own
        if "explore(" not in source:
            continue
        exec("last = None\n" + re.sub(r"^explore\(", "last = explore(", source, flags=re.M), space)
        if (panel := space["last"]) is not None:
            assert fills(panel.sheet), source
            # a desk, a phone, a wall: 1280 px, and what they are at 1.75 times the size
            assert touching_at_ends(panel, (None, 358, 731)) == {}


@pytest.mark.parametrize("line", LINES)
def test_plots_of_a_row_are_level_squares_are_square_and_nothing_is_blank_beside_them(line):
    drawn = sheet(line)
    wide, high = drawn.size
    boxes = [pen.ax.get_position().extents * (wide, high, wide, high) for pen in drawn.pens]
    for pen, (left, low, right, top) in zip(drawn.pens, boxes, strict=True):
        assert np.ptp([b[3] for b in boxes if abs(b[1] - low) < 30]) < 0.01
        assert not pen.view.square or right - left == pytest.approx(top - low, abs=0.5)
    assert wide - max(box[2] for box in boxes) <= 8.5
    assert fills(drawn) or line not in LINES[:7]


def test_a_narrow_page_stacks_its_views_and_stretches_none():
    drawn = sheet(width=358)
    assert drawn.size[0] == 358
    tops = [pen.ax.get_position().y1 for pen in drawn.pens]
    assert tops == sorted(tops, reverse=True)
    assert [round(pen.size[0]) for pen in drawn.pens] == [310, 310, 310]


def pixels(picture: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(int)


def test_what_a_teacher_adds_to_the_axes_is_there_live_and_in_files():
    drawn = sheet()
    before, ax = pixels(drawn.frame()), drawn.figure.axes[2]
    ax.plot([0, 63], [30, 30], color="k", lw=4)
    ax.annotate("look", (20, 10))
    drawn.draw_all_anew()
    live, (x, y) = pixels(drawn.frame()), ax.transData.transform((50, 30))
    assert (
        live[round(len(live) - y), round(x)].max()
        < 60
        < before[round(len(live) - y), round(x)].max()
    )
    # letters lie on other parts of a pixel
    assert (np.abs(live - pixels(drawn.picture("png", 150))).max(axis=2) > 64).mean() < 0.01
    assert b"look" in drawn.picture("svg")


def test_what_is_kept_says_which_encoding_it_shows_once_and_has_a_margin():
    names = {
        "sinusoidal: heatmap": ["Sinusoidal"],
        "sinusoidal+rope: heatmap": ["Rotary (RoPE)", "Sinusoidal"],
        "ladder": ["RoPE", "Sinusoidal"],
    }
    for line, wanted in names.items():
        drawn = find(line).draw(find(line).values())
        svg = drawn.kept("svg").decode()
        there = re.findall(r">(Sinusoidal|RoPE|Rotary \(RoPE\))(?:: [^<]*)?</text>", svg)
        assert sorted(there) == wanted, line
        picture = pixels(drawn.kept("png"))
        assert picture.shape[1] >= 1600
        assert (picture[:, :24, :3] == 255).all()
        assert (picture[:24, :, :3] == 255).all()


def test_a_long_heading_is_smaller_and_the_picture_stays_as_it_was():
    drawn = sheet()
    before, (wide, high) = drawn.frame(), drawn.size
    drawn.heading = "A heading $x$ of many words, " * 6
    svg = drawn.kept("svg").decode()
    size = [float(re.search(rf'role="img".* {side}="([\d.]+)"', svg)[1]) for side in SIDES]
    assert size == [wide + 2 * MARGIN, high + 2 * MARGIN + ROW]
    assert "A heading $x$ of many words, A" in svg
    picture = pixels(drawn.kept("png", 100))
    assert (picture[:, -MARGIN // 2 :, :3] == 255).all()
    assert same_pixels(drawn.frame(), before)


def test_a_drawing_is_an_image_with_a_title_and_words_whatever_these_are():
    drawn = sheet()
    for odd in ("a\0b", "\ud800", "</title><script>", "]]>", "你好 & 😀"):
        svg = drawn.kept("svg", title=odd, description=odd)
        root = ElementTree.fromstring(svg)
        assert root.get("role") == "img"
        title, told = list(root)[:2]
        assert (title.tag[-5:], told.tag[-4:]) == ("title", "desc")
        assert title.text == told.text == validate.printable(odd)
        drawn.heading = odd.replace("\ud800", "")
        ElementTree.fromstring(drawn.kept("svg"))
