"""Arrays in, a picture and a sentence out: the pen, and views that pages share.

A view is one function that draws with a pen. A view only one page needs is in that page's package.
"""

import logging
from importlib import import_module

# or matplotlib's note on a new machine's fonts would show in red above the first picture
FONTS = logging.getLogger("matplotlib.font_manager")
FONTS.addFilter(lambda told: "building the font cache" not in told.getMessage())

from posenc_lib.views.view import VIEWS, View  # noqa: E402

FILES = "points tables scores phasor_sum biases longer patches"
for file in FILES.split():
    import_module(f"{__name__}.{file}")  # views are listed in this order

__all__ = ["VIEWS", "View"]
