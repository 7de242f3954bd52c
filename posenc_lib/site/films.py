"""Explorers as films: each slider moves alone, all others stay where they begin."""

import itertools
from collections.abc import Callable, Sequence
from contextlib import contextmanager

import ipywidgets as widgets
import numpy as np

from posenc_lib.encodings.validate import as_text
from posenc_lib.figures.film import SHARPNESS, Film
from posenc_lib.live import page
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.settings import steps
from posenc_lib.views import style

MOST = 16  # values of a slider, beside those that a text names
ROOM = {"width": 1000, "height": 900}  # px of a page that a picture and its sliders may take
PAPERS = ("light", "dark")


@contextmanager
def paper(theme: str):
    """Let panels and figures be drawn as sharply as a phone shows them, on light or on dark paper."""
    before, Explorer.sharpness = Explorer.sharpness, SHARPNESS
    page.seen(ROOM | {"dark": theme == "dark"})
    try:
        with style.themed(theme):
            yield
    finally:
        Explorer.sharpness = before
        page.seen(ROOM | {"dark": False})


def film(
    make: Callable[[], Explorer],
    numbers=frozenset(),
    together: Sequence[dict] = (),
    every: Sequence[str] = (),
    most: int = MOST,
) -> str:
    """Return an explorer as a part of a page.

    Args:
        make: makes it.
        numbers: what the text names; where a slider can take such a value it does.
        together: settings, by slider, at which more than one slider moves.
        every: sliders that keep all their values.
        most: values of each other slider, beside those that are named.
    """
    panels = [_made(make, theme) for theme in PAPERS]
    first, made = panels[0], Film()
    sliders = {name: first.sliders[name] for name in getattr(first, "live", first.sliders)}
    sliders = {name: slider for name, slider in sliders.items() if not slider.disabled}
    home = {name: slider.value for name, slider in sliders.items()}

    def frame(**at) -> int | None:
        """Take in what is shown with some sliders elsewhere than at home; None where they leave each other no room."""
        for each in panels:
            each.reset()
            try:
                each.set(**at)
            except ValueError:
                return None
        return made.add(*(each.panel for each in panels), words=first.text)

    frame()
    told, moves = [], {}
    for name, slider in sliders.items():
        named = numbers | {at.get(name) for at in together}
        frames = {
            value: 0 if value == home[name] else frame(**{name: value})
            for value in _chosen(slider, named | {home[name]}, len(steps(slider)) if name in every else most)
        }
        moves[name] = [value for value, k in frames.items() if k is not None]
        told.append({
            "name": name,
            "help": getattr(slider, "tooltip", None) or "",
            "choice": isinstance(slider, widgets.ToggleButtons),
            "start": moves[name].index(home[name]),
            "values": [_written(slider, value) for value in moves[name]],
            "frames": [frames[value] for value in moves[name]],
        })
    stops = []
    for at in together:
        words = ", ".join(f"{name} {_written(sliders[name], at[name])}" for name in sliders if name in at)
        places = {k: moves[name].index(at[name]) for k, name in enumerate(moves) if at.get(name) in moves[name]}
        stops.append({"name": words, "at": places, "frame": frame(**at)})
    return made.html(told, stops)


def _made(make: Callable[[], Explorer], theme: str) -> Explorer:
    with paper(theme):
        explorer = make()
    explorer.clock = itertools.count().__next__  # so that what was before is kept as a ghost
    explorer.raise_errors = True
    return explorer


def _chosen(slider, wanted: set, most: int) -> list:
    """Return some values of a slider, in order: evenly spaced ones, and those that are wanted."""
    every = steps(slider)
    few = {round(k) for k in np.linspace(0, len(every) - 1, min(most, len(every)))}
    return [value for k, value in enumerate(every) if k in few or value in wanted]


def _written(slider, value) -> str:
    """Return a value as it stands beside its slider."""
    labels = {value: str(label) for label, value in getattr(slider, "options", ())}
    return labels.get(value) or as_text(value).replace("-", "−")
