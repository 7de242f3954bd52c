"""Explorers as films: each slider moves alone while the others stay at their start."""

import itertools
import re
from collections.abc import Callable
from functools import partial

import ipywidgets as widgets
import numpy as np

from posenc_lib.encodings.validate import as_text
from posenc_lib.figures import film as films
from posenc_lib.figures.film import SHARPNESS, Film
from posenc_lib.live import page
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.picture import question as asked_of
from posenc_lib.live.settings import steps
from posenc_lib.views import style
from posenc_lib.views.sheet import columns

LEAST, MOST = 4, 16  # values per slider, besides the named ones
FINE, SHARE = 32, 2.3  # those of a panel's first slider, and how much of its room they may take
NUMBER = r"[−-]?(?:\d{1,3}(?:[ ,\u202f]\d{3})+|\d+)(?:\.\d+)?|[−-]?\.\d+"
# px of a page: its column, pictures wider than that, and a phone's pictures
COLUMN, BROAD, PHONE = 656, 1008, 358
READABLE = 400  # px of a cell with words still readable when a phone shrinks it
HIGH = 900, 10_000  # px that a picture and its sliders can take on a desk and on a phone
DPI = SHARPNESS * style.CSS_DPI


def on_papers(make: Callable) -> list:
    """Return what's made on light and dark paper; an explorer also for a phone, if needed."""
    made = _in_room(make, BROAD, HIGH[0])
    if isinstance(made[0], Explorer) and not readable(made[0].sheet):
        made += _in_room(make, PHONE, HIGH[1])
    return made


