"""Cards: links with one plot of a scene, without the words its edge would cut."""

import html
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from posenc_lib.figures.film import on_papers, webp
from posenc_lib.figures.registry import FIGURES, Scene
from posenc_lib.figures.shown import thumbnail
from posenc_lib.tools.tiles import crop
from posenc_lib.views import style
from posenc_lib.views.sheet import Sheet
from posenc_lib.views.style import CSS_DPI

# for each page, a figure and the index of its plot
PLOTS = {
    "00_start_here": ("sinusoidal_spring", 0),
    "01_why_position": ("position_added", 2),
    "02_integers": ("drowning", 0),
    "03_binary": ("binary_trajectory", 1),
    "04_sine": ("clock_hands", 0),
    "05_sinusoidal": ("sinusoidal_heatmap", 0),
    "06_rope": ("rope_rotation", 0),
    "07_relative": ("shaw_clip", 0),
    "08_alibi": ("alibi_heads", 0),
    "09_rope_in_practice": ("pairing_permutation", 0),
    "10_beyond": ("angles_seen", 0),
    "11_config": ("rope_types", 4),
    "12_plane": ("cross_kernel", 0),
    "13_which": ("exact_and_trained", 1),
    "14_make_your_own": ("family", 0),
    "15_positions_not_words": ("fourier_scale", 2),
    "16_real_model": ("real_heads", 0),
    "clinic": ("clinic_4", 0),
}
USUAL = ("base_sweep", 1)
WIDE, SHARP = 380, 2  # page px that plots are drawn for, and dots per px: a card is smaller


def lesson(to: str, *about: str) -> str:
    """Return a page's card: its plot, a title, a question, and how long it takes."""
    name, plot = PLOTS.get(Path(to).stem.split(".")[0], USUAL)
    one = FIGURES[name]
    return card(to, lambda: cropped(one.draw(one.values(), WIDE, SHARP * CSS_DPI), plot), *about)


def scene(to: str, one: Scene) -> str:
    """Return the card of a playground scene: its thumbnail and its name."""
    views = one.opened()[0].views
    kind = views[one.tells % len(views)].kind

    def drawn() -> tuple[str, str]:
        small = Image.open(io.BytesIO(thumbnail(one.button, style.theme())))
        return webp(np.asarray(small.convert("RGB"))), kind

    return card(to, drawn, one.button)


def card(to: str, plot: Callable, title: str, *more: str) -> str:
    """Return a link with a plot, drawn light and dark, a title, and more."""
    (light, kind), (dark, _) = on_papers(plot)
    source = f'<source media="(prefers-color-scheme: dark)" srcset="{dark}">'
    picture = f'<picture>{source}<img class="{kind}" src="{light}" alt=""></picture>'
    words = "".join(f"<span>{html.escape(text)}</span>" for text in more)
    return f'<a href="{to}">{picture}<b>{html.escape(title)}</b>{words}</a>'.replace("`", "")


def cropped(sheet: Sheet, plot: int) -> tuple[str, str]:
    """Return one plot of a sheet as a data address, and its kind."""
    return webp(crop(sheet, plot)), sheet.pens[plot].view.kind
