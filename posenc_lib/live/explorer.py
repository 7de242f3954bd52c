"""The panel a reader drags: its settings, and what's redrawn when they change."""

import html
import re
from collections.abc import Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from posenc_lib.encodings import validate
from posenc_lib.encodings.validate import as_text
from posenc_lib.environment import to_drag
from posenc_lib.live import page, picture
from posenc_lib.live.page import LETTERS, Drawn, Look, OnPage, close_all, layout
from posenc_lib.live.picture import Touch, ask_page, place, question, soon, told
from posenc_lib.live.settings import Settings
from posenc_lib.spec import Spec
from posenc_lib.translation import in_html, said
from posenc_lib.views.axes import LIMITS
from posenc_lib.views.output import bundle
from posenc_lib.views.sheet import MARGIN, Sheet
from posenc_lib.views.style import LOCK, themed

PHONE = 420  # px of a page that gets two image dots per pixel
VERDICT = 50, 62  # px for the verdict on a drawing, on a desk, on a projector
LINE = 110  # letters in the line under a picture
COLUMNS = 912, 1056  # px of width for two columns of sliders, on a desk, on a projector
TOGETHER = 2  # views that a projector shows at once


class Explorer(OnPage):
    """An encoding to play with: sliders, a picture, its words, and buttons.

    `explore` makes it.
    """

    # px of page height that picture and sliders leave free, on a desk, on a projector
    room_beside = 60, 110
    alike = False  # whether views of the same quantity share axes
    _held = 0
    _width: float | None = None  # px its page gives it, once reported
    # the line under the picture, and all the candidates
    _said: tuple[str, list] | None = None

    def __init__(
        self,
        spec: Spec,
        start: dict | None = None,
        *,
        frozen: Sequence[str] = (),
        guess=False,
        title="",
        near=False,
    ):
        # near: a start beyond a slider moves it as close as it can get, without an error
        self._frozen, self._look, self._touch = frozen, Look(), Touch()
        self._title = title
        self.asks, self._answered = guess, []
        with LOCK:  # a page's messages come on threads of their own
            self._settings = Settings(spec, start, near=near)
            self._build()
            self._draw()
            self._settings.sleep(bool(self.sheet.asked))
            self._show()
        for slider in self.sliders.values():
            slider.observe(self._moved, names="value")
        tells = {"touched": self._touched, "sent": self._sent, "page": self._page_changed}
        tells |= {"answered": self.answer, "runs": lambda _: self._suit_page()}  # see `Picture`
        tells["held"] = self._hold_axes
        for name, do in tells.items():
            self._canvas.observe(lambda now, do=do: self._try(do, now["new"]), names=name)
        self._canvas.on_msg(lambda *_: self._try(self._answer_again))
        # from now on the page reports when it has drawn the panel, with or without its canvas
        self.box._view_count = 0
        self.box.observe(lambda _: soon(partial(self._try, self._suit_page)), names="_view_count")
        self.box.observe(lambda _: self.box._view_count and self._try(self._redraw), "_dom_classes")

    # What readers and code can ask for

    @property
    def sliders(self) -> dict:
        """Return the widgets that move, by parameter name."""
        return self._settings.sliders

    @property
    def values(self) -> dict:
        """Return the value of every parameter by name, each within the limits the others set."""
        return self._settings.values

    @property
    def spec(self) -> Spec:
        """Return what's shown at the current values; its str is the line that reopens it."""
        values = {name: value for name, value in self.values.items() if value is not None}
        return replace(self._settings.spec, values=values)

    @property
    def figure(self):
        """Return the matplotlib Figure behind the picture."""
        return self.sheet.figure

    @property
    def png(self) -> bytes:
        """Return the picture on the page."""
        with LOCK:
            return self._picture.value

    @property
    def text(self) -> str:
        """Return what the picture shows and the settings, in words."""
        with LOCK:
            return self.sheet.text

    def set(self, **values) -> None:
        """Move sliders from code and redraw once; if any value is refused, none moves."""
        with LOCK:
            with self._hold():
                self._settings.assign(values)
            self._refresh()

    def reset(self) -> None:
        """Put every slider back where it started, with one redraw."""
        self.set(**self._settings.start)

    def save(self, path) -> Path:
        """Write the current picture to a .png, .svg or .pdf file and return its path.

        If Python runs in the browser, there's a link to download it.
        """
        with LOCK:
            return self.sheet.save(path)

    def answer(self, views: Sequence[int] | None = None) -> None:
        """Show what the reader was asked to draw, in these views or in all, and hide the rest.

        Once everything is shown, sliders can move.
        """
        with LOCK:
            self._answered = range(len(self.sheet.pens)) if views is None else views
            if self.asks:
                self.sheet.withhold(self._answered)
            with self._hold():
                self._settings.sleep(bool(self.sheet.asked))
            self._show()

    def close(self) -> None:
        """Take the explorer off the page and drop its sliders."""
        with LOCK:
            for widget in (self.box, self._canvas, *self._files):  # some may not be in the box
                close_all(widget)

    def stored(self, words: str) -> tuple[dict, dict]:
        """Return the picture and some words as shown by a notebook without a kernel."""
        with themed(self.sheet.theme):
            return bundle(self._picture.value, words, words, self._drawn.page_width)

    # The page

    def _build(self) -> None:
        """Make the widgets."""
        self._canvas = picture.Picture()
        # What the page shows: a plain image if it can't load a canvas
        self._picture = self._canvas
        self._note, self._words, self._news = (widgets.HTML() for _ in range(3))
        self._files = [
            self._button(kind, partial(self._save, kind.lower()), tooltip=f"Save as {kind}")
            for kind in ("PNG", "SVG")
        ]
        reset = self._button("Reset", self.reset, tooltip="Put every slider back")
        self._tools = widgets.HBox([reset, *self._files]).add_class("posenc-tools")
        self._controls = in_columns(self.sliders)
        fold = widgets.HTML(in_html("<details><summary>In words</summary></details>"))
        views = [view.name for view in self._settings.spec.views]
        self._tabs = []
        if len(views) > TOGETHER and not self.asks:
            tab = widgets.ToggleButtons(options=[*views, "all"], description="view")
            tab.observe(lambda _: self._try(self._redraw), names="value")
            self._tabs = [tab]
        said = [*self._tabs, fold.add_class("posenc-fold"), self._tools, self._words]
        self._below = widgets.Box(said).add_class("posenc-said")
        below = [self._note, self._below, self._news]
        self.box = widgets.VBox([self._controls, self._picture, *below])
        self._look.dress(self.box)

    def _views(self) -> list:
        """Return the views to draw: all, or on a projector one of many."""
        views = self._settings.spec.views_in_order()
        chosen = [tab.value for tab in self._tabs if self._look.large]
        return [view for view in views if view.name in chosen] or views

    def _redraw(self) -> None:
        with LOCK:
            self._draw()
            self._show()

    def _draw(self) -> None:
        """Draw the views for the page's theme and room."""
        spec, values = self._settings.spec, self.values
        encodings = spec.encodings_at(values)
        with themed(self._look.theme):
            drawn = self._drawn = self._layout()
            sharpness = 2 if drawn.page_width <= PHONE else page.sharpness() * drawn.scale
            options = {"names": self._names(encodings), "alike": self.alike}
            options |= {"width": drawn.width, "plot": drawn.plot, "sharpness": sharpness}
            self.sheet = Sheet(self._views(), encodings, values, **options)
            self.sheet.heading = self._title
            if self._frozen:
                self.sheet.freeze(self._frozen, self._settings.ends())
            if self.asks:
                self.sheet.withhold(self._answered)
                if not any(pen.drawable for pen in self.sheet.pens):
                    rule = "guess=True needs a view that draws a curve or bars"
                    raise ValueError(f"{rule}, got {spec}")
        width, wide = f"{drawn.page_width}px", drawn.page_width >= COLUMNS[self._look.large]
        self._picture.layout.width, self._picture.layout.max_width = "100%", width
        for beside in (self._controls, self._below):  # one right edge
            beside.layout.max_width = width if wide else ""

    def _names(self, encodings: list) -> list[str] | None:
        """Return what to write above encodings side by side; None means their titles."""
        return None

    def _layout(self) -> Drawn:
        """Return how the page needs the views drawn now."""
        spec, large = self._settings.spec, self._look.large
        room = page.room(self._width, self.room_beside[large] + self.asks * VERDICT[large])
        return layout(self._views(), len(spec.encodings), room, large=large)

    def _show(self) -> None:
        """Put the current panel on the page, and what it shows in words."""
        frame = self.sheet.frame()
        with self._picture.hold_sync():  # one message
            self._picture.axes = [place(pen, self.sliders) for pen in self.sheet.pens]
            self._picture.guess = question(self.sheet) if self.asks else {}
            self._picture.value, self._picture.alt = frame, said(self.sheet.text)
            self._picture.drawn = "" if self._look.asked else self.sheet.theme
        line, seen = html.escape(said(self._line())), html.escape(said(self.sheet.seen))
        self._words.value = (
            f'<p aria-hidden="true">{line}</p><div role="status" class="posenc-words">{seen}</div>'
        )
        self._news.value = ""

    def _line(self) -> str:
        """Return the first short sentence that the last move changed, unless it's a title."""
        found = []
        for pen, encoding in self.sheet.fed(self.sheet.encodings):
            whose = f"{encoding.title}: " if self.sheet.encodings[1:] else ""
            for sentence in re.split(r"(?<=\.) ", "" if pen.withheld else pen.words):
                if sentence[:-1] not in ("", pen.headline) and len(whose + sentence) <= LINE:
                    found.append(whose + sentence)
        line, before = self._said or ("", found)  # nothing moved yet
        new = [sentence for sentence in found if sentence not in before]
        self._said = [*new, line if line in found else ""][0], found
        return self._said[0]

    def _say(self, message: str, *, good: bool = False) -> None:
        """Put a line under the picture: an alert or good news."""
        self._news.value = page.message(message, good=good)

    def _save(self, suffix: str) -> None:
        """Send the picture to the reader's browser."""
        name = re.sub(r"[^\w.-]+", "-", self._called())[:150].strip("-.") + f".{suffix}"
        with LOCK:
            data = self._file(suffix)
        margin = MARGIN / (self.sheet.size[0] + 2 * MARGIN)
        if ask_page(self._picture, {"save": name, "margin": margin}, data):
            self._say(f"Saved as {name} in your browser's downloads.", good=True)
        else:
            instead = "Right-click the picture, or save it from code: explorer.save()."
            self._say(f"This page can't save files. {instead}")

    def _called(self) -> str:
        """Return what names a file."""
        return str(self.spec)

    def _file(self, suffix: str) -> bytes:
        """Return the picture as a file's bytes."""
        return self.sheet.kept(suffix)

    # The hand

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

    def _touched(self, touch: dict) -> None:
        """Move the sliders for a drag in the picture, or say what's there.

        A late message can be about a picture that's gone.
        """
        with LOCK:
            pens = self.sheet.pens
            if touch["axes"] >= len(pens):
                return
            pen = pens[touch["axes"]]
            moves = self._touch.moves(pen, self.sliders, touch) if touch["press"] else {}
            with self._hold():
                for name, value in moves.items():
                    self._settings.go_near(name, round(value))
            if moves:
                self._refresh()
            words = ", ".join(f"{name} {as_text(self.sliders[name].value)}" for name in moves)
            if not touch["press"]:
                with themed(self.sheet.theme):
                    words = told(pen, touch)
            rolls = self._touch.rolls
            self._picture.hint = {"asked": touch["asked"], "text": words, "rolls": rolls}

    def _sent(self, sent: dict) -> None:
        """Move a slider as close as it can get to a number typed next to it.

        Anything but a number moves nothing.
        """
        settings, name = self._settings, sent["slider"]
        with LOCK:
            if name in self.sliders:  # a late message can be about one that's gone
                with self._hold(), suppress(TypeError, ValueError):
                    typed = settings.parameters[name].read(sent["typed"].strip().replace("−", "-"))
                    validate.real(name, typed)
                    settings.go_near(name, typed)
                self._refresh()

    def _page_changed(self, now: dict) -> None:
        """Redraw if the page has a different theme, or room for a different layout."""
        with LOCK:
            page.seen(now)
            self._width = now["own"]
            if (self._drawn, self.sheet.theme) != (self._layout(), self._look.theme):
                self._redraw()

    def _hold_axes(self, on: bool) -> None:
        """Let axes only grow while a slider is held, and settle when it's released."""
        with LOCK:
            self.sheet.hold(on)
            if not on:
                self._show()

    def _suit_page(self) -> None:
        """Show the canvas, or a plain image if the page can't load it."""
        with LOCK:
            before, runs = self._picture, self._canvas.runs
            shown_already = runs == (before is self._canvas)
            if shown_already or not self.box.comm:
                return
            self._picture = self._canvas if runs else picture.Plain(layout=before.layout)
            words = f"The sliders move this picture, but you can't drag in it: {to_drag()}"
            self._note.value = "" if runs else page.message(words, good=False)
            # a plain image can't be drawn in; a canvas asks again
            self.answer([] if runs else None)
            children = [self._picture if one is before else one for one in self.box.children]
            self.box.children = children

    def _answer_again(self) -> None:
        """Tell a reloaded page once more what's on it."""
        with LOCK:
            self._note.send_state("value")
            self.box.send_state("children")

    def _refresh(self) -> None:
        """Show the sliders' current values.

        After an error, a line of text reports it and the last picture stays.
        """
        try:
            with self._hold():
                encodings, values = self._settings.settle()
            self.sheet.update(encodings, values, self._names(encodings))
            self._show()
        except BaseException as error:  # even an interrupt leaves views half moved
            self.sheet.draw_all_anew()
            if self.raise_errors or not isinstance(error, Exception):
                raise
            self._say(f"{type(error).__name__}: {error}")


