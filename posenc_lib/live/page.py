"""What all panels share: their look, the size of a picture, and what a notebook stores."""

import asyncio
import html
import threading
from collections.abc import Callable, Generator, Iterator
from itertools import compress, product
from pathlib import Path
from typing import Literal, NamedTuple
from weakref import WeakSet

import ipywidgets as widgets

from posenc_lib.encodings import validate
from posenc_lib.figures.film import part
from posenc_lib.files import stored_text
from posenc_lib.translation import said
from posenc_lib.views import style
from posenc_lib.views.output import IN_THE_DARK
from posenc_lib.views.sheet import BESIDE, arranged
from posenc_lib.views.style import LOCK, PLOT, SCALES

LETTERS = 40  # reserved next to a slider; a longer value makes room when it comes
CSS = stored_text(Path(__file__).with_name("look.css")) + part("guess.css")
CSS += "".join(f".posenc-letters-{n} {{ --letters: {n}; }}" for n in range(9, LETTERS + 1))
CSS = f"<style>{CSS}</style>{IN_THE_DARK}"
VIEW = "application/vnd.jupyter.widget-view+json"
DESK = (1200, 800)  # px of a page that hasn't reported its size
PLOTS = range(PLOT, 159, -8)  # px, heights that a row of plots can have
LOW = 200  # px of a plot that type shrinks for
LOOKS = "posenc-large", "posenc-light", "posenc-dark"  # classes of panels

_open: WeakSet[widgets.VBox] = WeakSet()  # panels
# The last report from a page; sharpness is in image dots per page pixel
_page = {"dark": False, "width": DESK[0], "height": DESK[1], "sharpness": 1.5}


def present(on: bool = True, *, theme: Literal["light", "dark"] | None = None) -> None:
    """Make panels fit a projector, open ones too, or with False a desk again.

    Pictures, type and sliders are as large as they can be while all fit on the screen. Code is
    folded until it's clicked.

    >>> present(theme="dark")
    >>> present(False)

    Args:
        on: whether panels are large.
        theme: of panels and figures, "dark" for a dark room. None means the page's own.
    """
    if theme is not None:
        validate.choice("theme", theme, ("light", "dark"))
    Look.large, Look.asked = validate.flag("on", on), theme
    style.usual(theme or "light", _page if on else None)  # of figures
    for box in [box for box in _open if box.comm]:
        _restyle(box)


def _restyle(box: widgets.VBox) -> None:
    """Give a panel the classes of its looks; who draws it watches them."""
    own = [name for name in box._dom_classes if name not in ("posenc", *LOOKS)]
    asked = Look.large, Look.asked == "light", Look.asked == "dark"
    box._dom_classes = (*own, "posenc", *compress(LOOKS, asked))


def seen(page: dict) -> None:
    """Remember a page: whether it's dark, the width of its panels, its height without sliders."""
    _page.update({name: page[name] for name in _page if name in page})


def sharpness() -> float:
    """Return how many image dots the page wants per pixel."""
    return _page["sharpness"]


class Look:
    """How panels look: as `present` is set now."""

    large, asked = False, None

    @property
    def theme(self) -> str:
        """Return the theme to draw in: the requested one, or the page's."""
        return self.asked or ("dark" if _page["dark"] else "light")

    def dress(self, box: widgets.VBox) -> None:
        """Style a panel."""
        box.children += (widgets.HTML(CSS, layout=widgets.Layout(display="none")),)
        _open.add(box)
        _restyle(box)


class Drawn(NamedTuple):
    """How to draw a picture."""

    width: float | None  # None for its own
    plot: float  # row height in px
    scale: float  # relative to a desk
    page_width: int  # px on the page


def layout(views: list, number: int, room: tuple[float, float], *, large=False) -> Drawn:
    """Return how to draw views of `number` encodings in a room, width and height in px.

    Type is as large as possible if no plot is low, then plots as tall as possible. What doesn't fit
    gets the lowest plots and scrolls.
    """
    named, alone = number > 1, len(views) == 1 and not large
    for least, scale, plot in product((LOW, 0), SCALES[large], PLOTS):
        width = room[0] / scale
        natural = max(arranged(views, number, named=named)[1][0], BESIDE[2] * alone)
        given = width if natural > width else natural if alone else None
        places, (wide, high) = arranged(views, number, given, plot, named=named)
        found = Drawn(given, plot, scale, round(wide * scale))
        if high * scale <= room[1] and min(place[5] for place in places) >= least:
            break
    return found


