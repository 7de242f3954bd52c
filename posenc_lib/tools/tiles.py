"""The gallery's tiles: a card for each figure, with its most telling plots and one line."""

import io
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Polygon
from matplotlib.text import Text
from PIL import Image

from posenc_lib.figures.registry import Scene
from posenc_lib.views import style
from posenc_lib.views.sheet import Sheet
from posenc_lib.views.style import CSS_DPI, FOOT, RIGHT, WORDS

SHARP, COLORS = 2, 28  # dots per page px; colors in a tile
WIDE, HIGH = 272, 254  # px of a tile; three fit in a row on GitHub
GAP, ROUND = 4, 8  # px of page around a card, and the radius of its corners
PAD, GUTTER = 12, 8  # px of paper around the content, and between two plots
ROOM = WIDE - 2 * (GAP + PAD), 182  # px for plots
NAME = 18  # px for a plot's name, if there are several
DISC = 14  # px, the radius of a film's play mark
EDGE = 3  # px around a plot that its marks can reach into
UNITS = 26  # px above a plot for its unit line
ZOOMS = 0.94, 0.7, 0.56  # defaults: for a plot with numbers, for one without, for several


@dataclass(frozen=True)
class Tell:
    """What a tile shows of a figure.

    Attributes:
        line: what to see there.
        plots: names of the plots it shows, by index, from 0.
        zoom: the size of their words, as a fraction of that in the figure.
        around: what's around a plot: "unit", "numbers", both or nothing; a single plot of curves
            has both by default.
    """

    line: str
    plots: dict[int, str] = field(default_factory=lambda: {0: ""})
    zoom: float = 0
    around: str = ""


BUG = {0: "wrong", 1: "right"}
TELLS = {
    "position_added": Tell("Positions show through words", {0: "words", 1: "positions", 2: "sum"}),
    "drowning": Tell("Integers drown the word"),
    "binary_trajectory": Tell("Binary jumps around a cube", {1: ""}),
    "bits_and_sines": Tell("Bits jump, sines fade", {0: "bits", 1: "sines"}),
    "binary_odometer": Tell("Each digit at its own pace"),
    "sine_trajectory": Tell("A path that crosses itself", {1: ""}),
    "sine_collision": Tell("More dims, farther apart", {0: "2 dims", 1: "4 dims"}),
    "sine_waves": Tell("Each wave slower than the last"),
    "clock_hands": Tell("Clock hands that draw waves"),
    "two_futures": Tell("One height, two futures"),
    "sinusoidal_spring": Tell("A ring, lifted into a spring"),
    "sinusoidal_dot_product": Tell("One peak, at the query itself", {1: ""}),
    "toeplitz": Tell("Every diagonal has one color"),
    "shift_rotation": Tell("One step, one angle, anywhere"),
    "neighbor_steps": Tell("Sines in pairs, even steps", {0: "binary", 1: "sines", 2: "in pairs"}),
    "sinusoidal_trajectory": Tell("Around a circle, evenly", {1: ""}),
    "sinusoidal_heatmap": Tell("The original table, from 2017"),
    "base_sweep": Tell("What the base does", {0: "", 1: ""}),
    "dot_product_stem": Tell("The dot product as a fern", zoom=0.6),
    "rope_block_matrix": Tell("RoPE: many small rotations"),
    "rope_trajectory": Tell("One vector, rotated in steps", {1: ""}),
    "rope_offset_only": Tell("Only the offset matters", {0: "RoPE", 2: "added"}),
    "rope_rotation": Tell("Both rotate, the angle stays", zoom=0.55),
    "ladder": Tell(
        "The ladder, in six paths",
        dict(enumerate("integers normalized binary sines sinusoidal RoPE".split())),
    ),
    "shaw_clip": Tell("Shaw: far offsets share a row", zoom=0.8),
    "t5_buckets": Tell("T5: bigger and bigger buckets", zoom=0.8),
    "alibi_heads": Tell("ALiBi: a ruler for each head"),
    "pairing_permutation": Tell("From one pairing to the other"),
    "two_heads": Tell(
        "One head gains, the other pays",
        {0: "looks back", 1: "ignores distance"},
        0.6,
        "unit numbers",
    ),
    "angles_seen": Tell("Angles not seen in training", {0: "untouched", 1: "NTK-aware"}, 0.45),
    "dilution": Tell("Long texts thin out attention"),
    "rope_types": Tell(
        "Six ways to scale RoPE",
        dict(enumerate("unscaled linear NTK dynamic YaRN llama3".split())),
        0.45,
    ),
    "phi3_factors": Tell("Phi-3: divisors by search"),
    "cliff_4097": Tell("A cliff, one token past 4,096"),
    "raster_wrap": Tell("Row by row, edges wrap", {0: "row by row", 1: "by row and column"}),
    "cross_kernel": Tell("A cross, not a disc"),
    "axial_or_mixed": Tell("One head sees a diagonal", {0: "axial pairs", 1: "mixed pairs"}),
    "directions": Tell("Tilt the pairs: a diagonal", {0: "pairs", 1: "best head"}),
    "trained_by_length": Tell(
        "Trained on 32, tested on 256", {0: "sinusoidal", 1: "RoPE", 2: "ALiBi", 3: "KERPLE"}
    ),
    "exact_and_trained": Tell(
        "Trained models and theory",
        {0: "RoPE, best head", 1: "trained", 2: "KERPLE, best head", 3: "trained"},
    ),
    "two_ropes": Tell("Both are plain RoPE", {0: "one", 1: "the other"}),
    "family": Tell("Two steps make one", zoom=0.74),
    "census": Tell("What people really ship", zoom=0.74),
    "cope_leak": Tell("Leaky gates miscount"),
    "mrope_chunks": Tell("Which axis rotates which pair", {0: "Qwen2-VL", 1: "Qwen3-VL"}),
    "fourier_scale": Tell(
        "Waves too fast just memorize", {0: "too slow", 1: "right", 2: "too fast"}
    ),
    "real_heads": Tell("A real head looks one back"),
    "real_head_arcs": Tell(
        "A real head loses its word", {0: "as trained", 1: "divided", 2: "mispaired"}
    ),
    "clinic_1": Tell("Bug 1: mixed pairing", BUG),
    "clinic_2": Tell("Bug 2: the wrong axis", BUG),
    "clinic_3": Tell("Bug 3: every new query at 0", BUG),
    "clinic_4": Tell("Bug 4: positions in bfloat16", BUG),
    "clinic_5": Tell("Bug 5: two tables in one cache", BUG),
    "clinic_6": Tell("Bug 6: ALiBi, the wrong sign", BUG),
    "clinic_7": Tell("Bug 7: a transposed grid", BUG),
    "clinic_8": Tell("Bug 8: exponents doubled", BUG),
    "clinic_9": Tell("Bug 9: a bias left undivided", BUG),
}


