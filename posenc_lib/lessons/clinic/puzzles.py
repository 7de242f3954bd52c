"""The clinic's puzzles: nine diagnoses, ten reports, three of them bugs, and a bias to port."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle, value_puzzle


def _case(number: int, answer: str, *hints: str, why: str, won: str, **looks: str) -> None:
    """Make a case's puzzle; `looks` says what each wrong diagnosis would have looked like."""
    words = ", ".join(f'"{word}"' for word in sorted([answer, *looks]))
    value_puzzle(
        f"case_{number}",
        answer,
        *hints,
        why=why,
        won=won,
        mistakes={look: word for word, look in looks.items()},
        judge=lambda value: f"Write one of {words}.",
    )


_case(
    1,
    "mixed",
    "Set seq_len to its lowest and look at the diagonal, where query and key share a position. "
    "Is it level?",
    "Query and key of one position are rotated by the same angle. "
    "Any rotation, at any speed and in any pairing, keeps their score.",
    "So this isn't a rotation. "
    "Which diagnosis mixes two lines that would each be right with a different partner?",
    why="Cosines of one pairing, partners of the other. That's no rotation, so lengths change.",
    won="Lengths are quick to check: it takes one line, and a rotation has to keep them.",
    base="A different base makes the strong band wider or narrower. Every diagonal stays level.",
    checkpoint="If all the code uses the other pairing, that's still a rotation, with level "
    "diagonals and lengths kept. You'd only see it in the scores of trained weights.",
    keys="If keys weren't rotated at all, each row would have a single color. "
    "Here rows change, and so do lengths.",
    rounding="Rounded positions make blocks further out, and nothing in the first 32 positions.",
)
_case(
    2,
    "axis",
    "The scores are level. Look at the table: does seq_len change it, or head?",
    "So vectors are rotated, more in head 7 than in head 1, and not at all in head 0.",
    "Something is being counted, and it isn't tokens.",
    why="All the tokens of a head get the same row of the table, each head a different one.",
    won="Shapes hide this: (seq_len, heads, d) and (heads, seq_len, d) both fit. "
    "Swap the axes before you rotate.",
    unused="The scores would be level, but vectors that are never rotated "
    "are the same in every head.",
    ids="If position_ids are all 0, scores are level too, but the head slider changes nothing.",
    base="With too large a base, the slow pairs stop, but pair 0 still rotates by 1 radian a step.",
    mask="Without a causal mask, later keys get in, "
    "but each word still stands out on the diagonal.",
)
_case(
    3,
    "alone",
    "Move prompt. Which rows are right, those above it or those below?",
    "All the rows below are alike, as if those tokens were in the same place. "
    "Which key do they like best?",
    "They like key 0 best, and a query scores highest with the key at its own position.",
    why="A token that comes alone gets row 0 of the table, so its query isn't rotated at all.",
    won="The keys are right, so reading the text in one pass never shows it. "
    "Decode a token on its own in your tests.",
    reversed="If query and key were both rotated the wrong way, nothing would show. "
    "If only one of them were, all rows would.",
    cache="Keys in the wrong order would shuffle columns. Here, rows are wrong.",
    padding="If only the query counted padding, its favorite key would be that far from its own. "
    "Here, it's key 0 for all of them.",
    window="A window that forgets old keys would fade the left end of the last rows. "
    "That's where they're strongest.",
)
_case(
    4,
    "positions",
    "Drag start_pos below 256 and up again. Where do blocks first appear, and how do they grow?",
    "Inside a block, all scores are equal, so its tokens are in the same place. "
    "What must have been rounded?",
    "At 300, every second number is missing, and at 600 three out of four. "
    "θ doesn't know where the text starts.",
    why="A block is several neighbors that share a position: "
    "bfloat16 has 8 binary digits, and 257 needs 9.",
    won="Keep positions, θ, and angles in float32, and round cosines last. "
    "Lesson 09 measures which of them can be narrow.",
    theta="With rounded frequencies, every diagonal stays exactly level. "
    "Pairs just rotate slightly too fast or too slowly.",
    cosines="Rounded cosines are off by 0.002 everywhere, near or far, and make no blocks.",
    restart="If positions started over, you'd see copies of the diagonal next to it.",
    short="A table that's too short and clipped makes one endless block, from its last row on.",
)
_case(
    5,
    "tables",
    "Step start_pos through its values. Up to where is everything fine, and from where on again?",
    "At 4080, the text has two halves. Which queries don't fit which keys: "
    "old with old, new with new, or new with old?",
    "So old keys and new queries disagree about θ. "
    "A text read in one pass gets both from one table.",
    why="Tokens before 4,096 left keys of the old table in the cache, "
    "and new queries come from the new one.",
    won="Keys are cached after rotation. "
    "If you change θ while a text grows, rotate them again, or leave θ alone.",
    unscaled="Without any scaling, both use one table, so every diagonal is level, even at 4080.",
    length="Past the training length, angles are new but diagonals are level, "
    "as you can see from 4096 on.",
    rounding="Rounding makes blocks from 256 on, larger and larger. "
    "Here, all is level up to 4064 and again from 4096 on.",
    twice="Keys that are rotated twice get twice their angle. "
    "That's wrong from position 1 on, even in one pass.",
)
_case(
    6,
    "sign",
    "Look at the colors on the right. What does the diagonal get, and what does the far corner?",
    "The bias is 0 on the diagonal and grows away from it. What should it do?",
    "In the paper, it's −slope · distance.",
    why="The bias should be subtracted, but it's added.",
    won="Print the attention, not just the bias: the sign of a bias is easy to misread.",
    order="If steep and flat heads were swapped, head 0 would look far, "
    "but every head would still like near keys best.",
    scale="A bias also divided by √d falls √d times as slowly, but the newest key still wins.",
    alone="A query that counts from 0 would be wrong only when it's decoded alone. "
    "Here, every row is wrong.",
    mask="The mask is there: nothing is drawn right of the query. "
    "Without it, later keys would get something.",
)
_case(
    7,
    "transposed",
    "Set seq_len to 36 and columns to 6, a square, and switch fixed. What changes? "
    "What about 4 columns?",
    "On 3 × 4, which patches are nearest to the outlined one? Go through them in reading order.",
    "The code thinks patches 0, 1, and 2 are a column. "
    "How many patches does a column of this picture have?",
    why="Patch n got row n % height and column n // height. "
    "That's column by column, but pictures are read row by row.",
    won="Test on 3 × 4. On a square, this code passes any test that compares scores.",
    names="If only names were swapped, not values, no score would change, on any picture.",
    line="Patches numbered like words look wrong on squares, too (try 36 and 6), "
    "and patch 3 would be farther from patch 0 than patch 2 is.",
    resize="A table made for one size is wrong on all the others. "
    "Here, all squares are right (try 36 and 6).",
    halves="Swapping the two halves of the code keeps every cosine, on any picture.",
)
_case(
    8,
    "twice",
    "How many dims change at all? And look at the first two dims, a sine and its cosine.",
    "If a sine and its cosine had the same frequency, sin² + cos² would be 1 in every pair, "
    "and all lengths would be equal.",
    "Which diagnosis changes the exponent from dim to dim and lets it run to almost 2?",
    why="i already counts by two, and 2i/d doubles it again, "
    "so a sine and its cosine get different frequencies.",
    won="Plot a table before you train with it. Still dims and uneven lengths show at once.",
    layout="All sines and then all cosines is the same set of numbers in a different order. "
    "It doesn't change similarity.",
    sines="With sines only, every dim would be 0 at position 0. Here, every second one is 1.",
    base="A larger base also stops more dims, "
    "but every diagonal stays level and every length 5.66.",
    scale="The missing √d concerns word vectors. This table would be the right one.",
)

