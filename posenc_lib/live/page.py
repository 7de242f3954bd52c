"""What all panels share: how they look, how large a picture is, and what a notebook stores."""

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
from posenc_lib.views import style
from posenc_lib.views.output import IN_THE_DARK
from posenc_lib.views.sheet import BESIDE, arranged
from posenc_lib.views.style import LOCK, PLOT, SCALES

LETTERS = 40  # beside a slider for which room is kept; a longer value makes room as it comes
CSS = stored_text(Path(__file__).with_name("look.css")) + part("guess.css")
CSS += "".join(f".posenc-letters-{n} {{ --letters: {n}; }}" for n in range(9, LETTERS + 1))
CSS = f"<style>{CSS}</style>{IN_THE_DARK}"
VIEW = "application/vnd.jupyter.widget-view+json"
DESK = (1200, 800)  # px of a page that has not told its size
PLOTS = (PLOT, 216, 160)  # px of height that a row of plots may have
LOOKS = "posenc-large", "posenc-light", "posenc-dark"  # classes of panels

_open: WeakSet[widgets.VBox] = WeakSet()  # panels
# As the last one that spoke; sharpness is in dots of a picture for each pixel
_page = {"dark": False, "width": DESK[0], "height": DESK[1], "sharpness": 1.5}


def present(on: bool = True, *, theme: Literal["light", "dark"] | None = None) -> None:
    """Make panels for a projector, open ones too, or with False for a desk again.

    Pictures, type and sliders are as large as the page has room for with both on the screen; code
    is folded until it's clicked.

    >>> present(theme="dark")
    >>> present(False)

    Args:
        on: whether panels are large.
        theme: of panels and figures, "dark" for a dark room; None is that of the page.
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
    """Remember a page: whether it is dark, the width of its panels, its height without sliders."""
    _page.update({name: page[name] for name in _page if name in page})


def sharpness() -> float:
    """Return how many dots of a picture the page wants for each of its pixels."""
    return _page["sharpness"]


class Look:
    """How panels look: as `present` has it now."""

    large, asked = False, None

    @property
    def theme(self) -> str:
        """Return the theme to draw in: the one that was asked for, or that of the page."""
        return self.asked or ("dark" if _page["dark"] else "light")

    def dress(self, box: widgets.VBox) -> None:
        """Give a panel its looks."""
        box.children += (widgets.HTML(CSS, layout=widgets.Layout(display="none")),)
        _open.add(box)
        _restyle(box)


class Drawn(NamedTuple):
    """How a picture is drawn."""

    width: float | None  # None if its own
    plot: float  # px of a row's height
    scale: float  # times as large as on a desk
    page_width: int  # px of the page


def layout(views: list, number: int, room: tuple[float, float], *, large=False) -> Drawn:
    """Return how some views of `number` encodings are drawn in a room, width and height in px.

    Type is as large as can be; then plots are as high as can be. What fits nowhere is low, and
    scrolls.
    """
    named, alone = number > 1, len(views) == 1 and not large
    for scale, plot in product(SCALES[large], PLOTS):
        width = room[0] / scale
        natural = max(arranged(views, number, named=named)[1][0], BESIDE[2] * alone)
        given = width if natural > width else natural if alone else None
        wide, high = arranged(views, number, given, plot, named=named)[1]
        found = Drawn(given, plot, scale, round(wide * scale))
        if high * scale <= room[1]:
            break
    return found


def room(width: float | None, above: float) -> tuple[float, float]:
    """Return width and height in px that a picture may take beside its sliders and what's above."""
    return width or _page["width"], _page["height"] - above


class OnPage:
    """What is live in a notebook, and stored as a picture and words.

    It has text, stored(words), box, and _say(words, good=…).
    """

    raise_errors = False  # tests set it: a class sees a line of text, not a traceback

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        with LOCK:
            data, metadata = self.stored(self.text)
            live = self.box._repr_mimebundle_() if self.box.comm else {}  # closed, it is a picture
            if VIEW in live:
                live[VIEW]["posenc"] = True  # picture.js keeps what is beside it
        return live | data, metadata

    def _try(self, do: Callable, *given) -> bool:
        """Do what a reader asked for on the page; return whether it went.

        An error is a line of text, and what was there stays.
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
        """Say on the page what went wrong."""
        self._say(explained(error), good=False)

    def _button(self, label: str, action: Callable, **look) -> widgets.Button:
        """Return a button that does something without arguments."""
        made = widgets.Button(description=label, **look)
        made.on_click(lambda _: self._try(action))
        return made


class Beside:
    """Work that goes on beside whatever else the kernel does, until it ends or is stopped.

    Its steps are those of a generator, the first taken at once, the others on a thread; where none
    can be started, as in a browser, between the page's messages; where nobody waits for these, at
    once, too. It is closed where it is stopped, and an error ends it.
    """

    def __init__(self, steps: Generator, failed: Callable[[Exception], None]):
        self.goes, self._stopped = True, False
        self._left = self._taken(steps, failed)
        next(self._left, None)  # what is to be stopped must have begun
        # a kernel that ends does not wait for it
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
        """Let it end after the step that is being taken."""
        self._stopped = True

    def wait(self) -> None:
        """Return when it has ended; without threads the steps that are left are taken here."""
        self._thread.join() if self._thread else self._rest()

    def _taken(self, steps: Generator, failed: Callable) -> Iterator[None]:
        """Take a step each time; an error is told."""
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
    """Return an error as a reader is told it: sentences of ours as they are, others by name."""
    ours = isinstance(error, (TypeError, ValueError))
    return str(error) if ours else f"{type(error).__name__}: {error}"


def close_all(box: widgets.Widget) -> None:
    """Take a widget and everything in it off the page, and let go of whoever listens to it."""
    for widget in inside(box):
        widget.unobserve_all()
        for piece in (getattr(widget, "style", None), widget.layout, widget):
            if piece is not None:
                piece.close()


def inside(widget: widgets.Widget) -> list:
    """Return a widget and everything in it."""
    return [widget, *(part for child in getattr(widget, "children", ()) for part in inside(child))]


def message(text: str, *, good: bool) -> str:
    """Return a line as a page and a screen reader are told it: good news, or an alarm."""
    return f'<div role="{"status" if good else "alert"}">{html.escape(text)}</div>'
