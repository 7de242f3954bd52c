"""How panels look on a page: large for the last row of a classroom, and with a word where their kernel is gone."""

from typing import Literal

import ipywidgets as widgets

from posenc_lib.encodings import validate

SLIDER, DESK_SLIDER = 340, 290  # px that a slider with its name and number needs
PANEL, CLASS, DARK = "posenc", "posenc-large", "posenc-dark"
DESK = (1200, 900)  # px of a page that has not told its size
# Without a kernel ipywidgets puts a broken chain before each widget, which shifts them all and says nothing in words.
CSS = f"""<style>
.{PANEL}.jupyter-widgets-disconnected::before {{ font: inherit; font-weight: 600; color: #B34700; padding: 4px 0;
  content: "These sliders have lost their kernel. Menu Run, Run All Cells brings them back."; }}
.{PANEL} .jupyter-widgets-disconnected::before {{ display: none; }}
.{CLASS} .widget-label, .{CLASS} .widget-readout, .{CLASS} .jupyter-button, .{CLASS} select, .{CLASS} input
  {{ font-size: 1.3rem; height: auto; line-height: 1.5; }}
.{CLASS} .widget-slider .widget-label {{ width: 7.5em !important; }}
.{CLASS} .jupyter-button {{ width: auto; }}
.{CLASS} .widget-checkbox span, .{CLASS} .widget-text input[type=text] {{ font-size: 1.3rem !important; }}
.{CLASS} .widget-checkbox, .{CLASS} .widget-checkbox label,
.{CLASS} .widget-text, .{CLASS} .widget-text input[type=text] {{ height: auto !important; line-height: 1.5; }}
.{CLASS} .widget-slider .noUi-target .noUi-handle
  {{ width: 26px !important; height: 26px !important; top: -12px !important; right: -13px !important; }}
.{CLASS} .widget-inline-hbox {{ height: auto; min-height: 2.6rem; }}
.{CLASS} [role=status], .{CLASS} [role=alert], .{CLASS} [role=status] code {{ font-size: 1.3rem; }}
.{PANEL} [role=status], .{PANEL} [role=alert] {{ line-height: 1.45; }}
.{PANEL} .posenc-words {{ min-height: 4.5em; }}
.{PANEL} [role=alert] {{ color: #B34700; font-weight: 600; }}
[data-jp-theme-light=false] .{PANEL} [role=alert], .{DARK} [role=alert] {{ color: #FFB27A; }}
.{DARK} {{ background: #111; padding: 8px; --jp-widgets-label-color: #eee; --jp-widgets-readout-color: #eee;
  --jp-widgets-color: #eee; --jp-ui-font-color1: #eee; --jp-content-font-color1: #eee; --jp-layout-color1: #222;
  --jp-layout-color2: #333; --jp-border-color1: #777; --jp-widgets-input-background-color: #222;
  --jp-widgets-input-color: #eee; }}
.{DARK} [role=status] {{ color: #eee; }}
.{DARK} select {{ color-scheme: dark; }}
.{DARK} .jupyter-button {{ background: #333; color: #eee; }}
.{DARK} .jupyter-button.mod-active {{ background: #ddd; color: #111; }}
</style>"""

_large, _theme = False, None
_page = {"dark": False, "width": DESK[0], "height": DESK[1]}  # as the last one that spoke


def present(on: bool = True, *, theme: Literal["light", "dark"] | None = None) -> None:
    """Make panels for a projector from now on, or with False for a desk again.

    Pictures, type and sliders are as large as the page has room for with both on the screen. Panels that are open
    already stay as they are: run their cells again.

    >>> present(theme="dark")
    >>> present(False)

    Args:
        on: whether panels are large.
        theme: of the panels, "dark" for a dark room; None is that of the page they stand on.
    """
    global _large, _theme
    if not isinstance(on, bool):
        raise TypeError(f"on must be True or False, got {on!r}")
    if theme is not None:
        validate.choice("theme", theme, ("light", "dark"))
    _large, _theme = on, theme


def presenting() -> bool:
    """Return whether panels are made for a projector now."""
    return _large


def theme() -> str:
    """Return the theme that panels are drawn in now."""
    return _theme or ("dark" if _page["dark"] else "light")


def seen(page: dict) -> None:
    """Remember what a page tells of itself: whether it is dark, the width of its panels, its height."""
    _page.update({name: page[name] for name in _page})


def room(sliders: int, width: float | None, above: float, *, large: bool) -> tuple[float, float]:
    """Return width and height in px that a picture may take, so that it is seen with its sliders and what is above.

    Args:
        sliders: how many there are.
        width: of the panel; None is that of the page.
        above: px of what stands above.
        large: whether sliders are made for a projector.
    """
    wide, high = (SLIDER, 46) if large else (DESK_SLIDER, 34)
    width = width or _page["width"]
    rows = -(-sliders // max(width // wide, 1))
    return width, _page["height"] - rows * high - above


def halves(least: float) -> float:
    """Return the width of one of two panels, which stand side by side where each has at least so much."""
    return _page["width"] / 2 if _page["width"] >= 2 * least else _page["width"]


def dress(box: widgets.VBox) -> None:
    """Give a panel its looks."""
    box.children += (widgets.HTML(CSS, layout=widgets.Layout(display="none")),)
    look(box)


def look(box: widgets.VBox) -> None:
    """Make a panel large or not, dark or not."""
    for name, wanted in ((PANEL, True), (CLASS, _large), (DARK, _theme == "dark")):
        (box.add_class if wanted else box.remove_class)(name)
