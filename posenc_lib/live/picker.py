"""What a reader chooses in the playground: encodings, views, presets, a line from somebody else."""

import ipywidgets as widgets

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.live.presets import PRESETS
from posenc_lib.spec import Spec
from posenc_lib.views import VIEWS

KINDS = {  # where an encoding enters, and what is drawn of it
    "additive": ("added to words", "its table, one vector for each position"),
    "rotary": ("turns queries and keys", "one query and one key, turned at each position"),
    "relative": ("changes scores", "what it makes of the scores of one query and one key, set down at every position"),
    "bias": ("adds to scores", "the numbers it adds to the scores; it has no vectors"),
}
VIEWS_AT_ONCE = 3
WIDE = {"layout": {"width": "auto"}, "style": {"description_width": "4.6em"}}


class Picker:
    """The lists above the pictures: other encodings or views call changed, a preset's name or a line asked."""

    def __init__(self, changed, asked, known: dict[str, Encoding]):
        self.showing, self._known = False, known  # while it shows, its lists move by themselves
        by_kind = [e for kind in KINDS for e in known.values() if e.kind == kind]
        named = [(f"{e.title} · {KINDS[e.kind][0]}", e.name) for e in by_kind]
        presets = [("choose …", ""), *((preset, preset) for preset in PRESETS)]
        self.preset = widgets.Dropdown(options=presets, description="show", **WIDE)
        self.line = widgets.Text(description="line", placeholder="from somebody else", continuous_update=False, **WIDE)
        self.a = widgets.Dropdown(options=named, description="A", **WIDE)
        self.b = widgets.Dropdown(options=[("nothing beside it", ""), *named], description="B", **WIDE)
        self.apart = widgets.Checkbox(description="own parameters for each", indent=False)
        self.views = [widgets.Dropdown(options=[], description=f"view {k + 1}", **WIDE) for k in range(VIEWS_AT_ONCE)]
        grid = {"grid_template_columns": "repeat(auto-fit, minmax(250px, 1fr))", "grid_gap": "2px 18px"}
        lists = [self.a, self.b, self.apart, *self.views, self.preset, self.line]
        self.box = widgets.GridBox(lists, layout=widgets.Layout(**grid))
        for widget in (self.a, self.b, self.apart, *self.views):
            widget.observe(lambda change: changed(), names="value")
        for widget in (self.preset, self.line):
            widget.observe(lambda change: change["new"] and asked(change["new"]), names="value")

    def panels(self) -> list[tuple[list[Encoding], list[str]]]:
        """Return the encodings and the names of the views of each panel that is asked for; the rest is filled up."""
        chosen = list(dict.fromkeys(name for name in (self.a.value, self.b.value) if name))  # the same twice is one
        encodings = [self._known[name] for name in chosen]
        groups = [[one] for one in encodings] if self.apart.value else [encodings]
        wanted = [drop.value for drop in self.views if drop.value]
        views = [view for view in dict.fromkeys(wanted) if fits(view, chosen, self._known)]
        for view in self._best(chosen):
            if not views or (len(views) < len(wanted) and view not in views):
                views.append(view)
        return [(group, views) for group in groups]

    def show(self, panels: list[Spec]) -> None:
        """Put every list where the panels are; each list of views holds those that fit and are not drawn already."""
        self.showing = True
        try:
            self._show(panels)
        finally:
            self.showing = False

    def _show(self, panels: list[Spec]) -> None:
        names = [encoding.name for panel in panels for encoding in panel.encodings]
        drawn = [view.name for view in panels[0].views]
        self.a.value, self.b.value = names[0], names[1] if len(names) > 1 else ""
        self.apart.value, self.apart.disabled = len(panels) > 1, len(names) < 2
        self.preset.value = self.line.value = ""  # so that the same can be asked for again
        fitting = [view for view in VIEWS if fits(view, names, self._known)]
        for k, drop in enumerate(self.views):
            now = drawn[k] if k < len(drawn) else ""  # of two panels it may be one that the other cannot show
            rest = [view for view in VIEWS if view == now or (view in fitting and view not in drawn)]
            drop.options = [("–", "")] * (k > 0) + [(view, view) for view in rest]
            drop.value = now

    def _best(self, names: list[str]) -> list[str]:
        """Return the views that show these encodings best, as far as all of them can feed them."""
        wished = [*self._known[names[0]].views, "dot_product", "similarity", "score_by_offset"]
        return [view for view in dict.fromkeys(wished) if fits(view, names, self._known)]


def fits(view: str, names: list[str], known: dict[str, Encoding] = ENCODINGS) -> bool:
    """Return whether all of these encodings can feed a view."""
    return all(VIEWS[view].fits(known[name]) for name in names)
