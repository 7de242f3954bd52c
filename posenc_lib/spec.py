"""A spec says which views of which encodings are shown at which values.

Explorers, figures, films and shared lines are made of one. As a line of text it is
"rope+alibi: dot_product, similarity; seq_len=64, base=10000"; a bar stands between two panels.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import NAMED
from posenc_lib.encodings.own import given_queries_keys, opened
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.validate import as_text
from posenc_lib.views import VIEWS, View

LONGEST = 2000  # characters; two panels of three views take some 600
# What explorers, figures and pictures call something else
TAKEN = {"self", "what", "views", "start", "frozen", "guess", "bound", "low"}
TAKEN |= {p.name for view in VIEWS.values() for p in view.parameters}


@dataclass(frozen=True)
class Spec:
    """One panel: encodings, the views of each of them, and the values that are set."""

    encodings: tuple[Encoding, ...]
    views: tuple[View, ...]
    values: dict = field(
        default_factory=dict
    )  # of encodings and views; what is left out takes its default

    @classmethod
    def of(cls, what, views=None, /, **values) -> "Spec":
        """Return the spec of some encodings, see `opened`, and of views by name; without views, of their best ones."""
        encodings = opened(what, values)
        if {"q", "k"} <= set(values) and any("content" in one.values for one in encodings):
            encodings = given_queries_keys(
                encodings, values.pop("q"), values.pop("k"), values.pop("tokens", ())
            )
        for one in encodings:
            for name in TAKEN & set(one.values):
                raise ValueError(
                    f"{one.name} must call its parameter {name!r} something else: views use that name"
                )
        made = cls(tuple(encodings), _views(views, encodings), values)
        for name in values:
            made.parameter(name)
        return made

    @property
    def names(self) -> str:
        """The encodings as a sentence names them: rope and alibi."""
        return " and ".join(encoding.name for encoding in self.encodings)

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Every parameter of encodings and views by name; of what several have, the one that begins with more."""
        known: dict[str, Parameter] = {}
        for parameter in (p for encoding in self.encodings for p in encoding.turnable):
            known[parameter.name] = max(
                known.get(parameter.name, parameter), parameter, key=_strictness
            )
        shown = self.encodings[0].view_starts
        of_views = [
            (p, shown if "table" in view.needs else {})
            for view in self.views
            for p in view.parameters
        ]
        of_views.sort(
            key=lambda one: one[0].default is not None
        )  # of one name, what begins somewhere wins
        return known | {
            p.name: replace(p, default=begin.get(p.name, p.default)) for p, begin in of_views
        }

    def parameter(self, name: str) -> Parameter:
        """Return one of its parameters; the error about one that it has not lists the near ones."""
        if name not in self.parameters:
            told = validate.among(name, self.parameters, "it has")
            raise TypeError(f"{self.names} has no parameter {name!r} here ({told})")
        return self.parameters[name]

    @cached_property
    def owned(self) -> set[str]:
        """The parameters of the encodings by name, without those that only views have."""
        return {p.name for encoding in self.encodings for p in encoding.turnable}

    @cached_property
    def irrelevant(self) -> set[str]:
        """The parameters that change nothing in any of the views."""
        used = {p.name for view in self.views for p in view.parameters}
        used |= {name for e in self.encodings for view in self.views for name in view.relevant(e)}
        return self.owned - used

    @property
    def all_values(self) -> dict:
        """The value of every parameter by name: the default of what is not set."""
        return {
            name: self.values.get(name, parameter.default)
            for name, parameter in self.parameters.items()
        }

    def at(self, **values) -> "Spec":
        """Return the same spec with other values."""
        return replace(self, values=self.values | values)

    def encodings_at(self, values: dict) -> list[Encoding]:
        """Return the encodings at these values."""
        return [encoding.at_known(values) for encoding in self.encodings]

    def highest(self, values: dict) -> dict:
        """Return the highest value that the others leave to each parameter that depends on others, by name."""
        encodings = self.encodings_at(values)
        ends = [
            {"seq_len": min(view.most_positions for view in self.views)},
            *(dict(e.highest) for e in encodings),
        ]
        if len(encodings) > 1 and all(view.shows_end for view in self.views):
            for encoding, end in zip(encodings, ends[1:], strict=True):
                if encoding.has("rows"):
                    end.pop("seq_len", None)  # beside others, a table that ends is seen to end
        seq_len = min(end.get("seq_len", values["seq_len"]) for end in [values, *ends])
        ends += [
            view.highest(encoding.num_dims, seq_len)
            for view in self.views
            for encoding in encodings
        ]
        names = dict.fromkeys(name for end in ends for name in end)
        return {name: min(end[name] for end in ends if name in end) for name in names}

    def clamp(self, values: dict, highest: dict | None = None) -> dict:
        """Return values, each within what the others leave to it; highest are those, if they are known already."""
        clamped = dict(values)
        for name, most in (self.highest(values) if highest is None else highest).items():
            if values.get(name) is not None and values[name] > most:
                clamped[name] = self.parameters[name].clamp(values[name], most)
        return clamped

    def check(self) -> None:
        """Raise an error where a value breaks a rule, is beyond what others leave it, or the encoding refuses it."""
        for name, value in self.values.items():
            if value is not None:
                self.parameters[name].checked(value)
            elif self.parameters[name].default is not None:
                raise TypeError(f"{name} must be a number, got None")
        values = self.all_values
        for name, most in self.highest(values).items():
            if values.get(name) is not None and values[name] > most and name not in self.irrelevant:
                raise ValueError(f"{name} must be at most {most} here, got {values[name]}")
        for encoding in self.encodings_at(values):
            ends = all(view.shows_end for view in self.views)  # then its end is no error
            encoding.at(
                seq_len=encoding.max_positions if ends else encoding.values["seq_len"]
            ).check()

    def views_in_order(self) -> list[View]:
        """Return the views of the first encoding, then as many of the next."""
        return [view for _ in self.encodings for view in self.views]

    def __str__(self) -> str:
        values = ", ".join(
            map("=".join, zip(self.values, map(as_text, self.values.values()), strict=True))
        )
        shown = f"{'+'.join(e.name for e in self.encodings)}: {', '.join(view.name for view in self.views)}"
        return f"{shown}; {values}" if values else shown


