"""Arrays in, a picture and a sentence out: the pen, and the views that two pages share.

A view is one function, which a pen draws for. What one page alone shows is in that page's package.
"""

import logging
from importlib import import_module

# that matplotlib lists a new machine's fonts would stand in red above the first picture
FONTS = logging.getLogger("matplotlib.font_manager")
FONTS.addFilter(lambda told: "building the font cache" not in told.getMessage())

from posenc_lib.views.view import VIEWS, View  # noqa: E402

FILES = "points tables scores biases longer patches"
for file in FILES.split():
    import_module(f"{__name__}.{file}")  # in this order views are listed

__all__ = ["VIEWS", "View"]
