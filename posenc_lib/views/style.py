"""The look of every picture: sizes, colors by role, color scales, numbers as words."""

import functools
import html
import io
import math
import numbers
import re
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import matplotlib.style
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Bbox
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from posenc_lib.encodings import validate
from posenc_lib.translation import own_font, said

CSS_DPI = 100  # one inch of figure is 100 px of page
# Points of type: titles, words, numbers on axes, and what long lines can shrink to
TITLE, WORDS, NUMBERS, LEAST = 10.5, 9.25, 8.75, 7.875
HEADING, ROW = 12, 24  # above a whole picture, and px for it
# Pixels of the page: left and right of a plot, above and below it, between cells; a plot's height,
# which is a square's side
LEFT, RIGHT, HEAD, FOOT, BETWEEN, PLOT = 40, 8, 56, 44, 32, 264

# Colors by role: the same thing looks the same in every view. style.KEY is the color of the theme
# in use.
ROLES = {
    "QUERY": ("C24A00", "FF9A3C", "C24A00"),  # the query's position, and nothing else
    "KEY": ("0072B2", "5BB8F0", "003F7D"),  # keys, and every curve of scores over them
    "PAIR": ("007A5A", "3FD0A4", "006B4F"),  # the chosen pair of dims, and its angle
    "OTHER": ("5A0F6E", "B266FF", "9257A8"),  # a second encoding, base or word
    "INK": (
        "1F2328",
        "F0F3F6",
        "000000",
    ),  # titles, and where to look: an extreme, an offset, a sum
    "SOFT": ("57606A", "B4BCC6", "333333"),  # numbers, units, explanation
    "RULE": ("8C959F", "79828E", "8C8C8C"),  # axes, zero
    "GHOST": ("AFB8C1", "5B6470", "B5B5B5"),  # what was there before, circles; never words
    "GRID": ("E3E7EB", "2B3138", "CCCCCC"),
    "TINT": ("DCEBF8", "173A57", "E2E2E2"),  # a region, what's possible
    "PAPER": ("FFFFFF", "111111", "FFFFFF"),
}
THEMES = ("light", "dark", "print")
WEDGE = {"light": 0.22, "dark": 0.45, "print": 0.22}  # how opaque an angle is
# Color scales run evenly in lightness; their middle is zero, a step off the paper, and the upper
# half is for numbers of one sign. In print, lightness has to do it alone.
DIVERGING = {
    "light": "721118 AF3632 D86B58 EE9F8A F7CEC1 F5F7F9 BDDDF7 81BDED 4D95D7 2768AE 153B73",
    "dark": "FBC8AC ED8F73 CC5E4B 9B3F34 62312B 24272A 284261 2D639A 3E89CB 67B3EF A6DCFF",
    "print": "000000 262626 4D4D4D 737373 999999 BFBFBF CCCCCC D9D9D9 E6E6E6 F2F2F2 FFFFFF",
}
POSITIONS = {  # from position 0 up
    "light": "2B235D 2A2F6B 273B78 204984 12568E 006497 00739A 00819B 008F99 049B96 36A792",
    "dark": "7565BB 7073C7 6A82D2 6491DB 5E9FE1 5AAEE5 55BDE6 58CCE4 64D9E1 77E6DC 8FF1D7",
    "print": "000000 101010 202020 303030 404040 505050 606060 707070 808080 909090 999999",
}
# for letters DejaVu lacks, if a machine has them
SCRIPTS = "Noto Sans CJK SC, Noto Sans SC, Microsoft YaHei, PingFang SC, WenQuanYi Zen Hei, "
SCRIPTS += "Noto Sans CJK JP, Hiragino Sans, Malgun Gothic, Droid Sans Fallback, Noto Sans Thai, "
SCRIPTS += "Noto Sans Devanagari, Nirmala UI, Arial Unicode MS"
FALLBACKS = [name for name in SCRIPTS.split(", ") if name in {f.name for f in fontManager.ttflist}]
HALFWAY = 24  # the position with about the middle color
# for new artists, whatever the caller uses; text stays text, and a picture gives the same bytes
SETTINGS = {
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": WORDS,
    "axes.titlesize": TITLE,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "lines.linewidth": 2,
    "lines.solid_capstyle": "round",
    "lines.solid_joinstyle": "round",
    "text.hinting": "default",  # older matplotlibs have a different default
    "svg.fonttype": "none",
    "svg.hashsalt": "posenc",
    "pdf.fonttype": 42,
}

