"""A spec says which encodings to show, in which views, at which values.

Explorers, figures, films and lines are built from one.
As text: "rope+alibi: dot_product, similarity; seq_len=64".
A bar separates two panels.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import NAMED, meaning
from posenc_lib.encodings.given import given_queries_keys
from posenc_lib.encodings.own import opened
from posenc_lib.encodings.parameter import Parameter, written
from posenc_lib.encodings.register import todays
from posenc_lib.views import VIEWS, View

LONGEST = 2000  # characters
# Names that `explore`, Spec.of and a figure's panels (LOOKS) use themselves
TAKEN = {"self", "what", "views", "start", "frozen", "guess", "bound", "low"}


@dataclass(frozen=True)
class Spec:
    """One panel: encodings, views of each, and values that are set."""

    encodings: tuple[Encoding, ...]
    views: tuple[View, ...]
    values: dict = field(default_factory=dict)

    @classmethod
    def of(cls, what, views=None, /, **values) -> "Spec":
        """Return the spec of anything `opened` takes.

        Views are given by name. None picks the best ones.
        """
        encodings = opened(what, values)
        if ({"q", "k"} & set(values)).difference(*(e.values for e in encodings)):
            given = {name: values.pop(name) for name in ("q", "k", "tokens") if name in values}
            encodings = given_queries_keys(encodings, **given)
        for encoding in encodings:
            if encoding.name not in NAMED:
                refuse_taken(encoding)
        spec = cls(tuple(encodings), _views(views, encodings))
        return spec.at(**{spec.parameter(name).name: value for name, value in values.items()})

    @property
    def names(self) -> str:
        """The encodings in a sentence: rope and alibi."""
        return " and ".join(encoding.name for encoding in self.encodings)

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Every parameter by name.

        If encodings share a name, the highest `_rank` wins. Views win
        over encodings, and among views, the last one with a default.
        A caller's value wins over all of them.
        """
        found = {}
        for encoding in self.encodings:
            for p in encoding.turnable:
                found[p.name] = max(found.get(p.name, p), p, key=_rank)
        of_views = []
        for view in self.views:
            # They're meant for pictures of the encoding's table
            starts = self.encodings[0].view_starts if "table" in view.needs else {}
            for p in view.parameters:
                default = starts.get(p.name, p.default)
                of_views.append(replace(p, default=default))
        of_views.sort(key=lambda p: p.default is not None)
        return found | {p.name: p for p in of_views}

    def parameter(self, name: str) -> Parameter:
        """Return a parameter. The error lists similar names."""
        name = todays(name, self.parameters)
        if name not in self.parameters:
            near = validate.among(name, self.parameters, "It has")
            unknown = f"no parameter {validate.show(name)} here"
            raise TypeError(f"{self.names} has {unknown}. {near}")
        return self.parameters[name]

    @cached_property
    def owned(self) -> set[str]:
        """The names of the encodings' parameters."""
        return {p.name for encoding in self.encodings for p in encoding.turnable}

    @cached_property
    def irrelevant(self) -> set[str]:
        """The names of parameters that don't change any of the views."""
        relevant = {p.name for view in self.views for p in view.parameters}
        for view in self.views:
            relevant = relevant.union(*map(view.relevant, self.encodings))
        return self.owned - relevant

    @property
    def all_values(self) -> dict:
        """All values by name, with defaults for those not set."""
        values = {}
        for p in self.parameters.values():
            values[p.name] = self.values.get(p.name, p.default)
        return values

    def at(self, **values) -> "Spec":
        return replace(self, values=self.values | values)

    def encodings_at(self, values: dict) -> list[Encoding]:
        return [encoding.at_known(values) for encoding in self.encodings]

    def highest(self, encodings: list[Encoding]) -> dict:
        """Return by name how high parameters can go with these encodings."""
        highest = {"seq_len": min(view.most_positions for view in self.views)}
        ends_show = len(encodings) > 1 and all(view.shows_end for view in self.views)
        for encoding in encodings:
            own = dict(encoding.highest)
            if ends_show and encoding.has("rows"):
                own.pop("seq_len", None)  # the picture shows where its table ends
            lower(highest, own)
        seq_len = min(encodings[0].seq_len, highest["seq_len"])
        for view in self.views:
            for encoding in encodings:
                lower(highest, view.highest(encoding.num_dims, seq_len))
        return highest

    def fit(self, values: dict) -> tuple[list[Encoding], dict]:
        """Return encodings and values, lowered as far as they limit each other."""
        encodings = self.encodings_at(values)
        if too_high := beyond(values, self.highest(encodings)):
            values = values | too_high
            encodings = self.encodings_at(values)
        return encodings, values

    def refuse_beyond(self, values: dict, highest: dict) -> None:
        """Raise an error if a value that matters is too high."""
        for name, most in beyond(values, highest).items():
            if name not in self.irrelevant:
                rule = f"{name} must be at most {most} here"
                raise ValueError(f"{rule}, got {values[name]}")

    def check(self) -> None:
        """Raise an error if a value that's set breaks a rule or is too high."""
        for name, value in self.values.items():
            self.parameters[name].checked(value)
        encodings = self.encodings_at(self.all_values)
        self.refuse_beyond(self.values, self.highest(encodings))
        for encoding in encodings:
            encoding.at(seq_len=encoding.max_positions).check()

    def views_in_order(self) -> list[View]:
        """Return the views of the first encoding, then of the second, and so on."""
        return [view for _ in self.encodings for view in self.views]

    def __str__(self) -> str:
        encodings = "+".join(encoding.name for encoding in self.encodings)
        views = ", ".join(view.name for view in self.views)
        line = f"{encodings}: {views}"
        values = [f"{name}={written(value)}" for name, value in self.values.items()]
        return f"{line}; {', '.join(values)}" if values else line


