"""A panel as one line of text that a teacher can send round, and back again."""

from typing import NamedTuple

from posenc_lib.encodings import validate
from posenc_lib.encodings.parameter import as_text
from posenc_lib.views import VIEWS
from posenc_lib.views.names import parameters_of, records, view_names

LONGEST = 2000  # characters; two panels of three views take some 600


class State(NamedTuple):
    """One panel: encodings and views by name, values by parameter."""

    names: list[str]
    views: list[str]
    values: dict

    def __str__(self) -> str:
        values = ", ".join(f"{name}={as_text(value)}" for name, value in self.values.items())
        return f"{'+'.join(self.names)}: {', '.join(self.views)}" + (f"; {values}" if values else "")


def write_state(panels: list[State]) -> str:
    """Return panels as one line: "rope+alibi: dot_product; seq_len=64, base=10000"; a bar stands between two."""
    return " | ".join(map(str, panels))


def read_state(text: str) -> list[State]:
    """Return the panels that a line describes.

    Raises:
        TypeError: text is no text.
        ValueError: it does not name encodings, views and values that there are; the message says which.
    """
    if not isinstance(text, str):
        raise TypeError(f"state must be a line of text, got {validate.show(text)}")
    if len(text) > LONGEST:
        raise ValueError(f"state must be a line of at most {LONGEST} characters, got {len(text)}")
    parts = text.split("|")
    if len(parts) > 2:
        raise ValueError(f"state must describe one panel or two, got {len(parts)}")
    return [_panel(part) for part in parts]


def _panel(text: str) -> State:
    shown, _, values = text.partition(";")
    names, _, views = shown.partition(":")
    if not names.strip():
        raise ValueError(f'state must be like "rope: heatmap, dot_product; seq_len=64", got {text.strip()!r}')
    chosen = records(_listed(names, "+"))
    drawn = view_names(_listed(views, ",") or None, chosen)
    known = parameters_of(chosen, [VIEWS[view] for view in drawn])
    return State([one.name for one in chosen], drawn, dict(_value(part, known) for part in _listed(values, ",")))


def _listed(text: str, between: str) -> list[str]:
    return [part.strip() for part in text.split(between) if part.strip()]


def _value(text: str, known: dict) -> tuple[str, object]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or name not in known:
        raise ValueError(f"state must set parameters as NAME=VALUE, of {', '.join(known)}; got {text!r}")
    return name, known[name].checked(known[name].read(value)) if value.lower() != "none" else None
