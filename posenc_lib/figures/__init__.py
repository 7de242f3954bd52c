"""On floor 2: the figures of the series, for a blog or a slide; `python -m posenc_lib figures` writes them."""

from posenc_lib.figures.registry import FIGURES

__all__ = ["FIGURES"]
