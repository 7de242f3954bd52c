"""The clinic's puzzles: nine diagnoses, ten reports of which three are bugs, a bias to port."""

import numpy as np

import posenc_lib as pe
from posenc_lib.live.puzzles import function_puzzle, value_puzzle


def _case(number: int, answer: str, *hints: str, why: str, won: str, **looks: str) -> None:
    """Make the puzzle of a case; `looks` says what each other diagnosis would have looked like."""
    words = ", ".join(f'"{word}"' for word in sorted([answer, *looks]))
    value_puzzle(
        f"case_{number}",
        answer,
        *hints,
        why=why,
        won=won,
        mistakes={look: word for word, look in looks.items()},
        judge=lambda value: f"write one of {words}.",
    )


_case(
    1,
    "mixed",
    "Put seq_len to its least and look at the diagonal itself, query and key at one position. "
    "Is it level?",
    "A word with itself is turned by the same angle twice: "
    "a rotation of any speed, in any pairing, keeps that.",
    "So no rotation is at work. "
    "Which diagnosis makes one of two lines that each, with its own partner, are right?",
    why="cosines of one pairing, partners of the other. "
    "That is no rotation, and so lengths change.",
    won="Lengths first: they take one line to print, and a rotation must keep them.",
    base="another base makes the bright band broader or narrower, and every diagonal stays level.",
    checkpoint="the other pairing, in all lines alike, is a rotation, too: "
    "level diagonals, lengths kept. Only the scores of trained weights show it.",
    keys="if keys were not turned at all, each row would have one color; "
    "here it changes, and lengths change, too.",
    rounding="rounded positions make blocks far out, and nothing at all in the first 32 positions.",
)
_case(
    2,
    "axis",
    "The scores are level. Look at the table: what changes it, seq_len or head?",
    "Vectors are turned, then: more in head 7 than in head 1, and not at all in head 0.",
    "So something is counted, and it is not tokens.",
    why="all tokens of a head share one row of the table, and it is another row in another head.",
    won="Shapes hide it: (seq_len, heads, d) and (heads, seq_len, d) both fit. "
    "Swap the axes before the turn.",
    unused="the scores would be as level; "
    "but a vector that is never turned is the same in every head.",
    ids="position_ids that are all 0 give level scores, too; "
    "but then the slider head changes nothing.",
    base="a base that is too large leaves the slow pairs standing; "
    "pair 0 turns by 1 radian whatever the base.",
    mask="a missing causal mask lets later keys in, "
    "and leaves a diagonal where each word meets itself.",
)
_case(
    3,
    "alone",
    "Move prompt. Which rows are right, those above it or those below it?",
    "All rows below are alike, as if all those tokens stood at one place. "
    "Which key do they like best?",
    "They like position 0 best, and a query likes best the key at its own place.",
    why="a token that comes alone is row 0 of its own little text: its query is turned by nothing.",
    won="The keys of later tokens are right, so the text read at once never shows it: "
    "decode one token in your test.",
    reversed="a rotation the other way, on query and key alike, is seen in all rows or in none.",
    cache="keys stored in a wrong order would shuffle the columns; "
    "here rows are wrong, columns are not.",
    padding="a query that alone counted padding would like best a key so many places off its own; "
    "here all like key 0.",
    window="a window that forgets old keys would darken the left of the last rows. "
    "They are brightest there.",
)
_case(
    4,
    "positions",
    "Drag start_pos down, below 256, and up again. "
    "Where do the first blocks come, and how do they grow?",
    "Inside a block all scores are the same: its tokens stand at one place. "
    "So what is it that was rounded?",
    "At 300 every second number is missing, at 600 three of four. "
    "θ does not know where the text stands.",
    why="a block is several neighbors at one position: "
    "bfloat16 has 8 binary digits, and 257 needs 9.",
    won="Positions, θ and angles in float32, cosines rounded last: "
    "lesson 09 measures which of them may be narrow.",
    theta="rounded frequencies leave every diagonal exactly level; "
    "they only turn a little too fast or slow.",
    cosines="cosines that are rounded once are wrong by 0.002 everywhere, near and far alike: "
    "no blocks.",
    restart="positions that begin again make copies of the diagonal beside it, not blocks on it.",
    short="a table that is too short and clipped has one block without end, from its last row on.",
)
_case(
    5,
    "tables",
    "Drag start_pos through its values. Up to where is all well, and from where on again?",
    "At 4080 the text has two halves. Which queries and which keys do not fit: "
    "old with old, new with new, mixed?",
    "So old keys and new queries disagree about θ. "
    "A text that is read at once makes both from one table.",
    why="what came before 4096 keeps the keys of the old table in the cache, "
    "and each new query is of the new one.",
    won="Keys are cached turned: "
    "whoever changes θ while a text grows must turn them anew, or keep θ.",
    unscaled="without any scaling both use one table: at 4080, too, every diagonal stays level.",
    length="a text beyond the training length shows new angles, but level diagonals, "
    "as here again from 4096 on.",
    rounding="rounding makes blocks from 256 on, ever larger; "
    "here all is level up to 4064 and from 4096 on.",
    twice="keys that are turned twice stand twice as far out: "
    "wrong from position 1 on, and when read at once.",
)
_case(
    6,
    "sign",
    "Look at the colors on the right: what does the diagonal get, and what the far corner?",
    "The bias is 0 on the diagonal and grows away from it. What should it do?",
    "In the paper it is −slope·distance.",
    why="what grows with the distance is added, where it should be taken away.",
    won="slope·k, with nothing of the query in it, looks as strange, and is harmless: "
    "softmax sees differences only.",
    order="steep and flat heads exchanged: "
    "head 0 would look far, but every head would still like near best.",
    scale="a bias that is divided by √d, too, falls √d times as slowly; the newest key still wins.",
    alone="a query that is counted from 0 shows while decoding only; "
    "here a text that is read at once is wrong.",
    mask="the mask is there: right of the query nothing is drawn. "
    "Without one, later keys would get something.",
)
_case(
    7,
    "transposed",
    "Set seq_len to 36 and columns to 6, a square, and switch fixed. What changes? "
    "And with 4 columns?",
    "On 3 × 4: which patches are nearest to the outlined one? "
    "Go through them in the order in which they are read.",
    "The three patches 0, 1, 2 are a column in the code's eyes. "
    "How many patches has a column of this picture?",
    why="patch n was given row n % height, column n // height: "
    "column by column, though pictures are read row by row.",
    won="Test on 3 × 4. On a square this code passes any test that compares scores.",
    names="names of height and width exchanged, in all lines alike, "
    "change no score, on no picture.",
    line="patches numbered like words do it on squares, too (try 36 and 6), "
    "and patch 3 would be farther from patch 0 than patch 2 is.",
    resize="a table of another size that is not resized is wrong on squares, too, "
    "unless they have that size.",
    halves="the column's half before the row's gives the same cosines on every picture.",
)
_case(
    8,
    "twice",
    "How many dims move at all? And look at the two dims of one pair, sine and cosine, at the top.",
    "If a sine and its cosine had one frequency, sin² + cos² were 1 in every pair, "
    "and every length the same.",
    "Which diagnosis changes the exponent from dim to dim, and lets it run to 2?",
    why="i counts by two already, and 2i/d doubles it: "
    "a sine and its cosine get different frequencies.",
    won="i/(d/2) is not this: with i = 0, 1, 2, … it is 2i/d.",
    layout="all sines first, then all cosines, is another order of the same numbers: "
    "similarity is untouched.",
    sines="sines without cosines begin with a row of zeros; here half of row 0 is 1.",
    base="a larger base lets more dims stand still, too, "
    "but every diagonal stays level and every length 5.66.",
    scale="the missing √d is about the words' vectors: this table would be the right one.",
)

