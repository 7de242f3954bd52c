"""The two puzzles of lesson 13: a head that lasts, and a table against two sayings."""

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.exact_head import exact_head
from posenc_lib.lessons.puzzles.engine import Puzzle
from posenc_lib.lessons.training.positions import LENGTH as LEARNED
from posenc_lib.encodings.trained_table import spread

FITTED, BACK, LENGTHS, ENOUGH = 32, 5, (64, 128, 256), 0.9
FEW, MANY = 0.2, 0.6  # right answers of all ten models


def _kept(choice) -> list[float]:
    """Return how much attention the head of (name, dims) keeps on the right token; the library's error if it cannot."""
    name, dims = choice
    one = ENCODINGS[name].at(**{"bidirectional": False} if name == "t5" else {})
    if one.ends:
        raise ValueError(f"{name} has no row beyond the length of the fit")
    head = exact_head(one.at(**{} if dims is None else {one.width: dims}), look_back=BACK, seq_len=FITTED)
    return [head.mass(length) for length in LENGTHS]


def _lasts(choice) -> bool:
    try:
        return min(_kept(choice)) >= ENOUGH
    except (AttributeError, KeyError, TypeError, ValueError):
        return False


def _why_not(choice) -> str:
    if not (isinstance(choice, tuple | list) and len(choice) == 2 and choice[0] in ENCODINGS):
        return 'give check a pair: a name of the catalog and its dims, as ("rope", 16), or None where it has none.'
    try:
        told = ", ".join(f"{kept:.3f} at {length}" for kept, length in zip(_kept(choice), LENGTHS, strict=True))
    except (TypeError, ValueError) as error:
        return f"{error}."
    return f"that head gives the right token {told} tokens; asked for is {ENOUGH} at each."


LASTING_HEAD = Puzzle(
    called="lasting_head",
    answer=("rope", 64),
    why="that head gives the right token at least .9 of its attention at 64, 128 and 256 tokens.",
    also=_lasts,
    comment=_why_not,
    hints=(
        "What a head has never met cannot mislead it where scores go on as before: which encodings have such a part?",
        "Either pairs enough that some combination of fast hands singles out 5 back, or a score for each small offset.",
        "Drag head_dim in the panel of section 1 and watch the last three numbers; not every larger one is better.",
    ),
    mistakes={},
)


def _ten(rows) -> list[tuple[float, float]] | None:
    """Return the least and the most of ten models for two pairs of task and length; None if these are no such pairs."""
    try:
        found = [spread("rope", task)[length] for task, length in rows]
    except (KeyError, TypeError, ValueError):
        return None
    beyond = len(found) == 2 and all(length > LEARNED for _, length in rows)
    return [(each.least, each.most) for each in found] if beyond else None


def _refutes(rows) -> bool:
    ten = _ten(rows)
    return bool(ten) and ten[0][1] < FEW and ten[1][0] > MANY


def _told(rows) -> str:
    ten = _ten(rows)
    if ten is None:
        return 'give check two pairs of a task and a length of the table beyond 32, as ("flip_flop", 64).'
    (least, most), (other_least, other_most) = ten
    first = f"in the first the ten models have {least:.2f} to {most:.2f}, asked for is below {FEW}"
    return f"{first}; in the second {other_least:.2f} to {other_most:.2f}, asked for is above {MANY}."


BOTH_WRONG = Puzzle(
    called="both_wrong",
    answer=(("induction", 128), ("look_back", 64)),
    why="all ten below .2, and all ten above .6.",
    also=_refutes,
    comment=_told,
    hints=(
        "In a cell the mean stands first; behind it, in brackets, the least and the most of ten models.",
        "Read the rows of rope without a cure. For the first pair look at the most, for the second at the least.",
        "The longer the text, the worse; the task that needs no more than the last few tokens lasts longest.",
    ),
    mistakes={},
    won="Both sayings leave out the task and the length. With them there is nothing left to quarrel about.",
)
