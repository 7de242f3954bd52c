"""A slider that moves by itself."""

import ipywidgets as widgets

from posenc_lib.live.controls import steps

SPEEDS = {"slow": 700, "medium": 300, "fast": 120}  # milliseconds from step to step


class Player:
    """A play button, the slider it moves, and how fast.

    The page sends the next step only when the kernel has shown the last one: frames cannot pile up.
    """

    def __init__(self):
        layout = widgets.Layout(width="auto")
        self._sliders: dict[str, widgets.Widget] = {}
        self._played = None
        self.which = widgets.Dropdown(options=[], description="play", layout=layout)
        self.speed = widgets.Dropdown(options=list(SPEEDS), value="medium", description="speed", layout=layout)
        self.button = widgets.Play(interval=SPEEDS["medium"], repeat=True, min=0, max=1)
        self.box = widgets.HBox([self.which, self.button, self.speed], layout=widgets.Layout(flex_flow="row wrap"))
        self.which.observe(self._chosen, names="value")
        self.speed.observe(lambda change: setattr(self.button, "interval", SPEEDS[change["new"]]), names="value")
        self.button.observe(self._step, names="value")

    @property
    def slider(self):
        """Return the slider that is played, or None."""
        return self._sliders.get(self.which.value)

    def attach(self, sliders: dict) -> None:
        """Offer these sliders, by name; the one that was played stays chosen if it is among them."""
        self._played = self.which.value or self._played
        self._sliders = sliders
        self.which.options = list(sliders)
        if sliders:
            self.which.value = self._played if self._played in sliders else next(iter(sliders))
        self._chosen()

    def _chosen(self, change=None) -> None:
        self.button.playing = False
        slider = self.slider
        if slider is None:
            return
        values = steps(slider)
        with self.button.hold_trait_notifications():
            self.button.max = len(values) - 1
            self.button.value = values.index(slider.value) if slider.value in values else 0

    def _step(self, change) -> None:
        slider = self.slider
        if slider is None or slider.disabled:
            return
        values = steps(slider)
        slider.value = values[min(change["new"], len(values) - 1)]
