"""How panels look on a page: large for the last row of a classroom, and with a word where their kernel is gone."""

import ipywidgets as widgets

WIDTH = 7.6  # inches of a figure of several views, whose words are then larger on the same page: two views in a row
SHARPNESS = 1.75  # pixels per CSS pixel, since the page stretches the picture
SLIDER = 340  # px that a slider with its name and number needs
PANEL, CLASS = "posenc", "posenc-large"
# Without a kernel ipywidgets puts a broken chain before each widget, which shifts them all and says nothing in words.
CSS = f"""<style>
.{PANEL}.jupyter-widgets-disconnected::before {{ font: inherit; font-weight: 600; color: #B34700; padding: 4px 0;
  content: "These sliders have lost their kernel. Menu Run, Run All Cells brings them back."; }}
.{PANEL} .jupyter-widgets-disconnected::before {{ display: none; }}
.{CLASS} .widget-label, .{CLASS} .widget-readout, .{CLASS} .jupyter-button, .{CLASS} select, .{CLASS} input
  {{ font-size: 1.3rem; height: auto; line-height: 1.5; }}
.{CLASS} .widget-slider .widget-label {{ width: 6.6em !important; }}
.{CLASS} > .widget-gridbox {{ grid-template-columns: repeat(auto-fit, minmax({SLIDER}px, 1fr)) !important; }}
.{CLASS} .jupyter-button {{ width: auto; }}
.{CLASS} .jupyter-widgets.widget-slider .noUi-handle {{ width: 26px; height: 26px; top: -12px; right: -13px; }}
.{CLASS} .widget-inline-hbox {{ height: auto; min-height: 2.6rem; }}
.{CLASS} [role=status], .{CLASS} [role=alert] {{ font-size: 1.3rem; }}
</style>"""

_large = False


def present(on: bool = True) -> None:
    """Make panels for a projector from now on, or with False for a desk again.

    Pictures fill the page with at most two views in a row, so that type and lines are about 1.4 times as large; sliders
    and the words below grow, too. Panels that are open already stay as they are: run their cells again.

    >>> present()
    >>> present(False)
    """
    global _large
    if not isinstance(on, bool):
        raise TypeError(f"on must be True or False, got {on!r}")
    _large = on


def presenting() -> bool:
    """Return whether panels are made for a projector now."""
    return _large


def dress(box: widgets.VBox) -> None:
    """Give a panel its looks."""
    box.children += (widgets.HTML(CSS, layout=widgets.Layout(display="none")),)
    box.add_class(PANEL)
    if presenting():
        box.add_class(CLASS)