_case(
    9,
    "sum",
    "Go through the heads. Does the port's head 7 see farthest, as it should? "
    "So the order of the heads is right.",
    "Now compare head 3 of the port with head 0 after fixed, head 4 with head 1, and so on. "
    "By what do slopes differ?",
    "All heads are 8 times too steep, and a head has 64 dims. "
    "What is divided by √64, and what is not?",
    why="the model was trained with (q·k + bias)/√d. "
    "If only q·k is divided, the bias is √64 = 8 times too steep.",
    won="Neither order is wrong, so no test of the port alone finds it. "
    "Compare it with the code of the weights.",
    slopes="slopes of another number of heads would be off by another factor in each head. "
    "Here all are off by 8.",
    order="if steep and flat heads had changed places, head 7 would see least. "
    "Here it sees farthest, as it should.",
    rounding="a rounded bias makes steps, and only far from the beginning of a text. "
    "Here each line is straight.",
    key="slope·key without the query adds the same to all scores of a query, "
    "which softmax does not see.",
)

BUGS = "dij"  # of the reports a to j
_TRY = {  # what decides a report, for who has guessed wrongly
    "a": "pair dims 0 and 32 of weights that were trained so, and look at H.",
    "b": "compare the dot products of rows, not the tables.",
    "c": "write down where the query and key 3 stand, with and without the padding, and subtract.",
    "d": "write down where the new query and key 3 stand, and subtract.",
    "e": "subtract the two angles, and ask what the weights have learned with.",
    "f": "work out both for d = 8.",
    "g": "try it on 3 × 4 patches: has the same step the same score everywhere?",
    "h": "add slope·query to all keys of a query. What does softmax say to that?",
    "i": "subtract the two angles: is it the offset that is left?",
    "j": "compare cos and sin of a sliding layer with the reference, not those of a full one.",
}


