"""The picture of an explorer on the page: a canvas that can be pointed at and dragged in, or else a plain image."""

from pathlib import Path

import ipywidgets as widgets
import traitlets

try:
    import anywidget
except ImportError:  # a plain image shows the same pixels
    anywidget = None

STYLE = """
.posenc-picture { position: relative; width: 100%; }
.posenc-picture canvas { display: block; width: 100%; height: auto; }
.posenc-tip { position: absolute; pointer-events: none; white-space: nowrap; padding: 1px 7px; border-radius: 3px;
  background: #222; color: #fff; font: 13px/1.5 sans-serif; }
.posenc-large .posenc-tip { font-size: 1.3rem; }
"""
SETS = ("query", "offset", "pair", "head", "seq_len", "position", "key", "token")  # in order
BOTH = ("column", "row")  # what a drag in a plane sets at once
SLIDERS = {"position": "query", "key": "query", "token": "before"}  # where a slider has another name

if anywidget is None:
    Picture = None
else:

    class Picture(anywidget.AnyWidget):
        """A picture on a canvas, which tells what a reader points at and how much room the page has."""

        _esm = Path(__file__).with_name("picture.js")
        _css = STYLE
        value = traitlets.Bytes(b"").tag(sync=True)  # a PNG
        alt = traitlets.Unicode("").tag(sync=True)
        max_width = traitlets.Unicode("").tag(sync=True)
        line = traitlets.Unicode("").tag(sync=True)  # what opens it again, to be copied
        axes = traitlets.List().tag(sync=True)  # see Panel.places, and what a drag moves
        pointed = traitlets.Dict().tag(sync=True)  # from the page: where a reader drags to
        hovered = traitlets.Dict().tag(sync=True)  # from the page: where a reader points
        hint = traitlets.Dict().tag(sync=True)  # the number that is drawn there
        sent = traitlets.Dict().tag(sync=True)  # from the page: a slider that was sent to one of its ends
        page = traitlets.Dict().tag(sync=True)  # from the page: whether it is dark, and its room in px


def picture() -> widgets.DOMWidget:
    """Return the widget that shows frames: its `value` is a PNG's bytes."""
    return widgets.Image(format="png", layout=widgets.Layout(width="100%")) if Picture is None else Picture()


def touchable(widget) -> bool:
    """Return whether a picture knows where it is pointed at."""
    return Picture is not None and isinstance(widget, Picture)


def widen(widget, most: str) -> None:
    """Let a picture be at most so wide."""
    if touchable(widget):
        widget.max_width = most
    else:
        widget.layout.max_width = most


def spoken(widget) -> bool:
    """Return whether a page has spoken: somebody looks at the picture, in a browser that can do things."""
    return touchable(widget) and bool(widget.page)


def copy(widget, text: str) -> bool:
    """Let the reader's browser put a text on the clipboard; return whether it can."""
    if spoken(widget):
        widget.send({"copy": text})
    return spoken(widget)


def deliver(widget, name: str, data: bytes) -> bool:
    """Let the reader's browser keep a file; return whether it can."""
    if spoken(widget):
        widget.send({"save": name}, buffers=[data])
    return spoken(widget)


def show(widget, frame: bytes, panel, sliders: dict, line: str) -> None:
    """Send a frame of a panel and, in the same message, what it shows, what a pointer means, and the panel's line."""
    with widget.hold_sync():
        widget.value = frame
        if touchable(widget):
            places = zip(panel.views, panel.places(), strict=True)
            found = [(place, dragged(view, sliders, place["names"])) for view, place in places]
            widget.axes = [place | {"drags": " ".join(name for _, name in drags)} for place, drags in found]
            widget.alt, widget.line = panel.text, line


def dragged(view, sliders: dict, names) -> list[tuple[int, str]]:
    """Return which sliders a drag in a view moves, each after 0 for x or 1 for y, which it follows; names: of both."""
    moves = {name for name, slider in sliders.items() if not slider.disabled}
    if view.turns:
        return [(0, view.turns)] if view.turns in moves else []
    if tuple(names) == BOTH:
        return [(k, name) for k, name in enumerate(BOTH) if name in moves]
    found = sorted((SETS.index(name), k) for k, name in enumerate(names) if name in SETS)
    wanted = [(k, SLIDERS.get(SETS[place], SETS[place])) for place, k in found]
    return [(k, name) for k, name in wanted if name in moves][:1]