_case(
    9,
    "sum",
    "Go through the heads. Does the port's head 7 see farthest, as it should? "
    "Then the order of heads is right.",
    "Compare head 3 of the port to head 0 after fixed, head 4 to head 1, and so on. "
    "By what factor do slopes differ?",
    "All the heads are 8 times too steep, and a head has 64 dims. "
    "What gets divided by √64, and what doesn't?",
    why="The model was trained with (q·k + bias)/√d. "
    "If only q·k is divided, the bias is √64 = 8 times too steep.",
    won="Neither order is wrong, so no test of the port alone finds this. "
    "Compare it to the code the weights come from.",
    slopes="Slopes for a different number of heads would be off by a different factor in each. "
    "Here, it's 8 in all of them.",
    order="If steep and flat heads were swapped, head 7 would see least. "
    "Here it sees farthest, as it should.",
    rounding="A rounded bias goes in steps, and only far into a text. Here, each line is straight.",
    key="slope · key without the query adds one number to all scores of a query. "
    "Softmax doesn't see that.",
)

BUGS = "dij"  # among reports a to j
_TRY = {  # what to try after a wrong guess
    "a": "Pair dims 0 and 32 of weights trained that way, and look at H.",
    "b": "Compare dot products of rows, not the tables.",
    "c": "Write down the positions of the query and key 3, with and without padding, and subtract.",
    "d": "Write down the positions of the new query and key 3, and subtract.",
    "e": "Subtract the two angles, and ask what the weights were trained with.",
    "f": "Work out both for d = 8.",
    "g": "Try it on 3 × 4 patches. Does the same step score the same everywhere?",
    "h": "Add slope · query to all the keys of a query. What does softmax make of it?",
    "i": "Subtract the two angles. Is what's left the offset?",
    "j": "Compare cos and sin of a sliding layer to the reference, not those of a full layer.",
}