def telling(one: Scene) -> Tell:
    """Return what a tile shows of a figure; by default its first plot and its id."""
    return TELLS.get(one.id, Tell(one.id.replace("_", " ").capitalize()))


def tile(one: Scene, theme: str = "light") -> bytes:
    """Return a figure's card as a WebP on a clear background."""
    with style.themed(theme), style.styled():
        figure = Figure((WIDE / CSS_DPI, HIGH / CSS_DPI), dpi=SHARP * CSS_DPI)
        canvas, tell = FigureCanvasAgg(figure), telling(one)
        figure.patch.set_alpha(0)
        _paper(figure)
        _plots(figure, one, tell)
        write = partial(figure.text, va="center", transform=None)
        x = SHARP * (GAP + PAD)
        write(x, SHARP * (GAP + PAD + 23), tell.line, fontsize=WORDS, fontweight="bold")
        where = f"film · {lesson(one)}" if one.moving else lesson(one)
        write(x, SHARP * (GAP + PAD + 4), where, fontsize=8, color=style.SOFT)
        if one.moving:
            _triangle(figure)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())
    data = io.BytesIO()
    _few(pixels).save(data, "WEBP", lossless=True, quality=100, method=6)
    return data.getvalue()


def lesson(one: Scene) -> str:
    """Return the name of a figure's lesson."""
    return f"lesson {one.lesson[:2]}" if one.lesson[:2].isdigit() else f"the {one.lesson}"


def _paper(figure: Figure) -> None:
    """Draw a card with round corners."""
    size = WIDE - 2 * GAP, HIGH - 2 * GAP
    corners = f"round,pad=0,rounding_size={SHARP * ROUND}"
    place = [SHARP * GAP] * 2, *(SHARP * side for side in size)
    look = {"facecolor": style.PAPER, "edgecolor": style.GRID, "linewidth": 0.72}
    figure.add_artist(FancyBboxPatch(*place, boxstyle=corners, transform=None, **look))


