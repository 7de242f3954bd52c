"""A figure in a notebook, and small, as the plot on a button."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from posenc_lib.encodings import validate
from posenc_lib.figures.film import SHARPNESS, Film, on_papers
from posenc_lib.figures.registry import DPI, FRAMES, SCENES, Scene, composed, find
from posenc_lib.spec import Spec
from posenc_lib.views import style
from posenc_lib.views.output import bundle
from posenc_lib.views.sheet import Sheet, encode
from posenc_lib.views.style import CSS_DPI

THUMB = 320  # px, width of a plot on a button


class ShownFigure:
    """A drawn figure, made by `figure`.

    A notebook shows a picture with its caption; print shows words.
    """

    def __init__(self, of: Scene, values: dict, title: str = "", caption: str = ""):
        writable = validate.writable
        of = replace(of, title=writable("title", title), told=writable("caption", caption))
        self.of, self.values = of, of.values(**values)
        self.sheet = of.draw(self.values)
        self.caption, self.alt = of.words(self.values, self.sheet)

    def __repr__(self) -> str:
        return self.caption

    def _repr_mimebundle_(self, include=None, exclude=None):
        by = style.enlarged(*self.sheet.size)
        png, dark = on_papers(lambda: self.of.draw(self.values).picture("png", DPI * by))
        below = self.caption if self.of.caption or self.of.told else ""
        return bundle(png, self.caption, self.alt, round(self.sheet.size[0] * by), below, dark)

    def save(self, path, dpi: float | None = None) -> Path:
        """Write it to a .png, .svg or .pdf file and return its path."""
        return self.sheet.save(path, dpi, title=self.caption, description=self.alt)

    def film(self):
        """Return a widget with a slider for what moves.

        Once shown, it needs no kernel.
        """
        return film_of(self.of, self.values).widget()


def figure(
    what: object,
    *,
    views: str | Sequence[str] | None = None,
    title: str = "",
    caption: str = "",
    **values: object,
) -> ShownFigure:
    """Return a figure from the gallery, or one of any views, for a notebook.

    `figure(…).save("waves.svg")` writes it to a file.

    >>> figure("sine_waves").caption
    'Every dim is a wave, slower than the one above. (3 waves over 32 positions.)'
    >>> ramp = lambda positions, d_model: np.outer(positions, np.ones(d_model))
    >>> figure(ramp, views="heatmap", seq_len=8).caption
    'mine: Values from 0 to 7.'

    Args:
        what: a figure's id, encodings and views as for the command, or
            anything `explore` takes.
        views: one view's name or a list of them, if what names none;
            None means the ones that show it best.
        title: a heading for files, instead of the encoding's name.
        caption: what to say below it, instead of its own.
        **values: parameters by name; the rest keep the figure's values.

    Raises:
        TypeError: the figure has no such parameter.
        ValueError: there's no such figure, or a value is invalid.
    """
    if isinstance(what, str) and views is None:
        return ShownFigure(find(what), values, title, caption)
    spec = Spec.of(what, views, **values)
    return ShownFigure(composed(replace(spec, values={})), spec.values, title, caption)


@lru_cache(maxsize=128)
def thumbnail(name: str, theme: str) -> bytes:
    """Return the plot that represents a scene, named by its button, as a PNG.

    If its right side is cut off, it keeps its own width.
    """
    one = SCENES[name]
    spec = one.opened()[0]
    encodings, values = spec.fit(spec.all_values)
    which, view = divmod(one.tells, len(spec.views))
    width = THUMB if one.part[1][0] == 1 else None
    with style.themed(theme):
        sheet = Sheet([spec.views[view]], [encodings[which]], values, width=width)
        pixels = sheet.pixels()[::-1]
    corners = sheet.pens[0].ax.transAxes.transform(one.part)
    (left, bottom), (right, top) = corners.round().astype(int)
    return encode(pixels[bottom:top, left:right][::-1])


def film_of(
    figure: Scene,
    values: dict,
    dpi: float = SHARPNESS * CSS_DPI,
    width=None,
    frames: int = FRAMES,
) -> Film:
    """Return a film of the moving parameter, starting where the figure does."""
    film, places, name = Film(), {}, figure.moves
    shown, home = figure.frames(values, frames, [values[name]]), values[name]
    steps = [at[name] for at in shown]
    start = steps.index(home) if home in steps else 0
    if start == 0 and isinstance(home, float | int):
        start = min(range(len(steps)), key=lambda k: abs(steps[k] - home))
    light, dark = on_papers(lambda: figure.steady(figure.draw(shown[start], width, dpi), shown))
    for k in sorted(range(len(shown)), key=lambda k: k != start):
        figure.redraw(light, shown[k]), figure.redraw(dark, shown[k])
        caption, alt = figure.words(shown[k], light)
        places[k] = film.add(light, dark, words=light.text, caption=caption, alt=alt)
    slider = {"name": name, "help": figure.parameters[name].help, "choice": False, "start": start}
    slider |= {
        "values": [*map(style.written, steps)],
        "frames": [places[k] for k in range(len(shown))],
    }
    film.sliders.append(slider)
    return film
