"""Floor 2: arrays in, a picture and a sentence out. A view is one function, which a pen draws for."""

from importlib import import_module

from posenc_lib.views.view import VIEWS, View

FILES = "points space tables waves scores all_pairs rotation attention relative offsets checkpoints"
FILES += " beyond longer trained counting spectra passing_bases plane mrope"
for file in FILES.split():
    import_module(f"{__name__}.{file}")  # in this order views are listed

__all__ = ["VIEWS", "View"]
