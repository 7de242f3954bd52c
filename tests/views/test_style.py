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


def contrast(one, other):
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


def test_words_stand_out_from_the_page(theme):
    with style.styled():
        texts = {key: mpl.rcParams[key] for key in ("text.color", "axes.labelcolor", "xtick.color", "ytick.color")}
        assert {mpl.rcParams[f"{part}.facecolor"].lower() for part in ("figure", "savefig", "axes")} == {style.PAPER}
    written = texts | {role: getattr(style, role) for role in ("CURVE", "QUERY", "OTHER", "THIRD", "INK", "SOFT")}
    assert {name for name, color in written.items() if contrast(color, style.PAPER) < 4.5} == set()
    assert contrast(style.INK, style.TINT) >= 4.5
    assert contrast(style.LINE, style.PAPER) >= 2.5


def test_a_deuteranope_tells_the_roles_apart(theme):
    roles = ("CURVE", "QUERY", "OTHER", "THIRD", "LINE")
    near = [
        (one, other)
        for one, other in itertools.combinations(roles, 2)
        if np.linalg.norm(seen(getattr(style, one)) - seen(getattr(style, other))) < 20
    ]
    assert near == []


def test_a_deuteranope_tells_low_from_high(theme):
    for name in (style.SEQUENTIAL, style.diverging()):
        low, middle, high = (seen(mpl.colormaps[name](x)) for x in (0.0, 0.5, 1.0))
        for one, other in itertools.combinations((low, middle, high), 2):
            assert np.linalg.norm(one - other) > 35, name


def test_on_paper_lightness_alone_tells_numbers_apart():
    with style.themed("print"):
        for name in (style.SEQUENTIAL, style.diverging()):
            lightness = [lab(linear(mpl.colormaps[name](x)))[0] for x in np.linspace(0, 1, 33)]
            assert np.diff(lightness).min() > 0


def test_every_dot_stands_out_from_the_page(theme):
    darkest_or_lightest = [style.position_colors(9)[k] for k in (0, -1)]
    assert min(contrast(color, style.PAPER) for color in darkest_or_lightest) > 1.15  # they have lines between them


def test_a_theme_ends_where_its_context_ends():
    with style.themed("dark"), style.themed("print"):
        assert style.theme() == "print"
    assert style.theme() == "light"


def test_no_such_role():
    with pytest.raises(AttributeError, match="no attribute 'BLUE'"):
        style.BLUE  # noqa: B018


FOREIGN = {
    "LaTeX": {"text.usetex": True},
    "ticks": {"xtick.direction": "in", "xtick.minor.visible": True, "ytick.right": True},
    "sketch": {"path.sketch": (1, 100, 2)},
    "a whole style": dict(mpl.style.library["ggplot"]),
    "dark": dict(mpl.style.library["dark_background"]),
}


@pytest.mark.parametrize("settings", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("views", [["trajectory", "heatmap", "dot_product"], ["trajectory_3d", "kernel_by_base"]])
def test_the_readers_own_settings_change_no_explorer(settings, views, tmp_path):
    def pictures():
        explorer = explore("sinusoidal", views=views)
        shown = [explorer._picture.value]
        explorer.set(seq_len=40, base=100.0)  # other limits, ticks and labels
        shown.append(explorer._picture.value)
        explorer.save(tmp_path / "panel.svg")
        explorer.close()
        return [*shown, (tmp_path / "panel.svg").read_bytes()]

    plain = pictures()
    with mpl.rc_context(settings):
        assert pictures() == plain
        assert all(mpl.rcParams[name] == value for name, value in settings.items())
