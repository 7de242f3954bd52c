"""Floor 2: arrays in, artists and words out. A view draws once, then shows."""

from importlib import import_module

from posenc_lib.views.panel import Panel
from posenc_lib.views.view import View

FILES = ("points", "tables", "waves", "lengths", "scores", "rotation", "attention", "relative", "checkpoints")


def _found() -> list[type[View]]:
    """Return the views that these files define, in their order."""
    modules = [import_module(f"{__name__}.{name}") for name in FILES]
    classes = [(one, module.__name__) for module in modules for one in vars(module).values() if isinstance(one, type)]
    return [one for one, home in classes if issubclass(one, View) and one.name and one.__module__ == home]


VIEWS: dict[str, type[View]] = {view.name: view for view in _found()}

__all__ = ["VIEWS", "Panel", "View"]
