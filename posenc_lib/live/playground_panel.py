"""One panel of the playground, and the film of a slider."""

from dataclasses import replace

from posenc_lib.figures.formats import render
from posenc_lib.figures.registry import composed
from posenc_lib.live.controls import steps
from posenc_lib.live.explorer import Explorer
from posenc_lib.spec import Spec
from posenc_lib.views.style import LOCK


class PlaygroundPanel(Explorer):
    """An explorer with a slider for everything, opened as near to a spec as it can be."""

    one_width = True

    def __init__(self, wanted: Spec, *, wider: bool):
        self._wished, self.elsewhere = wanted.values, {}  # what could not be set, as (wanted, now) by name
        super().__init__(replace(wanted, values=_ranges(wanted, wider=wider)))

    def _begin(self) -> None:
        fixed = set(self._settings.values) - set(self.sliders)
        self._idle = {name: value for name, value in self._wished.items() if name in fixed}  # for other views
        self.elsewhere = self._settings.approach(self._wished)
        self._settings.start = {name: slider.value for name, slider in self.sliders.items()}

    @property
    def spec(self) -> Spec:
        """Return all that is needed to open it again."""
        now = super().spec
        return replace(now, values=now.values | {name: v for name, v in self._idle.items() if v is not None}, notes=())

    def film(self, name: str) -> bytes:
        """Return a GIF of one slider going from end to end; a ValueError says that others leave it no room to move."""
        values = steps(self.sliders[name])
        figure = replace(composed(self.spec), moves=name, low=values[0], high=values[-1])
        with LOCK:
            return render(figure, figure.defaults, "gif")


def build(wanted: Spec) -> PlaygroundPanel:
    """Return a panel with a slider for everything, opened as near to a spec as it can be."""
    try:
        return PlaygroundPanel(wanted, wider=True)
    except ValueError:  # a value that one encoding takes may be none of another: the nearest will do
        return PlaygroundPanel(wanted, wider=False)


def _ranges(wanted: Spec, *, wider: bool) -> dict:
    """Return the usual ranges and options of all sliders, or wider ones where a value lies beyond."""
    ranges = {}
    for name, parameter in wanted.parameters.items():
        value = wanted.values.get(name)
        if name in wanted.irrelevant:
            continue
        if len(parameter.options) > 1:
            ranges[name] = list(parameter.options)
        elif not parameter.options and (parameter.default is not None or value is not None):
            reached = [parameter.low, parameter.high, *([value] if wider and value is not None else [])]
            ranges[name] = min(reached), max(reached)
    return ranges
