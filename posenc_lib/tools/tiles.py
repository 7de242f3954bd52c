"""The gallery's tiles: of each figure the plot that tells it, small, and one line to go with it."""

import io

import numpy as np
from matplotlib.text import Text
from PIL import Image, ImageOps

from posenc_lib.figures.registry import Scene
from posenc_lib.views import style
from posenc_lib.views.sheet import Sheet

WIDE, HIGH = 270, 190  # px of a tile on a page
DRAWN = 320  # px of the figure that it's cut from, with its views one below the other
SHARP, COLORS = 1.4, 64  # dots for each px; a tile is small, also in bytes
EDGE = 3  # px around a plot that its marks may reach into

# Of each figure its plot that tells most, counted from 0, and what to see there
TELLS = {
    "position_added": (2, "Positions shine through the words"),
    "drowning": (0, "Added integers drown the word"),
    "binary_trajectory": (1, "Binary jumps about in a cube"),
    "binary_odometer": (0, "Digits flip at their own pace"),
    "sine_trajectory": (1, "Two sines, and the path meets itself"),
    "sine_collision": (1, "A longer text, and two positions meet"),
    "sine_waves": (0, "Each wave is slower than the last"),
    "clock_hands": (0, "Clock hands that draw waves"),
    "sinusoidal_spring": (0, "A ring, lifted into a spring"),
    "sinusoidal_dot_product": (1, "One sharp peak: a position itself"),
    "toeplitz": (0, "Every diagonal has one color"),
    "shift_rotation": (0, "A step is one angle, anywhere"),
    "neighbour_steps": (2, "Sinusoidal steps are all alike"),
    "sinusoidal_trajectory": (1, "Round a circle in even steps"),
    "sinusoidal_heatmap": (0, "The table of 2017"),
    "base_sweep": (0, "What the base does, moving"),
    "dot_product_stem": (0, "The dot product as a fern"),
    "rope_block_matrix": (0, "RoPE as a matrix: small rotations"),
    "rope_trajectory": (1, "One vector, rotated step by step"),
    "rope_offset_only": (0, "With RoPE only the offset counts"),
    "rope_rotation": (0, "Both rotate; their angle stays"),
    "ladder": (4, "The whole ladder, as six paths"),
    "shaw_clip": (0, "Shaw: far offsets share a row"),
    "t5_buckets": (0, "T5: ever larger buckets"),
    "alibi_heads": (0, "ALiBi: a ruler for each head"),
    "pairing_permutation": (0, "From one pairing to the other"),
    "two_heads": (0, "What one head saves, one pays"),
    "angles_seen": (0, "Angles never met in training"),
    "dilution": (0, "Attention thins out in long texts"),
    "rope_types": (4, "Six ways to scale RoPE"),
    "phi3_factors": (0, "Phi-3: divisors found by search"),
    "cliff_4097": (0, "A cliff, one token past 4096"),
    "raster_wrap": (0, "Row by row, edges wrap around"),
    "cross_kernel": (0, "A cross, not a disc"),
    "axial_or_mixed": (1, "One head sees a diagonal"),
    "directions": (1, "Rotate the pairs: a diagonal appears"),
    "best_heads": (1, "Fitted on 32, read on longer texts"),
    "trained_by_length": (3, "Trained on 32, tested on longer"),
    "exact_and_trained": (1, "Ten trained models, next to theory"),
    "census": (0, "What people really ship"),
    "cope_leak": (0, "Gates that leak miscount"),
    "mrope_chunks": (0, "Which axis rotates which pair"),
    "fourier_scale": (2, "Waves too fast learn by heart"),
    "real_heads": (0, "A real head looks one token back"),
    "real_head_arcs": (0, "Where a real head looks"),
    "clinic_1": (0, "Bug 1: mixed pairing"),
    "clinic_2": (0, "Bug 2: the wrong axis"),
    "clinic_3": (0, "Bug 3: every new query at 0"),
    "clinic_4": (0, "Bug 4: positions in bfloat16"),
    "clinic_5": (0, "Bug 5: two tables in one cache"),
    "clinic_6": (0, "Bug 6: ALiBi with the wrong sign"),
    "clinic_7": (0, "Bug 7: a transposed grid"),
    "clinic_8": (0, "Bug 8: exponents counted twice"),
    "clinic_9": (0, "Bug 9: divided in another order"),
}


def telling(one: Scene) -> tuple[int, str]:
    """Return which plot of a figure tells it, and a line; by itself the first, and its id."""
    return TELLS.get(one.id, (0, one.id.replace("_", " ").capitalize()))


def tile(one: Scene) -> bytes:
    """Return the plot that tells a figure, without words that its edge would cut, as a PNG."""
    plot, _ = telling(one)
    panels = [spec for spec, _ in one.panels(one.values())]
    view = [view for spec in panels for view in len(spec.encodings) * spec.views][plot]
    width = DRAWN if view.narrow < 1.5 else None  # what stands upright on a phone lies here
    sheet = one.draw(one.values(), width, SHARP * style.CSS_DPI)
    cut = Image.fromarray(crop(sheet, plot, EDGE * SHARP))
    cut = ImageOps.pad(cut, (round(WIDE * SHARP), round(HIGH * SHARP)), color=style.PAPER)
    data = io.BytesIO()
    few = cut.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(data, "PNG", optimize=True)
    return data.getvalue()


def crop(sheet: Sheet, plot: int, edge: float = 0) -> np.ndarray:
    """Return one plot of a sheet as pixels, and some dots around it, in colors without alpha.

    Words that its edge would cut are left out.
    """
    pen, renderer = sheet.pens[plot], sheet.figure.canvas.get_renderer()
    box = pen.ax.bbox.padded(edge)

    def whole(mark) -> bool:
        if not isinstance(mark, Text):
            return True
        words = mark.get_window_extent(renderer)
        inside = box.x0 < words.x0 and words.x1 < box.x1
        return inside and box.y0 < words.y0 and words.y1 < box.y1

    pen.marks.drawn[:] = filter(whole, pen.marks.drawn)
    left, bottom, right, top = (max(round(end), 0) for end in box.extents)
    return np.ascontiguousarray(sheet.pixels()[::-1][bottom:top, left:right, :3][::-1])
