"""Floor 2: arrays in, a picture and a sentence out. A view is one function, which a pen draws for."""

from importlib import import_module

from posenc_lib.views.view import VIEWS, View

FILES = "points tables waves scores rotation attention checkpoints longer trained spectra plane census said"
for file in FILES.split():
    import_module(f"{__name__}.{file}")  # in this order views are listed

__all__ = ["VIEWS", "View"]