def write(specs: Iterable[Spec]) -> str:
    """Return panels as one line."""
    return " | ".join(map(str, specs))


def read(text: str, most: int = 2, known: Mapping[str, Encoding] = NAMED) -> list[Spec]:
    """Return the panels, `most` at most, that a line describes; their values are checked one by one, not together.

    The encodings that it may name are known.
    """
    if not isinstance(text, str):
        raise TypeError(f"the line must be text, got {validate.show(text)}")
    if len(text) > LONGEST:
        raise ValueError(f"the line must have at most {LONGEST} characters, got {len(text)}")
    parts = text.split("|")
    if len(parts) > most:
        raise ValueError(
            f"the line must describe at most {most} panel{'s' * (most > 1)}, got {len(parts)}"
        )
    return [_panel(*parts_of(part), known) for part in parts]


def _panel(
    names: list[str], views: list[str], values: dict[str, str], known: Mapping[str, Encoding]
) -> Spec:
    names = [name if name in known else name.lower() for name in names]  # RoPE is rope
    for name in names:
        if name not in known:
            told = validate.among(name, known)
            raise ValueError(
                f"{name!r} is not in the catalog ({told}); one of your own: playground(line, own=[…])"
            )
        if names.count(name) > 1:
            panels = f'"{name}: … | {name}: …"'
            raise ValueError(
                f"the line must name {name} once in a panel; two of one are two panels, as in {panels}"
            )
    made = Spec.of([known[name] for name in names], views or None)
    for name, text in values.items():
        parameter = made.parameter(name)
        made = made.at(
            **{name: None if text.lower() == "none" else parameter.checked(parameter.read(text))}
        )
    return made


def parts_of(text: str) -> tuple[list[str], list[str], dict[str, str]]:
    """Return encodings, views and values as they are written in the line of one panel."""
    shown, _, values = text.partition(";")
    names, _, views = shown.partition(":")
    if not names.strip():
        raise ValueError(
            f'the line must be like "rope: heatmap, dot_product; seq_len=64", got {text.strip()!r}'
        )
    if "=" in shown:
        line = "; ".join(re.split(r"[\s,:]+(?=[^\s,:]+\s*=)", shown, maxsplit=1))
        raise ValueError(
            f'the line must have a ";" before its values, as in "{line}", got {text.strip()!r}'
        )
    settings = {}
    for each in _listed(values, r",(?=[^,=]*=)"):  # a comma within a value is none between two
        name, equals, value = (part.strip() for part in each.partition("="))
        if not equals:
            raise ValueError(f"the line must set parameters as NAME=VALUE, got {each!r}")
        settings[name] = value
    return _listed(names, r"\+"), _listed(views, ","), settings


def _listed(text: str, between: str) -> list[str]:
    return [part.strip() for part in re.split(between, text) if part.strip()]


def _views(views, encodings: list[Encoding]) -> tuple[View, ...]:
    if views is None:
        views = ["attention_row"] if len(encodings) > 1 else encodings[0].views
    views = [views] if isinstance(views, str) else views
    if not isinstance(views, (list, tuple)):
        raise TypeError(
            f"views must be a view's name or a list of them, got {validate.show(views)}"
        )
    for view in views:
        validate.known("views", view, VIEWS)
        for encoding in encodings:
            if not VIEWS[view].fits(encoding):
                lacks = [name for name in VIEWS[view].needs if not encoding.has(name)]
                why = f"that needs {lacks[0]}" if lacks else "that is for other encodings"
                fed = validate.among(
                    "", [name for name in VIEWS if VIEWS[name].fits(encoding)], "it has"
                )
                raise ValueError(
                    f"views must fit {encoding.name}, which has no {view!r}: {why} ({fed})"
                )
    if not views or len(set(views)) < len(views):
        raise ValueError(f"views must name at least one view, each once, got {views!r}")
    return tuple(VIEWS[view] for view in views)


def _strictness(parameter: Parameter) -> tuple:
    """Return what decides between two of one name: the larger default, then the rule; of two choices the shorter."""
    begins = parameter.default if isinstance(parameter.default, (int, float)) else -math.inf
    return begins, parameter.scale == "power of two", parameter.least, -len(parameter.options)