def refuse_taken(encoding: Encoding) -> None:
    """Refuse a parameter if a view of any page uses its name."""
    taken = set(TAKEN)
    for view in VIEWS.load().values():
        taken.update(p.name for p in view.parameters)
    for name in taken & set(encoding.values):
        rule = f"must rename its parameter {name!r}"
        raise ValueError(f"{encoding.name} {rule}: views use that name")


def _rank(parameter: Parameter) -> tuple:
    number = isinstance(parameter.default, (int, float))
    default = parameter.default if number else 0
    power = parameter.scale == "power of two"
    return number, default, power, parameter.least, -len(parameter.options)


def lower(highest: dict, other: dict) -> None:
    """Lower highest values, by name, to those of another dict."""
    for name, most in other.items():
        highest[name] = min(highest.get(name, most), most)


def beyond(values: dict, highest: dict) -> dict:
    """Return by name the highest allowed value of each value above it."""
    found = {}
    for name, most in highest.items():
        if values.get(name) is not None and values[name] > most:
            found[name] = most
    return found


def write(specs: Iterable[Spec]) -> str:
    """Return panels as one line of text."""
    return " | ".join(map(str, specs))


def read(text: str, most: int = 2, known: Mapping[str, Encoding] = NAMED) -> list[Spec]:
    """Return the panels a line describes, at most `most` of them."""
    if not isinstance(text, str):
        raise TypeError(f"the line must be a string, got {validate.show(text)}")
    if len(text) > LONGEST:
        rule = f"the line can have at most {LONGEST} characters"
        raise ValueError(f"{rule}, got {len(text)}")
    parts = text.split("|")
    if len(parts) > most:
        panels = "1 panel" if most == 1 else f"{most} panels"
        raise ValueError(f"the line can describe at most {panels}, got {len(parts)}")
    return [_panel(*parts_of(part), known) for part in parts]


def _panel(names: list, views: list, values: dict, known: Mapping) -> Spec:
    names = [name if name in known else name.lower() for name in names]  # RoPE is rope
    for name in names:
        if name not in known:
            near = validate.among(name, known)
            own = "If it's yours: playground(line, own=[…])"
            raise ValueError(f"{name!r} isn't in the catalog. {near} {own}")
        if names.count(name) > 1:
            rule = f"can name {name} once per panel. For two, write"
            raise ValueError(f'the line {rule} "{name}: … | {name}: …"')
    encodings = tuple(known[name] for name in names)
    spec = Spec(encodings, _views(views or None, encodings))
    for name, text in values.items():
        parameter, value = spec.parameter(name), None
        if text.lower() != "none":
            value = parameter.checked(parameter.read(text))
        spec = spec.at(**{parameter.name: value})
    return spec


def parts_of(text: str) -> tuple[list[str], list[str], dict[str, str]]:
    """Return the encodings, views and values in a panel's line."""
    shown, _, values = text.partition(";")
    names, _, views = shown.partition(":")
    encodings = _listed(names, r"\+")
    if not encodings:
        rule = 'the line must look like "rope: heatmap, dot_product; seq_len=64"'
        raise ValueError(f"{rule}, got {text.strip()!r}")
    if "=" in shown:
        line = "; ".join(re.split(r"[\s,:]+(?=[^\s,:]+\s*=)", shown, maxsplit=1))
        rule = f'the line needs ";" before its values, as in "{line}"'
        raise ValueError(f"{rule}, got {text.strip()!r}")
    found = {}
    for setting in _listed(values, r",(?=[^,=]*=)"):  # a value can contain commas
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise ValueError(f"set parameters as NAME=VALUE, got {setting!r}")
        found[name] = value
    return encodings, _listed(views, ","), found


def _listed(text, between) -> list[str]:
    return [part.strip() for part in re.split(between, text) if part.strip()]


def _views(views, encodings: Sequence[Encoding]) -> tuple[View, ...]:
    if views is None:
        views = ["attention_row"] if len(encodings) > 1 else encodings[0].views
    views = [views] if isinstance(views, str) else views
    if not isinstance(views, (list, tuple)):
        rule = "views must be the name of a view or a list of names"
        raise TypeError(f"{rule}, got {validate.show(views)}")
    views = [todays(name, VIEWS) for name in views]
    for name in views:
        validate.known("views", name, VIEWS)
        for encoding in encodings:
            if not VIEWS[name].fits(encoding):
                raise ValueError(_unfit(name, encoding))
    if not views or len(set(views)) < len(views):
        rule = "views must name at least one view, and each only once"
        raise ValueError(f"{rule}, got {views!r}")
    return tuple(VIEWS[name] for name in views)


def _unfit(name: str, encoding: Encoding) -> str:
    view = VIEWS[name]
    lacks = [meaning(need) for need in view.needs if not encoding.has(need)]
    reasons = [f"it needs {', '.join(lacks)}"] if lacks else []
    if view.only and (not lacks or view.only_for != View.only_for):
        reasons.append(f"it's for {view.only_for}")
    fitting = [view for view in VIEWS if VIEWS[view].fits(encoding)]
    views = validate.among("", fitting, "Its views are")
    return f"{encoding.name} has no view {name!r}: {' and '.join(reasons)}. {views}"