def in_columns(sliders: dict) -> widgets.Box:
    """Return choices, each in its own row, and sliders side by side below them."""
    choices, others = [], []
    for slider in sliders.values():
        if isinstance(slider, widgets.ToggleButtons):
            choices.append(slider)
        else:
            others.append(slider.add_class(f"posenc-letters-{min(letters(slider), LETTERS)}"))
    return widgets.Box(choices + others).add_class("posenc-sliders")


def letters(slider) -> int:
    """Return the letters in the longest value a slider can show."""
    if isinstance(slider, widgets.IntSlider):
        return max(len(str(slider.min)), len(str(slider.max)))
    return max(len(label) for label, _ in slider.options)


def explore(
    what: object,
    *,
    views: str | Sequence[str] | None = None,
    start: dict[str, Any] | None = None,
    frozen: bool | str | Sequence[str] = False,
    guess: bool = False,
    title: str = "",
    **parameters: object,
) -> Explorer:
    """Return an explorer of an encoding: its sliders, its pictures, and what they show in words.

    Given several encodings, it draws the same views of each, and one slider moves them all. Their
    own parameters, apart from the length, then stay at their defaults (the largest if these differ)
    unless you pass them.

    Ranges and starts come from the catalog. You can pass any parameter of an encoding or a view
    instead: a tuple (low, high) or (low, high, step) makes a slider, a list offers its entries, and
    a single value fixes it.

    >>> views = ["heatmap", "dot_product"]
    >>> panel = explore("sinusoidal", views=views, seq_len=(8, 512), d_model=64, base=500.0)
    >>> list(panel.sliders)
    ['seq_len', 'query']

    An encoding of your own is
    - a function f(positions, d_model, **parameters) that returns an array of shape (n, d_model).
      Positions are an array of integers. Arguments with defaults become sliders from a quarter to
      four times the default;
    - a trained table, an array of shape (seq_len, d), or (1, seq_len, d) like ViT's: its rows are
      the positions, and its last row is the limit;
    - an object or a class of a kind, see `Additive`, `Rotary`, `Relative`, `Bias`; sliders start at
      its values.

    Rotary and relative encodings take a model's own queries and keys, from one head, as q and k:
    arrays of shape (seq_len, head_dim) before the encoding is applied, explore("rope", q=q, k=k).
    Leading axes of length 1, like those of (1, 1, seq_len, head_dim), are dropped; several heads
    are refused. Pass tokens, a list of words, to label the axes with them.
    `posenc_lib.lessons.lesson_16.heads` has the q and k of six heads: explore("previous_head").

    Args:
        what: the name of an encoding in the catalog, one of your own, or a list of them.
        views: one view's name or a list of them; None means the ones that show it best.
        start: where sliders start, a dict by parameter name; None means the catalog's defaults.
        frozen: the limits that don't change while sliders move: "xlim", "ylim" or "clim" (colors),
            a list of these, or True for all. They cover what both ends of each slider show, and
            grow if that isn't enough.
        guess: whether the reader draws the curve, or the tops of the bars, before seeing it and how
            far off the drawing is. Sliders unlock once all curves are shown. A page that can't load
            anywidget shows them at once.
        title: the heading of a saved picture, instead of the encoding's name.
        **parameters: ranges, options or fixed values by parameter name.

    Raises:
        TypeError, ValueError: an encoding, a view or a value is invalid. If something fails later,
            at a slider, a line of text reports it and the last picture stays.
    """
    guess, title = validate.flag("guess", guess), validate.writable("title", title)
    if isinstance(frozen, (bool, str)):
        frozen = [frozen] if isinstance(frozen, str) else LIMITS if frozen else ()
    if not isinstance(frozen, (list, tuple)):
        rule = "frozen must be True, False, the name of a limit or a list of names"
        raise TypeError(f"{rule}, got {validate.show(frozen)}")
    for name in frozen:
        validate.known("frozen", name, LIMITS)
    asked = {"frozen": frozen, "guess": guess, "title": title}
    return Explorer(Spec.of(what, views, **parameters), start, **asked)
