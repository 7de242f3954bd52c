"""Arrays in, a picture and a sentence out: the pen, and the views that two pages share.

A view is one function, which a pen draws for. What one page alone shows is in that page's package.
"""

from importlib import import_module

from posenc_lib.views.view import VIEWS, View

FILES = "points tables scores biases longer patches"
for file in FILES.split():
    import_module(f"{__name__}.{file}")  # in this order views are listed

__all__ = ["VIEWS", "View"]
