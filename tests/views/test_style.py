"""The three themes: colors by role, readable words, nothing the color-blind can't tell apart."""

import matplotlib as mpl
import numpy as np
import pytest

from posenc_lib import explore
from posenc_lib.views import style

# Machado, Oliveira and Fernandes 2009, table 1: severity 1.0, on linear RGB
DICHROMATS = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
LMS = np.array(
    [
        [0.41222147, 0.53633254, 0.05144599],
        [0.2119035, 0.6806995, 0.1073970],
        [0.0883025, 0.2817189, 0.6299787],
    ]
)
OKLAB = np.array(
    [
        [0.21045426, 0.79361779, -0.00407205],
        [1.97799850, -2.42859220, 0.45059371],
        [0.02590404, 0.78277177, -0.80867577],
    ]
)


def linear(color):
    rgb = np.array(mpl.colors.to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one, other) -> float:
    """Return the contrast ratio of two colors. Source: WCAG 2.2, relative luminance."""
    low, high = sorted(linear(color) @ [0.2126, 0.7152, 0.0722] for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def seen(color, kind: str | None = None) -> np.ndarray:
    """Return a color as somebody sees it, in OKLab × 100. Source: Ottosson 2020."""
    rgb = (
        linear(color) if kind is None else np.clip(np.array(DICHROMATS[kind]) @ linear(color), 0, 1)
    )
    return 100 * OKLAB @ np.cbrt(LMS @ rgb)


def apart(one, other, kind: str | None = None) -> float:
    return float(np.linalg.norm(seen(one, kind) - seen(other, kind)))


@pytest.fixture(params=style.THEMES)
def theme(request):
    with style.themed(request.param):
        yield request.param


def test_words_and_dots_stand_out_from_the_page(theme):
    with style.styled():
        texts = {
            key: mpl.rcParams[key]
            for key in ("text.color", "axes.labelcolor", "xtick.color", "ytick.color")
        }
        assert {
            mpl.rcParams[f"{part}.facecolor"].lower() for part in ("figure", "savefig", "axes")
        } == {style.PAPER}
    written = texts | {
        role: getattr(style, role) for role in ("KEY", "QUERY", "OTHER", "PAIR", "INK", "SOFT")
    }
    assert {name for name, color in written.items() if contrast(color, style.PAPER) < 4.5} == set()
    assert contrast(style.INK, style.TINT) >= 4.5
    assert contrast(style.RULE, style.PAPER) >= 2.8
    least = {"light": 3.5, "dark": 3.8, "print": 2.7}[theme]
    assert min(contrast(dot, style.PAPER) for dot in style.position_colors(64)) >= least


def test_the_query_is_told_from_keys_and_low_from_high_by_every_eye(theme):
    for kind in DICHROMATS:
        assert apart(style.QUERY, style.KEY, kind) >= 21
        low, high = style.diverging()([0.1, 0.9])
        assert apart(low[:3], high[:3], kind) >= 17


def test_what_lessons_call_violet_is_violet_and_no_eye_takes_it_for_keys(theme):
    _, red, yellow = seen(style.OTHER)
    assert min(red, -yellow) > 8
    assert min(apart(style.OTHER, style.KEY, kind) for kind in DICHROMATS) >= 11


@pytest.mark.parametrize(
    ("function", "given", "made"),
    [
        (
            style.number,
            (0, -1e-16, -1.5, 1234.5, -99_999.9, 1e8, 0.12345),
            "0 0 −1.5 1,234 −100,000 1e8 0.123".split(),
        ),
        (style.nice_bound, (0, 1, 1.01, 32, 0.062, 99, 128), [1, 1, 1.2, 40, 0.08, 100, 150]),
        (style.tight_bound, (0, 1, 32, 0.0621, 121), [1, 1, 32, 0.063, 130]),
    ],
)
def test_numbers_are_short_and_bounds_round(function, given, made):
    ours = [*map(function, given)]
    assert ours == (made if isinstance(made[0], str) else pytest.approx(made))


FOREIGN = mpl.style.library["ggplot"] | {  # whatever a reader may have set
    **{
        "text.usetex": True,
        "path.sketch": (1, 100, 2),
        "text.color": "white",
        "figure.facecolor": "black",
    },
    **{"xtick.direction": "in", "xtick.minor.visible": True, "ytick.right": True},
}


@pytest.mark.parametrize("views", [["trajectory", "heatmap", "dot_product"], ["clock", "waves"]])
def test_the_readers_own_settings_change_no_picture_and_stay(views, tmp_path):
    def pictures():
        explorer = explore("sinusoidal", views=views)
        shown = [explorer._picture.value]
        explorer.set(seq_len=40, base=100.0)  # other limits, ticks and labels
        explorer.save(tmp_path / "panel.svg")
        explorer.close()
        return [*shown, explorer._picture.value, (tmp_path / "panel.svg").read_bytes()]

    plain = pictures()
    with mpl.rc_context(FOREIGN):
        assert pictures() == plain
        assert all(mpl.rcParams[name] == value for name, value in FOREIGN.items())
