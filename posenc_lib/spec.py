"""A spec says which views of which encodings are shown at which values.

Explorers, figures, films and lines are made of one.
As text it is "rope+alibi: dot_product, similarity; seq_len=64",
and a bar stands between two panels.
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
from posenc_lib.views import VIEWS, View

LONGEST = 2000  # characters
# Names that `explore`, Spec.of and a figure's panels (LOOKS) have for themselves
TAKEN = {"self", "what", "views", "start", "frozen", "guess", "bound", "low"}


@dataclass(frozen=True)
class Spec:
    """One panel: encodings, the views of each of them, and the values set."""

    encodings: tuple[Encoding, ...]
    views: tuple[View, ...]
    values: dict = field(default_factory=dict)

    @classmethod
    def of(cls, what, views=None, /, **values) -> "Spec":
        """Return the spec of what `opened` takes.

        Views are names; None means the best ones.
        """
        encodings = opened(what, values)
        if {"q", "k"} <= set(values) and any("content" in e.values for e in encodings):
            q, k, tokens = values.pop("q"), values.pop("k"), values.pop("tokens", ())
            encodings = given_queries_keys(encodings, q, k, tokens)
        for encoding in encodings:
            if encoding.name not in NAMED:
                refuse_taken(encoding)
        spec = cls(tuple(encodings), _views(views, encodings), values)
        for name in values:
            spec.parameter(name)
        return spec

    @property
    def names(self) -> str:
        """The encodings as a sentence names them: rope and alibi."""
        return " and ".join(encoding.name for encoding in self.encodings)

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Every parameter by name.

        Where encodings share a name, the largest default wins,
        then a power of two, then the higher `least`, then fewer
        options, then the first. Views win over encodings, and of
        views the last that begins somewhere. What a caller sets
        wins over all (and which of them are sliders, `Settings`
        says).
        """
        found = {}
        for encoding in self.encodings:
            for p in encoding.turnable:
                found[p.name] = max(found.get(p.name, p), p, key=_rank)
        of_views = []
        for view in self.views:
            # They are meant for pictures of the encoding's own table
            starts = self.encodings[0].view_starts if "table" in view.needs else {}
            for p in view.parameters:
                default = starts.get(p.name, p.default)
                of_views.append(replace(p, default=default))
        of_views.sort(key=lambda p: p.default is not None)
        return found | {p.name: p for p in of_views}

    def parameter(self, name: str) -> Parameter:
        """Return a parameter; an error lists those of similar names."""
        if name not in self.parameters:
            near = validate.among(name, self.parameters, "it has")
            raise TypeError(f"{self.names} has no parameter {validate.show(name)} here ({near})")
        return self.parameters[name]

    @cached_property
    def owned(self) -> set[str]:
        """The names of the encodings' parameters."""
        return {p.name for encoding in self.encodings for p in encoding.turnable}

    @cached_property
    def irrelevant(self) -> set[str]:
        """The names of parameters that change nothing in any view."""
        relevant = {p.name for view in self.views for p in view.parameters}
        for view in self.views:
            relevant = relevant.union(*map(view.relevant, self.encodings))
        return self.owned - relevant

    @property
    def all_values(self) -> dict:
        """All values by name: the default of what is not set."""
        return {p.name: self.values.get(p.name, p.default) for p in self.parameters.values()}

    def at(self, **values) -> "Spec":
        return replace(self, values=self.values | values)

    def encodings_at(self, values: dict) -> list[Encoding]:
        return [encoding.at_known(values) for encoding in self.encodings]

    def highest(self, encodings: list[Encoding]) -> dict:
        """Return by name how high parameters can go beside these encodings."""
        highest = {"seq_len": min(view.most_positions for view in self.views)}
        ends_show = len(encodings) > 1 and all(view.shows_end for view in self.views)
        for encoding in encodings:
            own = dict(encoding.highest)
            if ends_show and encoding.has("rows"):
                own.pop("seq_len", None)  # its table is seen to end
            _lower(highest, own)
        seq_len = min(encodings[0].seq_len, highest["seq_len"])
        for view in self.views:
            for encoding in encodings:
                _lower(highest, view.highest(encoding.num_dims, seq_len))
        return highest

    def fit(self, values: dict) -> tuple[list[Encoding], dict]:
        """Return encodings and values, each as high as the others let it be."""
        encodings = self.encodings_at(values)
        if too_high := beyond(values, self.highest(encodings)):
            values = values | too_high
            encodings = self.encodings_at(values)
        return encodings, values

    def refuse_beyond(self, values: dict, highest: dict) -> None:
        """Raise an error where a value that matters is too high."""
        for name, most in beyond(values, highest).items():
            if name not in self.irrelevant:
                raise ValueError(f"{name} must be at most {most} here, got {values[name]}")

    def check(self) -> None:
        """Raise an error where a value breaks a rule or is too high."""
        for name, value in self.values.items():
            self.parameters[name].checked(value)
        values = self.all_values
        encodings = self.encodings_at(values)
        self.refuse_beyond(values, self.highest(encodings))
        for encoding in encodings:
            encoding.at(seq_len=encoding.max_positions).check()

    def views_in_order(self) -> list[View]:
        """Return the views of each encoding in turn."""
        return [view for _ in self.encodings for view in self.views]

    def __str__(self) -> str:
        encodings = "+".join(encoding.name for encoding in self.encodings)
        views = ", ".join(view.name for view in self.views)
        line = f"{encodings}: {views}"
        values = [f"{name}={written(value)}" for name, value in self.values.items()]
        return f"{line}; {', '.join(values)}" if values else line


