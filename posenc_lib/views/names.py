"""What a caller asked to see, by name: encodings, and views that fit all of them."""

import math
from dataclasses import replace

from posenc_lib.encodings import validate
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import encoding
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import VIEWS


def records(name) -> list[Encoding]:
    """Return the encodings of that name, or of those names.

    Raises:
        TypeError, ValueError: no such encoding, or one of them twice.
    """
    names = [name] if isinstance(name, str) else name
    if not isinstance(names, (list, tuple)):
        raise TypeError(f"name must be an encoding's name or a list of them, got {validate.show(names)}")
    if not names or len(set(map(str, names))) < len(names):
        raise ValueError(f"name must name at least one encoding, each once, got {names!r}")
    return [encoding(one) for one in names]


def view_names(views, encodings: list[Encoding]) -> list[str]:
    """Return the names of the views, or of those that show the encodings best.

    Raises:
        TypeError, ValueError: no such view, one of them twice, or one that an encoding cannot feed.
    """
    if views is None:
        views = ["attention_row"] if len(encodings) > 1 else encodings[0].views
    views = [views] if isinstance(views, str) else views
    if not isinstance(views, (list, tuple)):
        raise TypeError(f"views must be a view's name or a list of them, got {validate.show(views)}")
    for view in views:
        validate.choice("views", view, tuple(VIEWS))
        for record in encodings:
            if not VIEWS[view].fits(record):
                fed = ", ".join(name for name in VIEWS if VIEWS[name].fits(record))
                raise ValueError(f"views must fit {record.name}, which has no {view!r} (it has {fed})")
    if not views or len(set(views)) < len(views):
        raise ValueError(f"views must name at least one view, each once, got {views!r}")
    return list(views)


def parameters_of(encodings: list[Encoding], views: list) -> dict[str, Parameter]:
    """Return every parameter of encodings and views by name; of what several have, the one that begins with more."""
    shown = encodings[0].shown
    known: dict[str, Parameter] = {}
    for parameter in (p for record in encodings for p in record.parameters):
        known[parameter.name] = max(known.get(parameter.name, parameter), parameter, key=_strictness)
    return known | {p.name: replace(p, default=shown.get(p.name, p.default)) for v in views for p in v.parameters}


def irrelevant(encodings: list[Encoding], views: list) -> set[str]:
    """Return the parameters that change nothing in any of these views of these encodings."""
    shown = {name for record in encodings for view in views for name in view.relevant(record)}
    return {name for record in encodings for name in record.defaults} - shown


def _strictness(parameter: Parameter) -> tuple:
    """Return what decides between two of one name: the larger default (a choice or none comes last), then the rule."""
    begins = parameter.default if isinstance(parameter.default, (int, float)) else -math.inf
    return begins, parameter.scale == "power of two", parameter.least