def room_for(sheet) -> int:
    """Return the page px for some views: the column, or more for three views or a broad one."""
    abreast = columns(len(sheet.views), len(sheet.views) // sheet.each, None)
    broad = abreast == 1 and any(view.wide for view in sheet.views)
    return BROAD if broad or abreast > 2 else COLUMN


def readable(sheet) -> bool:
    """Return whether the words in a sheet's cells are large enough on a phone."""
    return max(across for _, _, across, _ in sheet.cells) * sheet.size[0] <= READABLE


def _in_room(make: Callable, width: int, high: int) -> list:
    """Return what's made on both papers; an explorer takes only the width its views need."""

    def made():
        told = {"width": width, "height": high, "sharpness": SHARPNESS}
        told["dark"] = style.theme() == "dark"
        page.seen(told)
        one = make()
        if isinstance(one, Explorer):
            one._page_changed(told | {"own": min(width, room_for(one.sheet))})
        return one

    try:
        return films.on_papers(made)
    finally:
        page.seen({"width": BROAD, "height": HIGH[0], "dark": False, "sharpness": 1.5})


def still(drawn: Callable, sheet, **words: str) -> str:
    """Return a picture as part of a page, drawn at a width that suits its sheet, or a phone."""
    rooms = [room_for(sheet)]
    desk = films.on_papers(partial(drawn, rooms[0]))
    made = [desk] if readable(desk[0]) else [desk, films.on_papers(partial(drawn, PHONE))]
    shapes = [Film() for _ in made]
    for one, papers in zip(shapes, made, strict=True):
        one.add(*papers, **words)
    return _html(*shapes)


def film(panels: list[Explorer], room: int, texts=(), together=(), every=()) -> str:
    """Return an explorer as part of a page.

    Args:
        panels: it on light and dark paper, and perhaps both again for a phone; they get closed.
        room: about how many letters it can take; sliders of large pictures have fewer values.
        texts: the texts around it. A slider keeps values they mention right after its name, and
            some of the other numbers they mention.
        together: settings, by slider, that move more than one slider.
        every: sliders that keep all their values.
    """
    first, shapes = panels[0], [Film() for _ in panels[::2]]
    made = shapes[0]
    for each in panels:
        each.raise_errors = True

    def frame(**at) -> int | None:
        """Add a frame with some sliders moved; return None if they can't go there."""
        try:
            for each in panels:
                each.reset()
                each.set(**at)
        except ValueError:
            return None
        told = {"words": first.text}
        for one, light, dark in zip(shapes, panels[::2], panels[1::2], strict=True):
            number = one.add(light.sheet, dark.sheet, **told)
            told = {}  # only once
        return number

    rest = frame()
    if first.asks:  # the first frame hides what the reader draws
        for each in panels:
            each.answer()
        rest = frame()
        for one, panel in zip(shapes, panels[::2], strict=True):
            one.question = _question(panel.sheet) | {"home": rest}
    live = [
        name for name in getattr(first, "live", first.sliders) if not first.sliders[name].disabled
    ]
    size = sum(len(one.frames[rest]["data"]) for one in shapes)
    most = max(min(room // (size * max(len(live), 1)), MOST), LEAST)

    def draw(frames: dict, name: str, chosen: list) -> None:
        """Take in what a slider shows at some more values."""
        frames |= {value: frame(**{name: value}) for value in chosen if value not in frames}

    places = {}
    for name in live:  # in a scene, only the ones it's about
        slider = first.sliders[name]
        home = slider.value
        mentions = [re.findall(rf"`{name}`[^`.\n]{{0,60}}", text) for text in texts]
        asked = numbers_in(itertools.chain(*mentions))
        told = [value for value in steps(slider) if value in numbers_in(texts)]
        named = {home, *asked, *(at.get(name) for at in together), *_evenly(told, most // 2)}
        choose = partial(_chosen, slider, named)
        count = len(steps(slider)) if name in every else most
        frames = {home: rest}
        if not places:  # what is drawn anyway tells what the others take
            draw(frames, name, choose(2))
            drawn = {*frames.values()} - {None, rest}
            taken = sum(len(one.frames[k]["data"]) for one in shapes for k in drawn)
            more = SHARE * room * len(drawn) / max(taken, 1) - len(drawn)
            count = max(count, min(int(more), FINE))
        draw(frames, name, choose(count))
        frames = {value: frames[value] for value in steps(slider) if value in frames}
        moves = any(made.frames[k]["data"] for k in {*frames.values()} - {None, rest})
        if not (moves or any(name in at for at in together)):
            continue  # it does nothing while the others stay at their start
        places[name] = values = [value for value, k in frames.items() if k is not None]
        told = {
            "name": name,
            "help": getattr(slider, "tooltip", None) or "",
            "start": values.index(home),
            "values": [_written(slider, value) for value in values],
            "frames": [frames[value] for value in values],
            "choice": isinstance(slider, widgets.ToggleButtons),
            "at": [steps(slider).index(value) for value in values],
        }
        made.sliders.append(told)
    for at in together:
        words = ", ".join(
            f"{name} {_written(first.sliders[name], at[name])}" for name in places if name in at
        )
        where = {}
        for k, (name, values) in enumerate(places.items()):
            if at.get(name) in values:
                where[k] = values.index(at[name])
        made.stops.append({"name": words, "at": where, "frame": frame(**at)})
    for each in panels:
        each.close()
    return _html(*shapes)


def _html(first: Film, *narrow: Film) -> str:
    """Return a film as part of a page; from its narrow shape, only what isn't in the first."""
    for frame in [frame for one in narrow for frame in one.frames]:
        del frame["axes"]
    return first.html(*narrow)


def numbers_in(texts) -> set[float]:
    """Return the numbers in some texts: 10 000 and 10,000, .5 and −3."""
    found = re.findall(NUMBER, " ".join(texts))
    return {float(re.sub("[ ,\u202f]", "", each).replace("−", "-")) for each in found}


def _question(panel) -> dict:
    """Return what a page needs for a reader to draw: the plots, and where each is in its cell."""
    boxes = []
    for pen, (left, bottom, wide, high) in zip(panel.pens, panel.cells, strict=True):
        (x0, y0), (x1, y1) = pen.ax.get_position().get_points()
        x = (x0 - left) / wide, (x1 - left) / wide
        y = (y0 - bottom) / high, (y1 - bottom) / high
        boxes.append({"box": [x[0], 1 - y[1], x[1], 1 - y[0]]})
    return {"boxes": boxes, "plots": asked_of(panel)["plots"]}


def _chosen(slider, wanted: set, most: int) -> list:
    """Return values of a slider, in order: some evenly spaced and all wanted ones."""
    every = steps(slider)
    even = _evenly(every, most)
    return [value for value in every if value in wanted or value in even]


def _evenly(values: list, most: int) -> list:
    return [values[round(k)] for k in np.linspace(0, len(values) - 1, min(most, len(values)))]


def _written(slider, value) -> str:
    """Return a value as written next to its slider."""
    labels = {value: str(label) for label, value in getattr(slider, "options", ())}
    return labels.get(value) or as_text(value).replace("-", "−")