SCALES = {False: (1.0,), True: (1.75, 1.5, 1.25, 1.0)}  # times as large as on a desk

_theme, _usual = ContextVar("theme", default=""), "light"
room: dict | None = None  # px of a projector's page, its width and height

# matplotlib's style and text caches belong to the whole process, and JupyterLab can call back on
# several threads while a cell runs: drawing, or moving what is drawn, takes this lock.
LOCK = threading.RLock()


def __getattr__(name: str) -> str:
    """Return the color of a role in the theme in use."""
    if name in ROLES:
        return _colors(_theme.get() or _usual)[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def _colors(theme: str) -> dict[str, str]:
    """Return the color of each role in a theme."""
    k = THEMES.index(theme)
    return {role: f"#{colors[k].lower()}" for role, colors in ROLES.items()}


def theme() -> str:
    """Return the name of the theme in use."""
    return _theme.get() or _usual


def usual(name: str, page: dict | None = None) -> None:
    """Use a theme wherever no context sets its own, and a projector's page, if any."""
    global _usual, room
    _usual, room = validate.choice("theme", name, THEMES), page


def enlarged(width: float, height: float) -> float:
    """Return how many times as large as on a desk a figure is: as its page has room."""
    wide, high = (room["width"], room["height"]) if room else (0, 0)
    return next((by for by in SCALES[True] if width * by <= wide and height * by <= high), 1)


@contextmanager
def themed(name: str):
    """Use a theme within this context."""
    before = _theme.set(name)
    try:
        yield
    finally:
        _theme.reset(before)


# Settings of windows and of the session, which aren't a style's
OF_WINDOWS = (
    "backend date.epoch docstring figure.max figure.raise interactive savefig.dir timezone tk. "
    "toolbar webagg"
)


@functools.cache
def _settings(name: str, font: Path | None) -> dict:
    """Return every setting a style can have, for a theme, whatever the caller uses."""
    paper, ink, soft = map(_colors(name).get, ("PAPER", "INK", "SOFT"))
    own = SETTINGS | dict.fromkeys(
        ("figure.facecolor", "savefig.facecolor", "axes.facecolor"), paper
    )
    own |= {"font.family": ["sans-serif", *_families(font)]}
    own |= {"text.color": ink, "axes.labelcolor": soft, "xtick.color": soft, "ytick.color": soft}
    with mpl.style.context(["default", own]):
        every, windows = dict.copy(mpl.rcParams), tuple(OF_WINDOWS.split())
    return {key: value for key, value in every.items() if not key.startswith(windows)}


@contextmanager
def styled():
    """Give new artists the theme's style within this context, whatever the caller's settings.

    The settings go in as they are: matplotlib's own context would check each one, at every frame.
    """
    with LOCK:
        before = dict(dict.items(mpl.rcParams))  # dict.copy would ask rcParams for each of them
        dict.update(mpl.rcParams, _settings(theme(), own_font()))
        try:
            yield
        finally:
            dict.update(mpl.rcParams, before)


def file(
    figure, suffix: str, dpi: float, title="", description="", heading="", margin: float = 0
) -> bytes:
    """Return a figure as a file's bytes; suffix is "png", "svg" or "pdf".

    The bytes have no date and no version. heading: words above it, smaller if they're long.
    margin: px of paper around it.
    """
    unsaid = {
        "png": ["Software"],
        "svg": ["Date", "Creator"],
        "pdf": ["CreationDate", "Creator", "Producer"],
    }
    buffer = io.BytesIO()
    with styled():
        about = {"Title": title, "Subject" if suffix == "pdf" else "Description": description}
        about = {key: validate.printable(text) for key, text in about.items() if text}
        told = [html.escape(text, quote=False) for text in about.values()]
        about = {} if suffix == "svg" else about  # it says them where screen readers look
        about |= dict.fromkeys(unsaid[suffix])
        wide, high = figure.get_size_inches()
        row = ROW / CSS_DPI if heading else 0
        ends = margin / CSS_DPI * np.array([[-1], [1]]) + [[0, 0], [wide, high + row]]
        long = text_width(heading, HEADING, "bold") / CSS_DPI / wide
        font = {"size": HEADING / max(long, 1), "weight": "bold", "va": "center"}
        above = figure.text(0, 1 + row / 2 / high, drawable(heading), parse_math=False, **font)
        try:
            room = Bbox(ends) if margin or row else None
            figure.savefig(buffer, format=suffix, dpi=dpi, metadata=about, bbox_inches=room)
        finally:
            above.remove()
    data, size = buffer.getvalue(), (CSS_DPI * (ends[1] - ends[0])).round(2)
    if suffix == "svg":
        return _for_pages(data, size, *told)
    return small(data) if suffix == "png" else data


def small(png: bytes) -> bytes:
    """Return a picture in 192 colors: less than half the bytes, and paper stays as it is."""
    data, said = io.BytesIO(), PngInfo()
    with Image.open(io.BytesIO(png)) as picture:
        if picture.mode == "P":  # it already has few
            return png
        for name, text in picture.text.items():
            said.add_itxt(name, text)
        whole = picture.convert("RGB")
        few = whole.quantize(192, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.putpalette(most_frequent(np.asarray(whole), np.asarray(few)).tobytes())
        few.save(
            data,
            "PNG",
            optimize=True,
            pnginfo=said,
            dpi=picture.info.get("dpi", (CSS_DPI, CSS_DPI)),
        )
    return data.getvalue()


def most_frequent(pixels: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the color most pixels have at each place of a palette, (256, 3)."""
    colors = pixels.astype(np.int64) @ [1 << 16, 1 << 8, 1]
    both, counts = np.unique(places.astype(np.int64) << 24 | colors, return_counts=True)
    both = both[np.argsort(counts)]  # the most frequent at a place comes last, and stays
    palette = np.zeros(256, np.int64)
    palette[both >> 24] = both & 0xFFFFFF
    return np.stack([palette >> 16, palette >> 8 & 255, palette & 255], axis=1).astype(np.uint8)


def _for_pages(svg: bytes, size, title="", description="") -> bytes:
    """Return a drawing with its size on a page, in px, its words, and places to 1/100 point."""
    head = 'role="img" width="{:g}" height="{:g}"'.format(*size).encode()
    svg = re.sub(rb'width="[\d.]+pt" height="[\d.]+pt"', head, svg, count=1)
    told = f"<title>{title}</title><desc>{description}</desc>".encode()
    svg = re.sub(rb"<svg [^>]*>", lambda found: found[0] + told, svg, count=1)
    return re.sub(
        rb'\b[dxy]="[^"]*"|translate\([^)]*\)',
        lambda found: re.sub(rb"(\.\d\d)\d+", rb"\1", found[0]),
        svg,
    )


def _ramp(name: str, stops: str, count: int):
    return LinearSegmentedColormap.from_list(name, [f"#{stop}" for stop in stops.split()], count)


@functools.cache
def _scales(theme: str) -> tuple:
    both, ends = _ramp("diverging", DIVERGING[theme], 511), (1, 0) if theme == "print" else (0.5, 1)
    one_sign = ListedColormap(both(np.linspace(*ends, 256)), "sequential")
    return both, one_sign, _ramp("positions", POSITIONS[theme], 256)


def diverging():
    """Return the color scale for numbers below and above zero."""
    return _scales(theme())[0]


def sequential():
    """Return the color scale for numbers of one sign: the upper half of the diverging one."""
    return _scales(theme())[1]


def position_colors(n: int) -> np.ndarray:
    """Return the colors of the positions 0 … n − 1, the same in all pictures; shape (n, 4)."""
    positions = np.arange(n)
    return _scales(theme())[2](np.minimum(positions / (0.85 * (positions + HALFWAY)), 1))


def readable_on(color) -> str:
    """Return black or white, whichever stands out more from a color."""
    rgb = np.array(mpl.colors.to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    cones = (
        np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])
        @ linear
    )
    # its lightness in OKLab
    return "black" if np.cbrt(cones) @ [0.2105, 0.7936, -0.0041] > 0.62 else "white"


def nice_bound(value: float, steps=(1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)) -> float:
    """Return the next round number at or above value, so that axes rarely move and read well."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in steps if value <= step * power * (1 + 1e-9))


def tight_bound(value: float) -> float:
    """Return value rounded up to two digits, so that a color scale has no unused room."""
    return nice_bound(value, [step / 10 for step in range(10, 101)])


def color_limits(grid: np.ndarray) -> tuple[float, float]:
    """Return (lowest color, highest color) for these numbers.

    The lowest moves in quarters, so it rarely jumps. If all numbers are large, a quarter of the
    colors is left for what differs.
    """
    low, high = np.nanmin(grid), np.nanmax(grid)
    bound = tight_bound(max(-low, high))
    return (-bound if low < 0 else min(np.floor(4 * low / bound), 3) / 4 * bound), bound


def lowest(values: np.ndarray) -> int:
    """Return the first index of the lowest value; rounding noise doesn't break ties."""
    return int(np.argmax(values <= values.min() + 1e-9 * np.abs(values[np.isfinite(values)]).max()))


@functools.cache
def _families(font: Path | None) -> list[str]:
    """Return the fonts for letters DejaVu lacks: a language's own first, if it has one."""
    if font is None:
        return FALLBACKS
    fontManager.addfont(font)
    own = fontManager.ttflist[-1]
    fontManager.ttflist.append(replace(own, weight=700))  # there's no bold one
    return [own.name, *FALLBACKS]


@functools.cache
def _letters(font: Path | None) -> frozenset[int]:
    """Return the codes of all letters this machine's fonts can draw."""
    families = ["DejaVu Sans", *_families(font)]
    fonts = [FontProperties(family=family, weight="bold") for family in families]
    return frozenset({10}.union(*(get_font(findfont(font)).get_charmap() for font in fonts)))


def drawable(words: str) -> str:
    """Return words with a stand-in, like U+4F60, for each letter no font here has."""
    if words.isascii() and words.isprintable():
        return words
    known = _letters(own_font())
    missing = "".join({letter for letter in words if ord(letter) not in known})
    runs = f"[{re.escape(missing)}]+"
    return re.sub(runs, _codes, words).strip() if missing else words


def _codes(run: re.Match) -> str:
    return f" U+{' '.join(f'{ord(letter):04X}' for letter in run[0])} "


def text_width(words: str, size: float, weight: str = "normal") -> float:
    """Return how wide words are, in pixels of the page, in the chosen language."""
    return _width(drawable(said(words)), size, weight)


@functools.cache
def _width(words: str, size: float, weight: str) -> float:
    families = ["DejaVu Sans", *_families(own_font())]
    font = FontProperties(size=size, weight=weight, family=families)
    return 1.03 * text_to_path.get_text_width_height_descent(words, font, False)[0] / 72 * CSS_DPI


def written(value) -> str:
    """Return an exact value for people, a setting or a tick: 10,000, 0.25, 1e8, interleaved."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return str(value)
    return f"{value:,.10g}".replace("-", "−") if abs(value) < 1e8 else number(value)


def signed(offset: int) -> str:
    """Return an offset with its sign: −3, 0, +12."""
    return f"{offset:+d}".replace("-", "−") if offset else "0"


def plural(count: int, what: str) -> str:
    """Return a count with its noun: 1 word, 2 words."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def times_round(turns: float) -> str:
    """Return how often something went around: 0.95 times, once, 2.4 times."""
    if turns < 1 - 1e-9:  # almost once isn't once
        return f"{min(turns, 0.99):.2f} times".replace("-", "−")
    return "once" if f"{turns:.1f}" == "1.0" else f"{turns:.1f} times"


def number(value: float, digits: int = 3) -> str:
    """Return value to some digits (more before the point) for a sentence; rounding noise is 0."""
    if abs(value) < 1e-12:
        return "0"
    text = f"{value:,.0f}" if 999.5 <= abs(value) < 1e7 else f"{value:.{digits}g}"
    # next to a color scale, there's little room: 8.5e-5, not 8.5e-05
    text = re.sub(r"e([+-])0*", lambda found: "e" + found[1].strip("+"), text)
    return text.replace("-", "−")  # a true minus sign
