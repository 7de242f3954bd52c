"""The two puzzles of lesson 13: a head that lasts, and a table against two sayings."""

from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.exact_head import exact_head
from posenc_lib.encodings.trained_table import LENGTH, spread
from posenc_lib.lessons.puzzles.engine import value_puzzle

_FITTED, _BACK, _LENGTHS, _ENOUGH = 32, 5, (64, 128, 256), 0.9
_FEW, _MANY = 0.2, 0.6  # right answers of all ten models


def _head_fails(choice) -> str:
    """Return where the head of (name, dims) gives the right token too little, or why there is none; or nothing."""
    if not (isinstance(choice, tuple | list) and len(choice) == 2 and choice[0] in ENCODINGS):
        return 'give check a pair: a name of the catalog and its dims, as ("rope", 16), or None where it has none.'
    name, dims = choice
    try:
        one = ENCODINGS[name].at(**{"bidirectional": False} if name == "t5" else {})
        if one.ends:
            return f"{name} has no row beyond the length of the fit."
        head = exact_head(one.at(**{} if dims is None else {one.width: dims}), look_back=_BACK, seq_len=_FITTED)
    except (AttributeError, TypeError, ValueError) as error:
        return f"{error}."
    kept = [head.mass(length) for length in _LENGTHS]
    told = ", ".join(f"{each:.3f} at {length}" for each, length in zip(kept, _LENGTHS, strict=True))
    wrong = f"that head gives the right token {told} tokens; asked for is {_ENOUGH} at each."
    return "" if min(kept) >= _ENOUGH else wrong


value_puzzle(
    "lasting_head",
    ("rope", 64),
    "What a head has never met cannot mislead it where scores go on as before: which encodings have such a part?",
    "Either pairs enough that some combination of fast hands singles out 5 back, or a score for each small offset.",
    "Drag head_dim in the panel of section 1 and watch the last three numbers; not every larger one is better.",
    why="that head gives the right token at least .9 of its attention at 64, 128 and 256 tokens.",
    judge=_head_fails,
)


def _table_fails(rows) -> str:
    """Return what the ten models of two rows of the table have, if it refutes nothing; or nothing."""
    try:
        found = [spread("rope", task)[length] for task, length in rows]
        beyond = len(found) == 2 and all(length > LENGTH for _, length in rows)
    except (KeyError, TypeError, ValueError):
        beyond = False
    if not beyond:
        return 'give check two pairs of a task and a length of the table beyond 32, as ("flip_flop", 64).'
    few, many = found
    if few.most < _FEW and many.least > _MANY:
        return ""
    first = f"in the first the ten models have {few.least:.2f} to {few.most:.2f}, asked for is below {_FEW}"
    return f"{first}; in the second {many.least:.2f} to {many.most:.2f}, asked for is above {_MANY}."


value_puzzle(
    "both_wrong",
    (("induction", 128), ("look_back", 64)),
    "In a cell the mean stands first; behind it, in brackets, the least and the most of ten models.",
    "Read the rows of rope without a cure. For the first pair look at the most, for the second at the least.",
    "The longer the text, the worse; the task that needs no more than the last few tokens lasts longest.",
    why="all ten below .2, and all ten above .6.",
    judge=_table_fails,
    won="Both sayings leave out the task and the length. With them there is nothing left to quarrel about.",
)
