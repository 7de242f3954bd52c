"""What a reader chooses in the playground: encodings, views, presets, a shared line."""

from collections.abc import Mapping

import ipywidgets as widgets

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.live.presets import PRESETS
from posenc_lib.spec import Spec
from posenc_lib.views import VIEWS

KINDS = {  # where an encoding enters, and what is drawn of it
    "additive": "added to words; showing its table, one vector for each position",
    "rotary": "turns queries and keys; showing one query and one key, turned at each position",
    "relative": "changes scores; showing what it makes of one query and one key, set down at every position",
    "bias": "adds to scores; showing the numbers it adds, for it has no vectors",
}
VIEWS_AT_ONCE = 3
LIST = 260  # px that a list with its name needs
LISTS = {"layout": {"width": "auto"}, "style": {"description_width": "3.9em"}}


class Picker:
    """The lists of a playground: other encodings or views call changed, a preset's name or a line asked.

    "" asks for no preset; used is told first what a reader has used.
    `top` holds what is chosen most, `rest` what else there is.
    """

    def __init__(self, used, changed, asked, known: Mapping[str, Encoding]):
        self.showing, self._known = False, known  # while it shows, its lists move by themselves
        self._parted = False  # whether a reader, or a line, wants each encoding to have its own sliders
        named = [(e.title, e.name) for kind in KINDS for e in known.values() if e.kind == kind]
        presets = [("choose …", ""), *((preset, preset) for preset in PRESETS)]
        self.preset = widgets.Dropdown(options=presets, description="show", **LISTS)
        self.a = widgets.Dropdown(options=named, description="A", **LISTS)
        self.b = widgets.Dropdown(options=[("none", ""), *named], description="B", **LISTS)
        self.views = [widgets.Dropdown(options=[], description=f"view {k + 1}", **LISTS) for k in range(VIEWS_AT_ONCE)]
        look = widgets.Layout(width="auto", margin="2px 18px 2px 2px")
        self.apart = widgets.Checkbox(description="own parameters for each", indent=False, layout=look)
        about = {"placeholder": "paste a shared line", "continuous_update": False}
        self.line = widgets.Text(description="line", **about, **LISTS)
        self.top = _side_by_side(self.preset, self.a, self.b)
        self.rest = widgets.VBox([_side_by_side(*self.views), self.apart, self.line])
        for widget in (self.preset, self.a, self.b, self.apart, *self.views, self.line):
            widget.observe(lambda change: self.showing or used(change["owner"]), names="value")
        self.apart.observe(lambda change: self.showing or setattr(self, "_parted", change["new"]), names="value")
        for widget in (self.a, self.b, self.apart, *self.views):
            widget.observe(lambda change: changed(), names="value")
        self.preset.observe(lambda change: self.showing or asked(change["new"]), names="value")
        self.line.observe(lambda change: change["new"] and not self.showing and asked(change["new"]), names="value")

    def panels(self, most: int) -> tuple[list[tuple[list[Encoding], list[str]]], str]:
        """Return encodings and names of views, so many at most, of each panel, and what had to be otherwise."""
        chosen = [name for name in (self.a.value, self.b.value) if name]
        encodings = [self._known[name] for name in chosen]
        wanted = list(dict.fromkeys(drop.value for drop in self.views if drop.value))[:most]
        most = len(wanted) if chosen[1:] else most
        if not self._shared(chosen):
            told = f"{' and '.join(one.title for one in encodings)} share no view: each has its own."
            return [([one], self._fitting(wanted, [one.name])[0][:most]) for one in encodings], told
        apart = self._parted or len(set(chosen)) < len(chosen)  # the same twice, to differ in its parameters
        groups = [[one] for one in encodings] if apart else [encodings]
        views, gone = self._fitting(wanted, chosen)
        told = " ".join(f"{called(view)} does not fit {' and '.join(self._unfit(view, chosen))}." for view in gone)
        return [(group, views[:most]) for group in groups], told

    def _fitting(self, wanted: list[str], names: list[str]) -> tuple[list[str], list[str]]:
        """Return the views to draw of these encodings, and which of those wanted do not fit them."""
        gone = [view for view in wanted if not fits(view, names, self._known)]
        return self._best(names) if gone or not wanted else wanted, gone  # another one is seen best in its own views

    def _shared(self, names: list[str]) -> list[str]:
        """Return the views that all of these encodings can feed."""
        return [view for view in VIEWS if fits(view, names, self._known)]

    def show(self, panels: list[Spec], preset: str) -> None:
        """Put every list where the panels are; each list of views holds those that fit and are not drawn already."""
        self.showing = True
        try:
            self._show(panels, preset)
        finally:
            self.showing = False

    def _show(self, panels: list[Spec], preset: str) -> None:
        names = [encoding.name for panel in panels for encoding in panel.encodings]
        drawn = [view.name for view in panels[0].views]
        must = len(set(names)) < len(names) or not self._shared(names)
        if not must or names != [self.a.value, self.b.value]:  # chosen so in the lists, they part for as long
            self._parted = len(panels) > 1
        self.apart.value = len(panels) > 1
        self.a.value, self.b.value = names[0], names[1] if len(names) > 1 else ""
        self.apart.disabled = must or len(names) < 2
        self.preset.value, self.line.value = preset, ""
        fitting = self._shared(names) or self._shared(names[:1])
        for k, drop in enumerate(self.views):
            now = drawn[k] if k < len(drawn) else ""  # of two panels it may be one that the other cannot show
            drop.options = [("none", "")] * (k > 0) + [(called(v), v) for v in VIEWS if v == now or v in fitting]
            drop.value = now

    def _unfit(self, view: str, names: list[str]) -> dict:
        return {self._known[name].title: None for name in names if not fits(view, [name], self._known)}

    def _best(self, names: list[str]) -> list[str]:
        """Return the views that show these encodings best, as far as all of them can feed them."""
        wished = [*self._known[names[0]].views, "dot_product", "similarity", "score_by_offset"]
        return [view for view in dict.fromkeys(wished) if fits(view, names, self._known)] or self._shared(names)


def called(view: str) -> str:
    """Return how a reader calls a view: trajectory 3d · Positions as points."""
    words = view.replace("_", " ")
    return f"{words} · {VIEWS[view].title}" if VIEWS[view].title else words


def fits(view: str, names: list[str], known: Mapping[str, Encoding] = KNOWN) -> bool:
    """Return whether all of these encodings can feed a view."""
    return all(VIEWS[view].fits(known[name]) for name in names)


def _side_by_side(*lists) -> widgets.GridBox:
    columns = f"repeat(auto-fit, minmax(min({LIST}px, 100%), 1fr))"
    return widgets.GridBox(lists, layout=widgets.Layout(grid_template_columns=columns, grid_gap="2px 18px"))
