"""The two puzzles of lesson 13: a head that lasts, and a table against two claims."""

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
        return "pass a pair (dims, base), for example (16, 10_000)."
    dims, base = choice
    try:
        head = exact_head("rope", look_back=_BACK, seq_len=_FITTED, head_dim=dims, base=base)
    except (TypeError, ValueError) as error:
        return validate.ended(str(error))
    if dims > _DIMS:
        return f"You took {dims} dims, but at most {_DIMS} are allowed. Change the base instead."
    kept = [head.mass(length) for length in _LENGTHS]
    both = zip(kept, _LENGTHS, strict=True)
    told = ", ".join(f"{share:.3f} at {length}" for share, length in both)
    round_it = int((head.encoding.frequencies * _FITTED >= 2 * np.pi).sum())
    few = f"The right token gets {told} tokens. It needs {_ENOUGH} at all three"
    why = f"{round_it} of your {dims // 2} pairs complete a turn in {_FITTED} tokens"
    if round_it == dims // 2:
        turns = head.encoding.frequencies[-1] * _FITTED / (2 * np.pi)
        why = f"All your pairs complete a turn in {_FITTED} tokens, "
        why += f"but the slowest only {turns:.1f} times"
    return "" if min(kept) >= _ENOUGH else f"{few}. {why}."


# Which dims and base keep .95 of the attention at eight times the trained length?
value_puzzle(
    "lasting_head",
    (16, 3),
    "A pair that completes a turn in 32 tokens has seen every angle. "
    "Do you want more pairs like that, or fewer?",
    "More, and well before token 32. A smaller base makes the slow pairs faster, "
    "and base 10 isn't small enough.",
    "Try bases from 2 to 4. Much closer to 1, all pairs have nearly the same speed.",
    given=(16, 10_000),
    why="the right token gets at least 0.95 of the attention at 64, 128, and 256 tokens.",
    judge=_head_fails,
    won="All its pairs are fast now. "
    "A head that should ignore distance has no slow pair left to use.",
)


def _table_fails(rows) -> str:
    """Return what the ten models of two cells score, unless that refutes both claims."""
    try:
        found = [spread("rope", task)[length] for task, length in rows]
        beyond = len(found) == 2 and all(length > LENGTH for _, length in rows)
    except (KeyError, TypeError, ValueError):
        beyond = False
    if not beyond:
        return (
            "pass two pairs of a task and a length past 32, "
            'for example ("flip_flop", 64) and ("flip_flop", 128).'
        )
    few, many = found
    if few.most < _FEW and many.least > _MANY:
        return ""
    if many.most < _FEW and few.least > _MANY:
        return "You have the two pairs, but in the wrong order. The low scores come first."
    first = (
        f"In your first pair, the ten models score {few.least:.2f} to {few.most:.2f}, "
        f"and all should be below {_FEW}"
    )
    return (
        f"{first}. In your second, they score {many.least:.2f} to {many.most:.2f}, "
        f"and all should be above {_MANY}."
    )


# Which two cells of the table contradict the two claims?
value_puzzle(
    "both_wrong",
    (("induction", 128), ("look_back", 64)),
    "Each cell of the table has the mean first, then in parentheses the lowest and highest of "
    "ten models.",
    "Read the rows called rope, without a scaling. "
    "For the first pair look at the highest, for the second at the lowest.",
    "For the first pair, take the task that falls fastest, and a long text. "
    "For the second, 64 tokens are enough.",
    why="all ten are below 0.2, and all ten are above 0.6.",
    judge=_table_fails,
    won="Both claims leave out the task and the length. "
    "Once you add them, there's nothing left to argue about.",
)
