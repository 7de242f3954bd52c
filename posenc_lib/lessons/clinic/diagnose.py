"""Five tests, in the order in which they find most: what holds, what fails, what can't be seen."""

import textwrap
from dataclasses import dataclass

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.lessons.clinic import rotation, scores, vectors
from posenc_lib.lessons.clinic.probes import FAILS, OPEN, Tokens, probe

WIDE = 110  # letters in a line that is printed
UNSEEN = (
    "No picture shows a wrong base, an exponent over the wrong number of dims, "
    "or the other pairing than the checkpoint's: all of these keep every test. "
    "Only the scores of the trained model do."
)
RANDOM = "Something random is left on, as dropout is: in PyTorch, call .eval() before you ask."
OTHERS = "No test knows what a model was trained with: numbers of another one would pass as well."


@dataclass(frozen=True)
class Test:
    """One test: its name, whether it holds, fails or is open, what was seen, where that points."""

    name: str
    verdict: str
    seen: str
    points_to: str


@dataclass(frozen=True)
class Diagnosis:
    """What `diagnose` found; printed, it is text.

    `first` is the name of the test that fails first, or None, and `points_to` what that points to;
    `measured` tells a base and how many dims turn, or slopes; `unseen` what no test can show.
    """

    title: str
    tests: tuple[Test, ...]
    measured: str = ""
    unseen: str = UNSEEN

    @property
    def first(self) -> str | None:
        return next((test.name for test in self.tests if test.verdict == FAILS), None)

    @property
    def points_to(self) -> str:
        return next((test.points_to for test in self.tests if test.verdict == FAILS), "")

    def __getitem__(self, name: str) -> Test:
        validate.choice("test", name, tuple(test.name for test in self.tests))
        return next(test for test in self.tests if test.name == name)

    def __repr__(self) -> str:
        rows = [
            f"{k} {test.name:<19} {test.verdict:<5}  {test.seen}"
            for k, test in enumerate(self.tests, 1)
        ]
        found = f"Fails first: {self.first}. {self.points_to}" if self.first else "No test fails."
        told = [part for part in (found, self.measured, "" if self.first else self.unseen) if part]
        lines = [textwrap.fill(row, WIDE, subsequent_indent=29 * " ") for row in rows]
        return "\n".join([self.title, *lines, *(textwrap.fill(part, WIDE) for part in told)])


def diagnose(
    mine: object,
    *,
    kind: str | None = None,
    dims: int | None = None,
    heads: int | None = None,
    rope_theta: float | None = None,
) -> Diagnosis:
    """Run the clinic's tests on an encoding: what holds, what fails first, what that points to.

    Constant diagonals → constant norm → cached equals full → a rectangle → beyond position 256;
    and, with a rope_theta, the frequencies that it gives. What was never promised is no fault:
    integers and learned tables have no diagonals.

    >>> from posenc_lib import rope
    >>> def mine(x, positions):  # every token turns by the same angle
    ...     return rope(x, np.full(len(positions), 7))
    >>> found = diagnose(mine)
    >>> found.first, diagnose("rope").first
    ('constant diagonals', None)

    Args:
        mine: an encoding by name, an object, or a function: f(positions, d_model), (n, d_model);
            f(x, positions), which returns x turned, or f(q, k, positions) and f(q, k), which return
            both; f(q_len, k_len), a bias of shape (heads, q_len, k_len); f(height, width, d_model)
            or f(x, height, width), of patches row by row.
        kind: "additive", "rotary", "bias" or "plane", where the name of the first argument does not
            say it.
        dims: how many dims tokens or heads have; None means the encoding's own, of a function 64.
        heads: how many heads x has, where its shape is (heads, n, dims) and not (n, dims).
        rope_theta: the base that a model's config gives; None asks nothing of it.
    """
    if rope_theta is not None:
        rope_theta = validate.real("rope_theta", rope_theta, above=1, high=1e100)
    one = probe(mine, kind, dims, heads)
    title, measured, unseen = f"{one.title}, {one.kind}", "", OTHERS
    asked = [one.vectors(one.short) if isinstance(one, Tokens) else one.of(4, 4) for _ in range(2)]
    if not np.array_equal(*asked, equal_nan=True):
        told = {"constant diagonals": (FAILS, "it answers differently each time", RANDOM)}
    elif not isinstance(one, Tokens) and one.kind in ("bias", "relative"):
        told, measured = scores.of_bias(one)
    elif not isinstance(one, Tokens):
        title, told = f"{title} in a plane", scores.of_plane(one)
        if FAILS not in [verdict for verdict, *_ in told.values()]:
            measured = rotation.in_plane(one)
    else:
        grown = vectors.temperature(one)
        one = vectors.level(one) if grown else one
        told, unseen = vectors.of_vectors(one), UNSEEN if one.promised else OTHERS
        if grown:
            told["constant norm"] = (OPEN, grown, "")
        if one.promised and FAILS not in [verdict for verdict, *_ in told.values()][:3]:
            measured = rotation.measured(one)
            if rope_theta is not None:
                told["the config's base"] = rotation.of_config(one, rope_theta)
    tests = tuple(Test(name, *found) for name, found in told.items())
    return Diagnosis(title, tests, measured, unseen)