def _guesses(bugs: str) -> list[bool]:
    return [letter in bugs for letter in _TRY]


def _so_many(guesses) -> str:
    given = isinstance(guesses, (list, tuple)) and [isinstance(guess, bool) for guess in guesses]
    if given != [True] * len(_TRY):
        return "give ten guesses, True for a bug and False for none, in brackets: [True, False, …]."
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
    "between positions or between a text read at once and one with a cache.",
    "c and d: write down where key 3 and the query stand, and subtract. "
    "e and i: subtract the angles.",
    "Three of the ten are bugs: "
    "in two a query counts otherwise than the keys, in one layers are taken for others.",
    why="d, i and j change scores; the other seven are conventions, or come to the same.",
    won="Read at once, c and d look alike, and g is like case 7 on a square: "
    "try a token alone, and a rectangle.",
    judge=_so_many,
    mistakes={
        "c is none: whatever is added to all positions cancels, "
        "as long as query and keys count alike.": _guesses("cdij"),
        "g is none: try it on 3 × 4 patches; "
        "the same step has the same score wherever it is made.": _guesses("dgij"),
        "h is none: it differs from −slope·distance by slope·query, "
        "the same for all keys of a query.": _guesses("dhij"),
    },
)


# Scores and bias were divided by √d together in training;
# which bias makes up for code that divides scores alone?
@function_puzzle(
    "Write the checkpoint's score as a sum: (q·k + bias) / √d = q·k/√d + what?",
    "Your code adds its bias after the division, so it must be given one that is divided already.",
    "pe.alibi(num_heads, seq_len) divided by np.sqrt(head_dim).",
    cases=((8, 4, 64), (4, 3, 16), (12, 5, 128)),
    won="The shapes always fitted; only the order of two operations told the codes apart. "
    "Compare outputs, not shapes.",
    mistakes={
        "this is the paper's bias; the checkpoint's was divided by √d together with q·k.": (
            lambda h, n, d: pe.alibi(h, n)
        ),
        "multiplied: so its heads see even less far; they should see farther.": (
            lambda h, n, d: pe.alibi(h, n) * d**0.5
        ),
        "divided by d; attention divides by its root.": lambda h, n, d: pe.alibi(h, n) / d,
        "8 is √64, so it suits heads of 64 dims; write it for any head_dim.": (
            lambda h, n, d: pe.alibi(h, n) / 8
        ),
    },
)
def ported(num_heads, seq_len, head_dim):
    return pe.alibi(num_heads, seq_len) / np.sqrt(head_dim)
