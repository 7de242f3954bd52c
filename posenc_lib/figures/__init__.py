"""On floor 2: the figures of the series, for a blog or a slide; `python -m posenc_lib figures` writes them."""

from posenc_lib.figures import scores, tables  # their figures are registered here
from posenc_lib.figures.registry import FIGURES

for one in sorted(FIGURES.values(), key=lambda one: one.lesson):
    FIGURES[one.id] = FIGURES.pop(one.id)  # in the order of the lessons

__all__ = ["FIGURES", "scores", "tables"]
