"""One panel of the playground: an explorer with a slider for everything, opened as a state says."""

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.live.explorer import Explorer
from posenc_lib.live.state import State
from posenc_lib.views import VIEWS
from posenc_lib.views.names import irrelevant, parameters_of


class Side(Explorer):
    """An explorer whose encodings share one number of dims, and that knows how it can be told."""

    one_width = True

    def __init__(self, panel: State, wider: set):
        self._wished, self.elsewhere = panel.values, {}  # what could not be set as wanted, as (wanted, now) by name
        super().__init__(panel.names, panel.views, None, **_ranges(panel, wider))

    def _begin(self) -> None:
        fixed = set(self._settings.values) - set(self.sliders)
        self._idle = {name: value for name, value in self._wished.items() if name in fixed}  # for other views
        self.elsewhere = self._settings.approach(self._wished)
        self._settings.start = {name: slider.value for name, slider in self.sliders.items()}

    @property
    def names(self) -> list[str]:
        """Return the names of its encodings."""
        return [encoding.name for encoding in self._settings.encodings]

    @property
    def state(self) -> State:
        """Return all that is needed to open it again."""
        views = self._settings.views
        values = {name: value for name, value in (self.values | self._idle).items() if value is not None}
        return State(self.names, [view.name for view in views[: len(views) // len(self.names)]], values)


def build(panel: State) -> Side:
    """Return a panel with a slider for everything, opened as near to a state as it can be."""
    try:
        return Side(panel, wider=set(panel.values))
    except ValueError:  # a value that one encoding takes may be none of another: the nearest will do
        return Side(panel, wider=set())


def _ranges(panel: State, wider: set) -> dict:
    """Return the usual ranges and options of all sliders, or wider ones where a value lies beyond."""
    wanted = {}
    encodings, views = [ENCODINGS[e] for e in panel.names], [VIEWS[v] for v in panel.views]
    idle = irrelevant(encodings, views)
    for name, parameter in parameters_of(encodings, views).items():
        value = panel.values.get(name)
        if name in idle:
            continue
        if parameter.options:
            wanted[name] = list(parameter.options)
        elif parameter.default is not None or value is not None:
            wanted[name] = (parameter.low, parameter.high)
            if value is not None and name in wider:
                wanted[name] = (min(parameter.low, value), max(parameter.high, value))
    return wanted


def renamed(values: dict, names: list[str]) -> dict:
    """Return values with the number of dims under the name that these encodings have for it."""
    dims = next((values[name] for name in ("d_model", "head_dim") if name in values), None)
    widths = {ENCODINGS[name].width for name in names} - {None}
    return values | (dict.fromkeys(widths, dims) if dims else {})