def _guesses(bugs: str) -> list[bool]:
    return [letter in bugs for letter in _TRY]


def _so_many(guesses) -> str:
    given = isinstance(guesses, (list, tuple)) and [isinstance(guess, bool) for guess in guesses]
    if given != [True] * len(_TRY):
        return "Write ten guesses in a list, True for a bug: [True, False, …]."
    wrong = [
        letter for letter, guess in zip(_TRY, guesses, strict=True) if guess != (letter in BUGS)
    ]
    return (
        f"{10 - len(wrong)} of your 10 guesses are right. "
        f"Look at {wrong[0]} again: {_TRY[wrong[0]]}"
    )


value_puzzle(
    "reports",
    _guesses(BUGS),
    "A bug changes what softmax sees, "
    "from one position to another, or between one pass and a cache.",
    "For c and d, write down the positions of key 3 and the query, and subtract. "
    "For e and i, subtract the angles.",
    "Three of the ten are bugs. "
    "In two, a query is counted differently than the keys. In one, layers get the wrong table.",
    why="d, i, and j change scores. The other seven are conventions or make no difference.",
    won="In one pass, c and d look alike, and on a square, g looks like case 7. "
    "Try a token alone, and a rectangle.",
    judge=_so_many,
    mistakes={
        "c isn't a bug. Whatever you add to all positions cancels, "
        "as long as query and keys count alike.": _guesses("cdij"),
        "g isn't a bug. Try it on 3 × 4 patches: "
        "the same step has the same score everywhere.": _guesses("dgij"),
        "h isn't a bug. It differs from −slope · distance by slope · query, "
        "which is the same for all keys of a query.": _guesses("dhij"),
    },
)


# Training divided score + bias by √d. Which bias makes up for code that divides only the score?
@function_puzzle(
    "Write the trained score as a sum: (q·k + bias) / √d = q·k/√d + what?",
    "Your code adds its bias after dividing, so the bias has to be divided already.",
    "pe.alibi(num_heads, seq_len) divided by np.sqrt(head_dim).",
    cases=((8, 4, 64), (4, 3, 16), (12, 5, 128)),
    won="All the shapes fit either way. Only the order of two operations was different. "
    "Compare outputs, not shapes.",
    mistakes={
        "That's the paper's bias. This model's was divided by √d, along with q·k.": (
            lambda h, n, d: pe.alibi(h, n)
        ),
        "You multiplied, so heads see even less far. They should see farther.": (
            lambda h, n, d: pe.alibi(h, n) * d**0.5
        ),
        "You divided by d. Attention divides by its square root.": lambda h, n, d: (
            pe.alibi(h, n) / d
        ),
        "8 is √64, so that only works for 64 dims. Make it work for any head_dim.": (
            lambda h, n, d: pe.alibi(h, n) / 8
        ),
    },
)
def ported(num_heads, seq_len, head_dim):
    return pe.alibi(num_heads, seq_len) / np.sqrt(head_dim)
