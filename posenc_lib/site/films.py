"""Explorers as films: each slider moves alone, all others stay where they begin."""

import ast
import io
import itertools
from collections.abc import Callable, Sequence
from contextlib import suppress

import ipywidgets as widgets
import numpy as np
from PIL import Image

from posenc_lib.encodings.validate import as_text
from posenc_lib.figures.film import Film, both
from posenc_lib.live import page
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.settings import steps

MOST = 24
SAMPLES = 8  # pictures that the colours of a film are taken from, beside the named ones
ROOM = {"width": 1000, "height": 900}  # px of a page that a picture and its sliders may take


def literal_call(source: str) -> tuple[str, list, dict] | None:
    """Return the function's name and the arguments of a cell that is one call with literals; else None."""
    with suppress(ValueError, SyntaxError):
        *before, only = ast.parse(source).body
        alone = all(isinstance(one, ast.Import | ast.ImportFrom) for one in before)
        if alone and isinstance(only, ast.Expr) and isinstance(only.value, ast.Call):
            named = {}
            for one in only.value.keywords:
                value = ast.literal_eval(one.value)
                named |= {one.arg: value} if one.arg else value  # without a name it is **{…}
            return ast.unparse(only.value.func), [ast.literal_eval(one) for one in only.value.args], named
    return None


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
    light, dark = Shots(make, dark=False), Shots(make, dark=True)
    named = {name: numbers | {at.get(name) for at in together} for name in light.moves}
    moves = {
        name: _chosen(slider, named[name], len(steps(slider)) if name in every else most)
        for name, slider in light.moves.items()
    }
    ends = [{name: value} for name, values in moves.items() for value in (values[0], values[-1])]
    some = [at for at in [{}, *ends[:SAMPLES], *together] if light.take(at) is not None]
    taken = Film([both(light.take(at), dark.take(at)) for at in some], words=light.words)

    def frame(**at) -> int | None:
        picture = light.take(at)
        return picture if picture is None else taken.add(both(picture, dark.take(at)), words=light.explorer.text)

    sliders = []
    for name, slider in light.moves.items():
        home = light.home[name]
        frames = {value: 0 if value == home else frame(**{name: value}) for value in moves[name]}
        moves[name] = [value for value in moves[name] if frames[value] is not None]  # the others leave no room for all
        told = {"name": name, "help": getattr(slider, "tooltip", None) or "", "start": moves[name].index(home)}
        told |= {"values": [_written(slider, value) for value in moves[name]]}
        told |= {"frames": [frames[value] for value in moves[name]]}
        sliders.append(told | {"choice": isinstance(slider, widgets.ToggleButtons)})
    buttons = [_button(at, light.moves, moves) | {"frame": frame(**at)} for at in together]
    return taken.html(sliders, light.explorer.panel.size[0], light.explorer.panel.cells, buttons)


def _button(at: dict, sliders: dict, moves: dict[str, list]) -> dict:
    """Return the name of a frame at which several sliders move, and where each of them stands then."""
    told = [f"{name} {_written(slider, at[name])}" for name, slider in sliders.items() if name in at]
    places = {k: values.index(at[name]) for k, (name, values) in enumerate(moves.items()) if at.get(name) in values}
    return {"name": ", ".join(told), "at": places}


class Shots:
    """Pictures of an explorer that nobody sees, on light or on dark paper."""

    def __init__(self, make: Callable[[], Explorer], *, dark: bool):
        page.seen(ROOM | {"dark": dark})
        self.explorer = make()
        self.explorer.clock = itertools.count().__next__  # so that what was before is kept as a ghost
        self.explorer.raise_errors = True
        self.words = self.explorer.text
        sliders = self.explorer.sliders
        live = getattr(self.explorer, "live", sliders)  # of a preset only those it is about
        self.moves = {name: sliders[name] for name in live if not sliders[name].disabled}
        self.home = {name: slider.value for name, slider in sliders.items()}

    def take(self, at: dict) -> np.ndarray | None:
        """Return the picture with some sliders elsewhere than at home; None where they leave each other no room."""
        self.explorer.reset()
        try:
            self.explorer.set(**at)
        except ValueError:
            return None
        return np.asarray(Image.open(io.BytesIO(self.explorer.png)).convert("RGB"))


def _chosen(slider, wanted: set, most: int) -> list:
    """Return some values of a slider, in order: evenly spaced ones, and those that are wanted."""
    every = steps(slider)
    few = {round(k) for k in np.linspace(0, len(every) - 1, min(most, len(every)))}
    return [value for k, value in enumerate(every) if k in few or value in wanted or value == slider.value]


def _written(slider, value) -> str:
    """Return a value as it stands beside its slider."""
    labels = {value: str(label) for label, value in getattr(slider, "options", ())}
    return labels.get(value) or as_text(value).replace("-", "−")