def refuse_taken(encoding: Encoding) -> None:
    """Refuse a parameter whose name views of any page use."""
    taken = TAKEN | {p.name for view in VIEWS.load().values() for p in view.parameters}
    for name in taken & set(encoding.values):
        rule = f"must call its parameter {name!r} something else"
        raise ValueError(f"{encoding.name} {rule}: views use that name")


def _rank(parameter: Parameter) -> tuple:
    number = isinstance(parameter.default, (int, float))
    default = parameter.default if number else 0
    power = parameter.scale == "power of two"
    return number, default, power, parameter.least, -len(parameter.options)


def _lower(highest: dict, other: dict) -> None:
    for name, most in other.items():
        highest[name] = min(highest.get(name, most), most)


def beyond(values: dict, highest: dict) -> dict:
    """Return by name the highest value of each that is too high."""
    found = {}
    for name, most in highest.items():
        if values.get(name) is not None and values[name] > most:
            found[name] = most
    return found


def write(specs: Iterable[Spec]) -> str:
    """Return panels as one line."""
    return " | ".join(map(str, specs))


def read(text: str, most: int = 2, known: Mapping[str, Encoding] = NAMED) -> list[Spec]:
    """Return the panels that a line describes, at most `most`."""
    if not isinstance(text, str):
        raise TypeError(f"the line must be text, got {validate.show(text)}")
    if len(text) > LONGEST:
        raise ValueError(f"the line must have at most {LONGEST} characters, got {len(text)}")
    parts = text.split("|")
    if len(parts) > most:
        panels = "1 panel" if most == 1 else f"{most} panels"
        raise ValueError(f"the line must describe at most {panels}, got {len(parts)}")
    return [_panel(*parts_of(part), known) for part in parts]


def _panel(names: list, views: list, values: dict, known: Mapping) -> Spec:
    names = [name if name in known else name.lower() for name in names]  # RoPE is rope
    for name in names:
        if name not in known:
            near = validate.among(name, known)
            own = "one of your own: playground(line, own=[…])"
            raise ValueError(f"{name!r} is not in the catalog ({near}); {own}")
        if names.count(name) > 1:
            rule = f"must name {name} once in a panel; two of one are two panels"
            raise ValueError(f'the line {rule}, as in "{name}: … | {name}: …"')
    encodings = tuple(known[name] for name in names)
    spec = Spec(encodings, _views(views or None, encodings))
    for name, text in values.items():
        parameter, value = spec.parameter(name), None
        if text.lower() != "none":
            value = parameter.checked(parameter.read(text))
        spec = spec.at(**{name: value})
    return spec


def parts_of(text: str) -> tuple[list[str], list[str], dict[str, str]]:
    """Return encodings, views and values as a panel's line has them."""
    shown, _, values = text.partition(";")
    names, _, views = shown.partition(":")
    encodings = _listed(names, r"\+")
    if not encodings:
        raise ValueError(
            f'the line must be like "rope: heatmap, dot_product; seq_len=64", got {text.strip()!r}'
        )
    if "=" in shown:
        line = "; ".join(re.split(r"[\s,:]+(?=[^\s,:]+\s*=)", shown, maxsplit=1))
        raise ValueError(
            f'the line must have a ";" before its values, as in "{line}", got {text.strip()!r}'
        )
    found = {}
    for setting in _listed(values, r",(?=[^,=]*=)"):  # some values have commas
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise ValueError(f"the line must set parameters as NAME=VALUE, got {setting!r}")
        found[name] = value
    return encodings, _listed(views, ","), found


def _listed(text, between) -> list[str]:
    return [part.strip() for part in re.split(between, text) if part.strip()]


def _views(views, encodings: Sequence[Encoding]) -> tuple[View, ...]:
    if views is None:
        views = ["attention_row"] if len(encodings) > 1 else encodings[0].views
    views = [views] if isinstance(views, str) else views
    if not isinstance(views, (list, tuple)):
        raise TypeError(
            f"views must be a view's name or a list of them, got {validate.show(views)}"
        )
    for name in views:
        validate.known("views", name, VIEWS)
        for encoding in encodings:
            if not VIEWS[name].fits(encoding):
                raise ValueError(_unfit(name, encoding))
    if not views or len(set(views)) < len(views):
        raise ValueError(f"views must name at least one view, each once, got {views!r}")
    return tuple(VIEWS[name] for name in views)


def _unfit(name: str, encoding: Encoding) -> str:
    view = VIEWS[name]
    lacks = [meaning(need) for need in view.needs if not encoding.has(need)]
    reasons = [f"needs {', '.join(lacks)}"] if lacks else []
    if view.only and (not lacks or view.only_for != View.only_for):
        reasons.append(f"is for {view.only_for}")
    why = f"that {' and '.join(reasons)}"
    fitting = [view for view in VIEWS if VIEWS[view].fits(encoding)]
    why = f"{why} ({validate.among('', fitting, 'it has')})"
    return f"views must fit {encoding.name}, which has no {name!r}: {why}"