def room(width: float | None, above: float) -> tuple[float, float]:
    """Return the width and height in px left for a picture by its sliders and what's above."""
    return width or _page["width"], _page["height"] - above


class OnPage:
    """Something live in a notebook that's stored as a picture and words.

    It has text, stored(words), box, and _say(words, good=…).
    """

    raise_errors = False  # tests set it; a class sees a line of text, not a traceback

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        with LOCK:
            data, metadata = self.stored(self.text)
            live = self.box._repr_mimebundle_() if self.box.comm else {}  # closed: only a picture
            if VIEW in live:
                live[VIEW]["posenc"] = True  # picture.js saves its picture and words
        return live | data, metadata

    def _try(self, do: Callable, *given) -> bool:
        """Do what a reader asked for on the page; return whether it worked.

        An error becomes a line of text, and the panel doesn't change.
        """
        try:
            do(*given)
            return True
        except Exception as error:
            if self.raise_errors:
                raise
            self._failed(error)
            return False

    def _failed(self, error: Exception) -> None:
        """Say what went wrong, on the page."""
        self._say(explained(error), good=False)

    def _button(self, label: str, action: Callable, tooltip="", **look) -> widgets.Button:
        """Return a button for an action without arguments."""
        made = widgets.Button(description=said(label), tooltip=said(tooltip), **look)
        made.on_click(lambda _: self._try(action))
        return made


class Beside:
    """Work in the background, until it finishes or is stopped.

    A generator gives the steps. The first runs at once, the rest on a thread. Where threads can't
    start, in a browser for example, they run between the page's messages; without an event loop,
    also at once. Stopping closes the generator, and an error ends it.
    """

    def __init__(self, steps: Generator, failed: Callable[[Exception], None]):
        self.goes, self._stopped = True, False
        self._left = self._taken(steps, failed)
        next(self._left, None)  # only a started generator can be stopped
        # a kernel shutting down doesn't wait for it
        self._thread: threading.Thread | None = threading.Thread(target=self._rest, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._thread = None
            try:
                self._task = asyncio.get_running_loop().create_task(self._in_turns())
            except RuntimeError:
                self._rest()

    def stop(self) -> None:
        """End it after the current step."""
        self._stopped = True

    def wait(self) -> None:
        """Return when it's done. Without threads, the remaining steps run here."""
        self._thread.join() if self._thread else self._rest()

    def _taken(self, steps: Generator, failed: Callable) -> Iterator[None]:
        """Run a step at a time and report an error."""
        try:
            for _ in steps:
                yield
                if self._stopped:
                    steps.close()
        except Exception as error:
            failed(error)
        finally:
            self.goes = False

    def _rest(self) -> None:
        for _ in self._left:
            pass

    async def _in_turns(self) -> None:
        for _ in self._left:
            await asyncio.sleep(0)


def explained(error: Exception) -> str:
    """Return an error for a reader: our sentences as they are, others with their type."""
    ours = isinstance(error, (TypeError, ValueError))
    return str(error) if ours else f"{type(error).__name__}: {error}"


def close_all(box: widgets.Widget) -> None:
    """Take a widget and everything in it off the page, and drop their observers."""
    for widget in inside(box):
        widget.unobserve_all()
        for piece in (getattr(widget, "style", None), widget.layout, widget):
            if piece is not None:
                piece.close()


def inside(widget: widgets.Widget) -> list:
    """Return a widget and everything in it."""
    return [widget, *(part for child in getattr(widget, "children", ()) for part in inside(child))]


def message(text: str, *, good: bool) -> str:
    """Return a line for the page and screen readers: good news or an alert."""
    return f'<div role="{"status" if good else "alert"}">{html.escape(said(text))}</div>'
