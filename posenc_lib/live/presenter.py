"""For the last row of a classroom: panels with large type, thick lines and large sliders."""

WIDTH = 7.6  # inches of a figure of several views, whose words are then larger on the same page: two views in a row
SHARPNESS = 1.75  # pixels per CSS pixel, since the page stretches the picture
SLIDER = 340  # px that a slider with its name and number needs
CLASS = "posenc-large"
CSS = f"""<style>
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

    Args:
        on: whether to.

    Raises:
        TypeError: on is neither True nor False.
    """
    global _large
    if not isinstance(on, bool):
        raise TypeError(f"on must be True or False, got {on!r}")
    _large = on


def presenting() -> bool:
    """Return whether panels are made for a projector now."""
    return _large
