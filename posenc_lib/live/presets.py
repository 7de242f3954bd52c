"""Panels worth showing, read from presets.toml."""

import tomllib
from importlib.resources import files
from typing import NamedTuple


class Preset(NamedTuple):
    """What is shown, in a line and in a sentence, and the sliders to move; Play moves the first.

    The sentence holds wherever these stand, but for those of ends: it goes when one of them moves.
    """

    line: str
    says: str
    moves: list[str]
    speed: str = "medium"
    ends: list[str] = []  # noqa: RUF012


_TEXT = files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")
PRESETS = {name: Preset(**entry) for name, entry in tomllib.loads(_TEXT).items()}
