"""What a figure is made of: shots, each one view of one encoding at one setting."""

from functools import cached_property

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import VIEWS, Panel

SQUARE = 2.6  # inches


class Shot:
    """One view of one encoding.

    Args:
        view: a view's name.
        encoding: the name of an encoding that can feed it.
        **values: parameters of both, by name, and a title, if not the view's own; what is left out takes the default
            that an explorer begins with.
    """

    def __init__(self, view: str, encoding: str, **values):
        self.encoding, self.kind = ENCODINGS[encoding], VIEWS[view]
        usual = {p.name: self.encoding.shown.get(p.name, p.default) for p in self.kind.parameters}
        self.own = usual | {name: value for name, value in values.items() if name not in self.encoding.defaults}
        self.parameters = {name: values[name] for name in self.encoding.defaults if name in values}

    @cached_property
    def sample(self) -> Encoding:
        """The encoding at this setting."""
        return self.encoding.at(**self.parameters)

    def check(self, known: dict[str, Parameter], wanted: dict) -> None:
        """Raise the encoding's own error, or another that names the argument, if the values do not go together."""
        values = self.sample.values | self.own
        tabled = set(self.encoding.defaults) - {"seq_len"} if self.encoding.has("table") else set()
        for name, value in wanted.items():  # those with a table say better themselves what breaks their rules
            if value is not None and (name not in tabled or known[name].options or value > known[name].most):
                known[name].checked(value)
        if not self.encoding.has("table"):
            _check_limits(values, self.sample.limits)
        (self.sample.at(seq_len=self.sample.max_positions) if self.kind.shows_end else self.sample).check()
        for name, value in wanted.items():
            if value is not None:
                known[name].checked(value)
        _check_limits(values, {"seq_len": self.kind.most_positions})
        _check_limits(values, self.kind.limits(self.sample.num_dims, values["seq_len"]))


def _check_limits(values: dict, limits: dict) -> None:
    for name, most in limits.items():
        if values.get(name) is not None and values[name] > most:
            raise ValueError(f"{name} must be at most {most} here, got {values[name]}")


def panel(shots: list[Shot], width: float | None = None, *, named: bool = False) -> Panel:
    """Return a panel of these shots, width inches wide; named with encodings in rows, as an explorer draws several."""
    views = [shot.kind(**shot.own) for shot in shots]
    if named:
        return Panel(views, one_each(shots), {}, width=width)
    if width is None and len(views) > 1 and all(view.square for view in views):
        width = sum(view.left + SQUARE + view.right for view in views)  # no empty room beside squares
    return Panel(views, shared(shots), {}, named=False, width=width)


def one_each(shots: list[Shot]) -> list[Encoding]:
    """Return one sample for each encoding."""
    return list({shot.encoding.name: shot.sample for shot in shots}.values())


def shared(shots: list[Shot]) -> list[Encoding]:
    """Return the sample of each shot; those of one setting are one, and share what they compute."""
    samples: list[Encoding] = []
    for shot in shots:
        same = (s for s in samples if (type(s), s.values) == (type(shot.sample), shot.sample.values))
        samples.append(next(same, shot.sample))
    return samples
