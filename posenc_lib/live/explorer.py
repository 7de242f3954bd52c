"""The panel that a reader drags: what is set, and what is drawn again when it changes."""

import html
import math
import time
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from posenc_lib.encodings import validate
from posenc_lib.live import projector
from posenc_lib.live.controls import nearest
from posenc_lib.live.page import Page
from posenc_lib.live.picture import dragged, show, touchable
from posenc_lib.live.room import Drawn, layout
from posenc_lib.live.settings import Settings
from posenc_lib.spec import Spec
from posenc_lib.views.axes import LIMITS
from posenc_lib.views.sheet import Sheet
from posenc_lib.views.style import LOCK, themed

REST = 0.8  # seconds after which what stands is where a reader has come to
SHARPNESS = 1.5  # dots of a picture for each pixel of the page


class Explorer(Page):
    """An encoding under the reader's hand; made by `explore`."""

    one_width = False  # whether d_model and head_dim are one slider where several encodings have both
    _width: float | None = None  # px that its page gives it, once it has told
    above = (60, 80)  # px that must be seen beside picture and sliders, on a desk and on a projector
    alike = False  # whether views of the same quantity share their axes
    name = ""  # above the picture, where another stands beside it
    _held = 0
    _turned = (0, 0)  # by which press of the pointer a picture is turned, and from where
    clock = staticmethod(time.monotonic)
    raise_errors = False  # tests set it: in front of a class an error is a line of text, not a traceback

    def __init__(self, spec: Spec, start: dict | None = None, *, frozen: Sequence[str] = (), ghost: bool = False):
        self._frozen, self._ghost = frozen, ghost
        with LOCK:
            self._settings = Settings(spec, start, one_width=self.one_width)
            self._begin()
            self._build()
            self._draw()
            self._show()
        for slider in self.sliders.values():
            slider.observe(self._moved, names="value")
        if touchable(self._picture):
            self._picture.observe(self._pointed, names="pointed")
            self._picture.observe(self._hovered, names="hovered")
            self._picture.observe(self._sent, names="sent")
            self._picture.observe(self._page_changed, names="page")

    def _draw(self) -> None:
        """Draw the views for the page as it is: its theme, and the room it has."""
        spec, values = self._settings.spec, self.values
        with themed(projector.theme()):
            drawn = self._drawn = self._layout()
            look = {"width": drawn.width, "plot": drawn.plot, "alike": self.alike}
            names, sharp = [self.heading] if self.name else None, SHARPNESS * max(drawn.scale, 1)
            self.panel = Sheet(spec.draw(), spec.encodings_at(values), values, names=names, sharpness=sharp, **look)
            if self._frozen:
                self.panel.freeze(self._frozen, ((spec.encodings_at(each), each) for each in self._extremes()))
        self._shown_at = -math.inf  # when the picture last changed, in seconds
        self._fit()

    @property
    def heading(self) -> str:
        """Return what is written above the picture, where it has a name."""
        return self.name

    def _extremes(self) -> Iterable[dict]:
        """Return the settings that frozen axes hold."""
        return self._settings.ends()

    def _layout(self) -> Drawn:
        """Return how the page wants the views drawn now."""
        spec, large = self._settings.spec, projector.presenting()
        room = projector.room(len(self._controls.children), self._width, self.above[large], large=large)
        named = bool(self.name) or len(spec.encodings) > 1
        return layout(spec.draw(), len(spec.encodings), room, large=large, named=named)

    def _begin(self) -> None:
        """Move sliders before the first picture, where somebody wants it."""

    @property
    def sliders(self) -> dict:
        """Return the widgets that can be moved, by parameter name."""
        return self._settings.sliders

    @property
    def values(self) -> dict:
        """Return the value of every parameter by name, each within what the others leave to it."""
        return self._settings.values

    @property
    def spec(self) -> Spec:
        """Return what is shown, at the present values; str(explorer.spec) is the line that opens it again."""
        return self._spec_at(self.values)

    def _spec_at(self, values: dict) -> Spec:
        return replace(self._settings.spec, values={name: v for name, v in values.items() if v is not None})

    def set(self, **values) -> None:
        """Move sliders from code and redraw once; if any value is refused, none moves."""
        with LOCK:
            with self._hold():
                self._settings.assign(**values)
            self._refresh()

    def reset(self) -> None:
        """Put every slider back to where it began, with one redraw; no ghost stays."""
        with LOCK:
            self._shown_at = math.inf
            self.panel.leave()
            self.set(**self._settings.start)

    @contextmanager
    def _hold(self):
        """Let sliders move without redrawing."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1

    def _moved(self, change) -> None:
        with LOCK:
            if not self._held:
                self._refresh()

    def _pointed(self, change) -> None:
        """Move the slider that belongs to where a reader drags in the picture; a late message may be of another one."""
        with LOCK:
            at, views = change["new"], self.panel.views
            if at["axes"] >= len(views):
                return
            view, place = views[at["axes"]], self._picture.axes[at["axes"]]
            for axis, name in dragged(view, self.sliders, place["names"]):
                self._drag(view, self.sliders[name], at, axis, "marks" in place)

    def _drag(self, view, slider, at: dict, axis: int, marked: bool) -> None:
        """Move one slider to where a reader drags."""
        wanted = (at["x"], at["y"])[axis]
        if view.turns:
            if at["press"] != self._turned[0]:
                self._turned = at["press"], slider.value
            wanted = self._turned[1] + view.turn * at["by"]
        elif marked:
            wanted = at["mark"] if at["mark"] >= 0 else slider.value
        slider.value = nearest(slider, round(wanted))

    def _hovered(self, change) -> None:
        """Tell the page which number is drawn where a reader points."""
        with LOCK:
            at = change["new"]
            if at["axes"] < len(self.panel.views):
                text = self.panel.value_at(at["axes"], at["x"], at["y"])
                self._picture.hint = {"asked": at["asked"], "text": text}

    def _sent(self, change) -> None:
        """Move a slider to the end that Home or End sent it to; a late message may be of one that was here before."""
        with LOCK:
            if slider := self.sliders.get(change["new"]["slider"]):
                slider.value = getattr(slider, change["new"]["end"])

    def _page_changed(self, change) -> None:
        """Draw anew where the page has another theme, or room for another layout."""
        with LOCK:
            projector.seen(change["new"])
            self._width = change["new"]["own"]
            if (self._drawn, self.panel.theme) != (self._layout(), projector.theme()):
                self._draw()
                self._show()

    def _refresh(self) -> None:
        """Show the sliders' present values; an error becomes a line of text and the last picture stays."""
        try:
            with self._hold():
                values = self._settings.settle()
            if self._ghost and self.clock() - self._shown_at >= REST:
                self.panel.keep()
            encodings = self._settings.spec.encodings_at(values)
            if words := self.panel.waits(encodings, values):
                self._say(words, good=True)
            self.panel.update(encodings, values)
            self._show()
            self._shown_at = self.clock()
        except BaseException as error:  # an interrupt, too, leaves views half moved
            self.panel.forget()
            self._shown_at = math.inf  # nobody has seen it
            if self.raise_errors or not isinstance(error, Exception):
                raise
            self._say(f"{type(error).__name__}: {error}")

    def _show(self) -> None:
        panel = self.panel
        show(self._picture, panel.frame(), panel, self.sliders, line=str(self._spec_at(panel.values)))
        self._words.value = f'<div role="status" class="posenc-words">{html.escape(panel.text)}</div>'
        self._news.value = ""


