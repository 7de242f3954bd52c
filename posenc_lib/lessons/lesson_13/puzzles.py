"""The two puzzles of lesson 13: a head that lasts, and a table against two sayings."""

import numpy as np

from posenc_lib.encodings import validate
from posenc_lib.encodings.exact_head import exact_head
from posenc_lib.lessons.training.trained_table import LENGTH, spread
from posenc_lib.live.puzzles import value_puzzle

_FITTED, _BACK, _LENGTHS, _ENOUGH, _DIMS = 32, 5, (64, 128, 256), 0.95, 16
_FEW, _MANY = 0.2, 0.6  # right answers of all ten models


def _head_fails(choice) -> str:
    """Return where RoPE's head of (dims, base) fails, or why there is none; nothing if it lasts."""
    if not (isinstance(choice, tuple | list) and len(choice) == 2):
        return "give check a pair of dims and base, as (16, 10_000)."
    dims, base = choice
    try:
        head = exact_head("rope", look_back=_BACK, seq_len=_FITTED, head_dim=dims, base=base)
    except (TypeError, ValueError) as error:
        return validate.ended(str(error))
    if dims > _DIMS:
        return (
            f"You took {dims} dims, but a head of our models has {_DIMS}: change the base instead."
        )
    kept = [head.mass(length) for length in _LENGTHS]
    both = zip(kept, _LENGTHS, strict=True)
    told = " and ".join(f"{share:.3f} at {length}" for share, length in both)
    round_it = int((head.encoding.frequencies * _FITTED >= 2 * np.pi).sum())
    few = f"That head gives its token {told} tokens, but it needs at least {_ENOUGH} at each length"
    why = f"{round_it} of its {dims // 2} hands come round in {_FITTED} tokens"
    return "" if min(kept) >= _ENOUGH else f"{few}: {why}."


# Which dims and base keep .95 of the attention at eight times the trained length?
value_puzzle(
    "lasting_head",
    (16, 3),
    "A hand that went round in 32 tokens has met every angle. "
    "So do you want more of these hands, or fewer?",
    "More, and well before the 32nd token. A smaller base makes the slow hands faster; "
    "base 10 is not enough.",
    "Try the bases from 2 to 4. "
    "(Near 1 all hands turn alike, so no base may be as small as you like.)",
    given=(16, 10_000),
    why="that head gives its token at least .95 of its attention at 64, 128 and 256 tokens.",
    judge=_head_fails,
    won="All its hands are fast now. "
    "So the head that must not care about distance has no slow hand left to lean on.",
)


def _table_fails(rows) -> str:
    """Return what the ten models of two cells have, if that refutes nothing; else nothing."""
    try:
        found = [spread("rope", task)[length] for task, length in rows]
        beyond = len(found) == 2 and all(length > LENGTH for _, length in rows)
    except (KeyError, TypeError, ValueError):
        beyond = False
    if not beyond:
        return (
            "give check two pairs of a task and a length of the table beyond 32, "
            'as ("flip_flop", 64).'
        )
    few, many = found
    if few.most < _FEW and many.least > _MANY:
        return ""
    first = (
        f"In your first pair the ten models have {few.least:.2f} to {few.most:.2f}, "
        f"and all should be below {_FEW}"
    )
    return (
        f"{first}. In your second they have {many.least:.2f} to {many.most:.2f}, "
        f"and all should be above {_MANY}."
    )


# Which two cells of the table contradict the two sayings?
value_puzzle(
    "both_wrong",
    (("induction", 128), ("look_back", 64)),
    "In a cell the mean stands first; "
    "behind it, in brackets, the least and the most of ten models.",
    "Read the rows of rope without a scaling. "
    "For the first pair look at the most, for the second at the least.",
    "The longer the text, the worse; "
    "the task that needs no more than the last few tokens lasts longest.",
    why="all ten below .2, and all ten above .6.",
    judge=_table_fails,
    won="Both sayings leave out the task and the length. "
    "With them there is nothing left to quarrel about.",
)
