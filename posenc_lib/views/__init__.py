"""Floor 2: arrays in, artists and words out. A view draws once, then shows."""

from importlib import import_module

from posenc_lib.views.panel import Panel
from posenc_lib.views.view import VIEWS, View

for file in ("points", "tables", "waves", "lengths", "scores", "rotation", "attention", "relative", "checkpoints"):
    import_module(f"{__name__}.{file}")  # in this order views are listed

__all__ = ["VIEWS", "Panel", "View"]
