"""What can be taken away from a panel: the command that draws it, and a film of one slider."""

import shlex
from dataclasses import replace

from posenc_lib.encodings.parameter import as_text
from posenc_lib.figures.formats import render
from posenc_lib.figures.registry import BlogFigure, find
from posenc_lib.live.play import steps
from posenc_lib.live.side import Side
from posenc_lib.views.style import LOCK


def command(side: Side) -> str:
    """Return the command that writes the picture of a panel."""
    one = _figure(side)
    changed = [f"--set {name}={as_text(v)}" for name, v in _values(side, one).items() if one.defaults[name] != v]
    return " ".join(["python -m posenc_lib figures make", shlex.quote(one.id), *changed])


def film(side: Side, name: str) -> bytes:
    """Return a GIF of one slider going from end to end.

    Raises:
        ValueError: other values leave it no room to move.
    """
    one = _figure(side)
    ends = steps(side.sliders[name])
    low, high = (0, 0) if one.parameters[name].options else (ends[0], ends[-1])
    with LOCK:
        return render(replace(one, moves=name, low=low, high=high), one.defaults | _values(side, one), "gif")


def _figure(side: Side) -> BlogFigure:
    names, views, _ = side.state
    return find(f"{'+'.join(names)}:{','.join(views)}")


def _values(side: Side, one: BlogFigure) -> dict:
    return {name: value for name, value in side.state.values.items() if name in one.defaults}
