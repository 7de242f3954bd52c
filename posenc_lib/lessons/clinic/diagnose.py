"""`diagnose` runs the clinic's tests, starting with the one that catches the most."""

import textwrap
from dataclasses import dataclass

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.lessons.clinic import rotation, scores, vectors
from posenc_lib.lessons.clinic.probes import FAILS, OPEN, Tokens, probe

WIDE = 110  # characters in a printed line
UNSEEN = (
    "No test can catch {}a pairing that doesn't match the checkpoint. "
    "For that, compare your scores with the trained model's."
)
BASE = "a wrong base (unless you pass rope_theta), an exponent over the wrong number of dims, or "
RANDOM = "Something random is still on, such as dropout. In PyTorch, call .eval() first."
OTHERS = "No test knows how your model was trained: another model's numbers would also pass."


@dataclass(frozen=True)
class Test:
    """One test: its name and verdict (holds, fails or open), what was seen, the likely cause."""

    name: str
    verdict: str
    seen: str
    points_to: str


@dataclass(frozen=True)
class Diagnosis:
    """What `diagnose` found. Print it to read it.

    `first` names the first test that fails, or is None. `points_to` is the likely cause.
    `measured` has the base and how many dims rotate, or the slopes. `unseen` is what no test shows.
    """

    title: str
    tests: tuple[Test, ...]
    measured: str = ""
    unseen: str = ""

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
        found = f"First failure: {self.first}. {self.points_to}" if self.first else "No test fails."
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
    """Test an encoding for known bugs: what holds, what fails first, and the likely cause.

    The tests: constant diagonals, constant norm, cached equals full, a rectangle, beyond position
    256, and the base if you pass rope_theta. An encoding can't fail what it never promised:
    integers and learned tables have no constant diagonals.

    >>> from posenc_lib import rope
    >>> def mine(x, positions):  # every token gets the same angle
    ...     return rope(x, np.full(len(positions), 7))
    >>> found = diagnose(mine)
    >>> found.first, diagnose("rope").first
    ('constant diagonals', None)

    Args:
        mine: a name, an object, or a function. f(positions, d_model) returns (n, d_model);
            f(x, positions) rotates x; f(q, k, positions) and f(q, k) rotate both; f(q_len, k_len)
            returns a bias, (heads, q_len, k_len); f(height, width, d_model) and
            f(x, height, width) return patches, row by row. An array is read as a table of
            position vectors, never as queries or keys.
        kind: "additive", "rotary", "bias" or "plane", if your arguments have other names.
        dims: dims per token or head. None means the encoding's own, or 64 for a function.
        heads: number of heads, if x has shape (heads, n, dims) instead of (n, dims).
        rope_theta: the base in the model's config. None skips that test.

    Returns:
        A `Diagnosis`.

    Raises:
        TypeError or ValueError: mine doesn't fit, or an argument is invalid.
    """
    if rope_theta is not None:
        rope_theta = validate.real("rope_theta", rope_theta, above=1, high=1e100)
    one = probe(mine, kind, dims, heads)
    title, measured, unseen = f"{one.title}, {one.kind}", "", OTHERS
    asked = [one.vectors(one.short) if isinstance(one, Tokens) else one.of(4, 4) for _ in range(2)]
    if not np.array_equal(*asked, equal_nan=True):
        told = {"constant diagonals": (FAILS, "two identical calls disagree", RANDOM)}
    elif not isinstance(one, Tokens) and one.kind in ("bias", "relative"):
        told, measured = scores.of_bias(one)
    elif not isinstance(one, Tokens):
        title, told = f"{title} in a plane", scores.of_plane(one)
        if FAILS not in [verdict for verdict, *_ in told.values()]:
            measured = rotation.in_plane(one)
    else:
        grown = vectors.temperature(one)
        one = vectors.level(one) if grown else one
        told = vectors.of_vectors(one)
        unseen = UNSEEN.format("" if rope_theta else BASE) if one.promised else OTHERS
        if grown:
            told["constant norm"] = (OPEN, grown, "")
        if one.promised and FAILS not in [verdict for verdict, *_ in told.values()][:3]:
            measured = rotation.measured(one)
            if rope_theta is not None:
                told["the config's base"] = rotation.of_config(one, rope_theta)
    tests = tuple(Test(name, *found) for name, found in told.items())
    return Diagnosis(title, tests, measured, unseen)
