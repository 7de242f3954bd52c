"""A figure of the gallery in a notebook."""

from collections.abc import Sequence
from dataclasses import replace

from posenc_lib.figures.registry import BlogFigure, composed, find
from posenc_lib.spec import Spec
from posenc_lib.views.output import bundle
from posenc_lib.views.style import CSS_DPI

SHARPNESS = 1.5  # pixels of the picture for each pixel of a page


class ShownFigure:
    """A figure, drawn; made by `figure`. In a notebook it is a picture with its caption, printed it is words."""

    def __init__(self, one: BlogFigure, values: dict):
        all_values = one.values(**values)
        self._panel = one.draw(all_values)
        self.caption, self.alt = one.words(all_values, self._panel)

    def __repr__(self) -> str:
        return f"{self.caption} {self.alt}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        png = self._panel.picture("png", SHARPNESS * CSS_DPI)
        return bundle(png, repr(self), self.alt, self._panel.size[0])


def figure(what: object, *, views: str | Sequence[str] | None = None, **values: object) -> ShownFigure:
    """Return a figure of the gallery, or one of other views, to be seen in a notebook.

    To write files of it there is the command `python -m posenc_lib figures make`.

    >>> figure("ladder", seq_len=32).caption
    'The whole ladder at one length and on one colour scale: 32 positions, 8 dims.'
    >>> figure(lambda positions, d_model: np.outer(positions, np.ones(d_model)), views="heatmap", seq_len=8).caption
    'mine: Values from 0 to 7.'

    Args:
        what: a figure's id, or encodings and views as the command takes them; or what `explore` takes.
        views: one view's name or a list of them, where what names none; None means those that show it best.
        **values: parameters by name; those left out are the figure's own.

    Raises:
        TypeError: the figure has no such parameter.
        ValueError: there is no such figure, or a value breaks a rule.
    """
    if isinstance(what, str) and views is None:
        return ShownFigure(find(what), values)
    spec = Spec.of(what, views, **values)
    return ShownFigure(composed(replace(spec, values={})), spec.values)
