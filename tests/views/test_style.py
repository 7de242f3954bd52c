"""The three themes: colours by role, words that can be read, nothing that only a full set of cones can tell apart."""

import itertools

import matplotlib as mpl
import numpy as np
import pytest

from posenc_lib import explore
from posenc_lib.views import style

# Machado, Oliveira and Fernandes 2009, table 1: deuteranomaly of severity 1.0, on linear RGB
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])  # IEC 61966-2-1


def linear(color):
    rgb = np.array(mpl.colors.to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one, other) -> float:
    """Return the contrast ratio of two colours. Source: WCAG 2.2, relative luminance."""
    low, high = sorted(linear(color) @ XYZ[1] for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    """Return L*, a*, b* of a linear colour. Source: CIE 15, with its white of D65."""
    part = XYZ @ np.clip(rgb, 0, 1) / XYZ.sum(axis=1)
    x, y, z = np.where(part > (6 / 29) ** 3, np.cbrt(part), part / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def seen(color):
    """Return a colour as a deuteranope sees it, in L*, a*, b*."""
    return lab(DEUTERANOPIA @ linear(color))


@pytest.fixture(params=style.THEMES)
def theme(request):
    with style.themed(request.param):
        yield request.param


def test_words_and_dots_stand_out_from_the_page(theme):
    with style.styled():
        texts = {key: mpl.rcParams[key] for key in ("text.color", "axes.labelcolor", "xtick.color", "ytick.color")}
        assert {mpl.rcParams[f"{part}.facecolor"].lower() for part in ("figure", "savefig", "axes")} == {style.PAPER}
    written = texts | {role: getattr(style, role) for role in ("CURVE", "QUERY", "OTHER", "THIRD", "INK", "SOFT")}
    assert {name for name, color in written.items() if contrast(color, style.PAPER) < 4.5} == set()
    assert contrast(style.INK, style.TINT) >= 4.5
    assert contrast(style.LINE, style.PAPER) >= 2.5
    assert min(contrast(dot, style.PAPER) for dot in style.position_colors(9)) > 1.15  # there are lines between them


def test_a_deuteranope_tells_roles_apart_and_low_from_high(theme):
    roles = itertools.combinations(("CURVE", "QUERY", "OTHER", "THIRD", "LINE"), 2)
    near = {two for two in roles if np.linalg.norm(np.subtract(*(seen(getattr(style, one)) for one in two))) < 20}
    assert near == set()
    for name in (style.SEQUENTIAL, style.diverging()):
        ends_and_middle = itertools.combinations(map(seen, mpl.colormaps[name]([0.0, 0.5, 1.0])), 2)
        assert min(np.linalg.norm(one - other) for one, other in ends_and_middle) > 35, name


def test_on_paper_lightness_alone_tells_numbers_apart():
    with style.themed("print"):
        for name in (style.SEQUENTIAL, style.diverging()):
            lightness = [lab(linear(color))[0] for color in mpl.colormaps[name](np.linspace(0, 1, 33))]
            assert np.diff(lightness).min() > 0


def test_a_theme_ends_where_its_context_ends_and_has_no_other_roles():
    with style.themed("dark"), style.themed("print"):
        assert style.theme() == "print"
    assert style.theme() == "light"
    with pytest.raises(AttributeError, match="no attribute 'BLUE'"):
        style.BLUE  # noqa: B018


NUMBERS = {0: "0", -1e-16: "0", -1.5: "−1.5", 1234.5: "1,234", -99_999.9: "−100,000", 1e8: "1e8", 0.12345: "0.123"}


def test_numbers_are_short_and_bounds_round():
    assert [style.number(value) for value in NUMBERS] == list(NUMBERS.values())
    nice = [style.nice_bound(value) for value in (0, 1, 1.01, 32, 0.062, 99, 128)]
    np.testing.assert_allclose(nice, [1, 1, 1.2, 40, 0.08, 100, 150])
    np.testing.assert_allclose([style.tight_bound(value) for value in (0, 1, 32, 0.0621, 121)], [1, 1, 32, 0.063, 130])


def test_of_equal_values_the_first_is_the_lowest():
    assert style.lowest(np.array([3.0, 1 + 1e-15, 1, 2])) == 1
    assert style.lowest(np.array([[5.0, -5], [-5, 5]])) == 1
    assert style.lowest(np.zeros(3)) == 0


FOREIGN = mpl.style.library["ggplot"] | {  # whatever a reader may have set
    **{"text.usetex": True, "path.sketch": (1, 100, 2), "text.color": "white", "figure.facecolor": "black"},
    **{"xtick.direction": "in", "xtick.minor.visible": True, "ytick.right": True},
}


@pytest.mark.parametrize("views", [["trajectory", "heatmap", "dot_product"], ["trajectory_3d", "kernel_by_base"]])
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