def explore(
    what: object,
    *,
    views: str | Sequence[str] | None = None,
    start: dict[str, Any] | None = None,
    frozen: bool | str | Sequence[str] = False,
    ghost: bool = False,
    **parameters: object,
) -> Explorer:
    """Return an explorer of an encoding: its sliders, its pictures, and what they show in words.

    Given several encodings, it draws the same views of each, and one slider moves them all:
    explore(["rope", "alibi"]) compares what attention makes of the same words. Parameters of encodings, beside the
    length, then stay at their defaults (the largest, where these differ) unless they are given.

    Ranges and starting values come from the catalog. Any parameter of the encoding or of a view can be given instead:
    a tuple (low, high) or (low, high, step) makes a slider, a list offers what is in it, one value fixes it.

    >>> panel = explore("sinusoidal", views=["heatmap", "dot_product"], seq_len=(8, 512), d_model=64, base=500.0)
    >>> list(panel.sliders)
    ['seq_len', 'query']

    An encoding of your own is
    - a function f(positions, d_model, **parameters) that returns an array of shape (n, d_model). Positions are whole
      numbers in an array; arguments with defaults become sliders from a quarter to four times as much;
    - a trained table, an array of shape (seq_len, d): its rows are the positions, and it ends where it ends;
    - an object or a class of a kind, see `Additive`, `Rotary`, `Relative`, `Bias`; its values are where sliders begin.

        explore(my_function, scale=(0.5, 2.0)); explore([model.wpe.weight, "sinusoidal"]); explore(Rope(base=500.0))

    A model's own queries and keys, of one head, stand under a rotary or relative encoding as q and k, arrays of shape
    (seq_len, head_dim) before the encoding touches them: explore("rope", q=q, k=k).

    Args:
        what: an encoding of the catalog by name, one of your own, or a list of them.
        views: one view's name or a list of them; None means those that show it best.
        start: where sliders begin, as a dict by parameter name; None means the catalog's defaults.
        frozen: the limits that stay while sliders move: "xlim", "ylim", "zlim" or "clim" (of colours), a list of these,
            or True for all. They hold what is shown at either end of each slider, and grow where that is not enough.
        ghost: whether grey dashes and dots stay where curves and points last stood for 0.8 s.
        **parameters: ranges, options or fixed values by parameter name.

    Raises:
        TypeError, ValueError: an encoding, a view or a value that cannot be. What fails later, under a slider, is a
            line of text, and the last picture stays.
    """
    ghost, frozen = validate.flag("ghost", ghost), _limits(frozen)
    return Explorer(Spec.of(what, views, **parameters), start, frozen=frozen, ghost=ghost)


def _limits(frozen) -> Sequence[str]:
    """Return the names of the limits that stay."""
    if isinstance(frozen, bool):
        return LIMITS if frozen else ()
    names = [frozen] if isinstance(frozen, str) else frozen
    if not isinstance(names, (list, tuple)):
        raise TypeError(f"frozen must be True, False, a name of limits or a list of them, got {validate.show(frozen)}")
    return [validate.known("frozen", name, LIMITS) for name in names]