def _triangle(figure: Figure) -> None:
    """Mark a film with a play button."""
    middle = SHARP * (WIDE - GAP - PAD - DISC), SHARP * (GAP + PAD + DISC)
    figure.add_artist(Circle(middle, SHARP * DISC, color=style.KEY, transform=None))
    corners = np.array([(-0.35, 0.5), (-0.35, -0.5), (0.55, 0)]) * SHARP * DISC + middle
    figure.add_artist(Polygon(corners, color=style.PAPER, transform=None))


def _plots(figure: Figure, one: Scene, tell: Tell) -> None:
    """Draw a tile's plots side by side, each under its name if there are several."""
    across = {1: 1, 2: 2, 4: 2}.get(len(tell.plots), 3)
    down = -(-len(tell.plots) // across)
    wide = (ROOM[0] - (across - 1) * GUTTER) / across
    high = (ROOM[1] - (down - 1) * GUTTER) / down
    look = {"fontsize": 8, "color": style.SOFT, "ha": "center", "va": "center", "transform": None}
    for k, (plot, name) in enumerate(tell.plots.items()):
        row, column = divmod(k, across)
        left = GAP + PAD + column * (wide + GUTTER)
        top = HIGH - GAP - PAD - row * (high + GUTTER)
        head = NAME if name else 0
        cut = _cut(one, tell, plot, wide, high - head)
        up, along = cut.shape[0] / SHARP, cut.shape[1] / SHARP
        x, y = left + (wide - along) / 2, top - head - (high - head + up) / 2
        place = round(SHARP * x), round(SHARP * y)
        figure.figimage(cut[::-1], *place, origin="lower", zorder=2)
        figure.text(SHARP * (left + wide / 2), SHARP * (y + up + NAME / 2), name, **look)


def _cut(one: Scene, tell: Tell, plot: int, wide: float, high: float) -> np.ndarray:
    """Return one plot as pixels, redrawn to fill this many px."""
    panels = [spec for spec, _ in one.panels(one.values())]
    view = [view for spec in panels for view in len(spec.encodings) * spec.views][plot]
    alone = len(tell.plots) == 1
    curves = alone and view.kind == "curves"
    around = tell.around or ("unit numbers" if curves else "nothing")
    zoom = tell.zoom or ZOOMS[0 if curves else 1 if alone else 2]
    wide, high = wide / zoom, high / zoom
    sheet = one.draw(one.values(), wide + 2 * EDGE, zoom * SHARP * CSS_DPI)
    pen = sheet.pens[plot]
    left, right, top, bottom = [EDGE] * 4
    if "unit" in around:
        top = UNITS
    if "numbers" in around:
        left, right, bottom = view.left + EDGE, RIGHT, FOOT
    size = np.array([wide - left - right, high - top - bottom])
    if view.square:
        size[:] = min(size)
    pen.ax.set_position([*(left, bottom) / np.array(sheet.size), *size / sheet.size])
    pen.settle()
    sheet.update(sheet.encodings, sheet.values)
    sheet.pens = [pen]  # the others stay out of it
    return crop(sheet, 0, *(zoom * SHARP * np.array([left, top, right, bottom])))


def _few(pixels: np.ndarray) -> Image.Image:
    """Return a picture in a few colors, except its rim, which is clear outside."""
    whole, rim = Image.fromarray(pixels), SHARP * (GAP + ROUND)
    inside = whole.convert("RGB").crop((rim, rim, whole.width - rim, whole.height - rim))
    few = inside.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.putpalette(style.most_frequent(np.asarray(inside), np.asarray(few)).tobytes())
    whole.paste(few.convert("RGB"), (rim, rim))
    return whole


def crop(sheet: Sheet, plot: int, left=0.0, top=0.0, right=0.0, bottom=0.0) -> np.ndarray:
    """Return one plot of a sheet as pixels without alpha, plus some dots around it.

    Words its edge would cut are left out.
    """
    pen, renderer = sheet.pens[plot], sheet.figure.canvas.get_renderer()
    (x, y), (x_end, y_end) = pen.ax.bbox.get_points()
    low, high = np.array([(x - left, y - bottom), (x_end + right, y_end + top)])

    def whole(mark) -> bool:
        if not isinstance(mark, Text):
            return True
        words = mark.get_window_extent(renderer).get_points()
        return bool((low < words[0]).all() and (words[1] < high).all())

    pen.marks.drawn[:] = filter(whole, pen.marks.drawn)
    (left, bottom), (right, top) = np.maximum(np.round([low, high]), 0).astype(int)
    return np.ascontiguousarray(sheet.pixels()[::-1][bottom:top, left:right, :3][::-1])
