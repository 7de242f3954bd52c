"""The pictures only lesson 14 shows."""

import numpy as np

from posenc_lib.encodings.frequencies import inv_freq
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.lessons.lesson_14.longer import self_extend_offsets
from posenc_lib.lessons.training.trained_table import (
    DONE,
    MODEL_SEED,
    SEEDS,
    SNAPSHOTS,
    kept_numbers,
)
from posenc_lib.views import style
from posenc_lib.views.scores import PAIRS, masked
from posenc_lib.views.style import number
from posenc_lib.views.view import view

# What a step does to the score, who takes the same step at every token, and who doesn't
FAMILY = {
    "adds to the score": ("ALiBi", "FoX"),
    "shrinks it": ("Lightning", "Mamba-2"),
    "rotates": ("RoPE", "RePo"),
    "rotates and shrinks": ("xPos", "Mamba-3"),
    "reflects": ("", "PaTH, DeltaNet"),
}
OTHERS = "T5, Shaw, KERPLE", "FIRE, CoPE, Self-Extend"
ALL_ALIKE = {"only": lambda encoding: encoding.name == "rope", "matters": lambda encoding: []}


@view(
    "free",
    "Two steps make one",
    needs="",
    only_for="rope, which stands for the family",
    **ALL_ALIKE,
)
def family(pen, encoding):
    """Draw a table of schemes: by what a step does, and by whether all tokens take the same."""
    pen.axes((0, 3.2), (-6.6, 1.0), xticks=(), yticks=())
    pen.unit("")
    left, columns = 1.0, (1.03, 2.0)
    heads = "the same step", "each token's own"
    for x, name in zip(columns, heads, strict=True):
        pen.text(name, (x, 0.62), (4, 0), ha="left", color=style.SOFT)
    for row, (does, names) in enumerate(FAMILY.items()):
        low, high = -row - 0.42, -row + 0.42
        pen.shapes([[(left, low), (3.2, low), (3.2, high), (left, high)]], color=style.TINT)
        pen.text(does, (left, -row), (-8, 0), ha="right", color=style.SOFT)
        for x, name in zip(columns, names, strict=True):
            pen.text(name, (x, -row), (4, 0), ha="left", fontweight="bold")
    last = -len(FAMILY) - 0.6
    pen.text("not in the family", (left, last), (-8, 0), ha="right", color=style.SOFT)
    for row, names in enumerate(OTHERS):
        pen.text(names, (columns[0], last - 0.75 * row), (4, 0), ha="left")
    pen.title("Two steps make one")
    same = ", ".join(one for one, _ in FAMILY.values() if one)
    own = ", ".join(other for _, other in FAMILY.values())
    others = f"Not in the family: {', '.join(OTHERS)}."
    return f"Same step for every token: {same}. Each token's own: {own}. {others}"


TEXT = (0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0)
STEP = Parameter(
    "step",
    "what a token brings",
    "angle",
    options=("angle", "decay", "reflection", "position"),
)
ONE = Parameter("one", "how much each 1 brings", 0.3, 0, 1, 0.05, scale="real", most=1)
ZERO = Parameter("zero", "how much each 0 brings", 0.3, 0, 1, 0.05, scale="real", most=1)
# what 1 means for each, and the score after steps of these sizes
FULL = {
    "angle": "half a turn",
    "decay": "forgetting everything",
    "reflection": "a whole reflection",
    "position": "one position",
}
PAIRS_OF_16 = inv_freq(16)


def _scores(step: str, amounts: np.ndarray) -> np.ndarray:
    """Return the score of a query at each token with a key before the text, 1 without steps."""
    if step == "angle":
        return np.cos(np.pi * np.cumsum(amounts))
    if step == "decay":
        return np.cumprod(1 - amounts)
    if step == "reflection":  # I − βwwᵀ between two vectors along w
        return np.cumprod(1 - 2 * amounts)
    return np.cos(np.outer(np.cumsum(amounts), PAIRS_OF_16)).mean(axis=1)


@view(
    "curves",
    "Each token's own step",
    x="the text",
    y="score with a key before the text",
    needs="",
    only_for="rope, which takes the same step at every token",
    **ALL_ALIKE,
)
def own_steps(pen, encoding, step=STEP, one=ONE, zero=ZERO):
    """Draw how a score changes along a text of zeros and ones, if each brings a step of its own."""
    tokens = np.array(TEXT)
    scores = _scores(step, np.where(tokens == 1, one, zero))
    x = np.arange(len(tokens))
    pen.axes((-0.5, len(tokens) - 0.5), (-1.2, 1.2), xticks=dict(enumerate(map(str, TEXT))))
    pen.rule("y", 0, style.RULE)
    pen.curve(x, scores)
    odd = np.cumsum(tokens) % 2 == 1
    pen.dots(np.stack([x, scores], axis=1)[~odd], size=8)
    pen.dots(np.stack([x, scores], axis=1)[odd], size=8, color=style.PAPER, edge=style.KEY, lw=1.6)
    pen.unit("↑ score with a key before the text;", ("● even, ○ odd number of 1s", style.KEY))
    apart = max(np.ptp(scores[odd]), np.ptp(scores[~odd])) < 1e-9
    told = f"A 1 brings {number(one)} and a 0 {number(zero)} of {FULL[step]}"
    if apart and abs(scores[odd][0] - scores[~odd][0]) > 1e-9:
        even, other = (number(float(scores[chosen][0])) for chosen in (~odd, odd))
        pen.title(f"{even} after an even number of 1s, {other} after an odd")
        return f"{told}. The score tells an even number of 1s from an odd one: {even} or {other}."
    pen.title(
        f"{number(float(scores[-1]))} at the end" if one != zero else "Every token counts alike"
    )
    return f"{told}. The score ends at {number(float(scores[-1]))}."


BEGUN = Parameter("begun", "how large the rows are at first", "0.02", options=("0.02", "0.71"))
OF_LEARNED = {
    "needs": "table",
    "only": lambda encoding: encoding.name == "trained_rows",
    "only_for": "trained_rows, the tables that were trained",
    "matters": lambda encoding: [],
}
MOST_APART = 16


def alike(begun: str, seed: int, done: int) -> np.ndarray:
    """Return the cosine of every two rows of a table trained on flip_flop, less their mean row."""
    encoding = "learned_small" if begun == "0.02" else "learned"
    rows = kept_numbers(encoding, "flip_flop", seed)["rows"][done]
    rows = rows - rows.mean(axis=0)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


@view("cells", "A learned table", x="position", y="position", square=True, **OF_LEARNED)
def learned_rows(pen, encoding, done=DONE, model_seed=MODEL_SEED, begun=BEGUN):
    """Color the cosine of every two rows of a table that training made."""
    pen.cells(alike(begun, model_seed, done), (-1, 1))
    pen.unit("↓ position; cosine of two rows")
    pen.title(f"After {SNAPSHOTS[done]:,} steps")
    return (
        f"Model {model_seed}, rows begun at {begun}, after {SNAPSHOTS[done]:,} steps of training."
    )


@view("curves", "How alike two rows are", x="how many positions apart", y="cosine", **OF_LEARNED)
def learned_lags(pen, encoding, done=DONE, begun=BEGUN):
    """Draw how alike rows are at each distance, on average, with a thin line for each model."""
    apart = np.arange(1, MOST_APART + 1)
    each = []
    for seed in SEEDS:
        cosines = alike(begun, seed, done)
        each.append([float(np.diagonal(cosines, int(n)).mean()) for n in apart])
    each = np.array(each)
    pen.axes((0.5, MOST_APART + 0.5), (-0.9, 0.9), xticks=range(2, MOST_APART + 1, 2))
    pen.rule("y", 0, style.RULE)
    for line in each:
        pen.line(apart, line, style.GHOST, 1.0)
    pen.curve(apart, each.mean(axis=0), dotted=True)
    pen.unit("↑ cosine;", ("mean", style.KEY), "of ten models, each in gray")
    near, next_one = each[:, 0].mean(), each[:, 1].mean()
    pen.title(f"1 apart {near:.2f}, 2 apart {next_one:.2f}".replace("-", "−"))
    ends = [f"{number(column.min())} to {number(column.max())}" for column in each[:, :2].T]
    return (
        f"After {SNAPSHOTS[done]:,} steps, rows 1 apart have cosine {number(near)} ({ends[0]}), "
        f"and rows 2 apart {number(next_one)} ({ends[1]})."
    )


GROUP = Parameter(
    "group_size", "how many positions share a number past the window", 4, 1, 16, least=1
)

WINDOW = Parameter("window", "how many keys keep their exact offsets", 16, 1, 512, least=1)

EXTENDED = {
    "needs": "training_length",
    "ignores": "head_dim base pairing content draw rope_type factor",
}


@view("cells", "Offsets, known and new", **EXTENDED, **PAIRS)
def offsets_used(pen, encoding, group_size=GROUP, window=WINDOW):
    """Color the offset, query − key, that Self-Extend gives each query and key;
    hatched where training never produced it.
    """
    n, trained = encoding.seq_len, encoding.training_length
    grid = masked(self_extend_offsets(n, group_size, window), causal=True)
    most, known = int(grid[-1, 0]), trained - 1
    pen.cells(np.where(grid > known, np.nan, grid), (0, max(known, 1)), mixes=False)
    count = (grid > known).sum(axis=1)  # of new offsets in each row: they stand at its left
    if count.any():
        rows = np.flatnonzero(count)
        x = np.repeat(count[rows] - 0.5, 2)
        y = np.stack([rows - 0.5, rows + 0.5], axis=1).ravel()
        steps, corner = np.stack([x, y], axis=1), [(-0.5, n - 0.5), (-0.5, rows[0] - 0.5)]
        hatched = {"color": style.TINT, "edge": style.INK}
        pen.shapes([np.vstack([steps, corner])], lw=0.8, hatch="///", **hatched)
    new = f"Offset {most} is new" if most == trained else f"Offsets {trained:,} to {most:,} are new"
    pen.title(new if count.any() else f"No offset is new: {most:,} at most")
    return (
        f"Largest offset in {n:,} tokens: {most:,}. Largest in training on {trained:,}: {known:,}."
    )


LEAK = Parameter(
    "leak", "how far gates are from 0 and 1", 0.01, 0, 0.05, 0.001, scale="real", most=0.5
)

EVERY = Parameter("every", "every n-th token counts, going back", 41, 2, 64, least=1)


@view("curves", "Counting back", x="tokens back", needs="npos", ignores="content head_dim seed")
def leaking_count(pen, encoding, leak=LEAK, every=EVERY):
    """Draw how far a query has counted, going back: tokens that count have a gate of 1 − leak,
    and all others leak.
    """
    n, last = encoding.seq_len, encoding.npos - 1
    counts = np.arange(1, n + 1) % every == 0
    gates, should = np.where(counts, 1 - leak, leak), int(counts.sum())
    total = gates.sum()
    meant, counted = (np.minimum(np.cumsum(each), last) for each in (counts, gates))
    pen.axes((-0.5, 1.03 * n), (-0.5, 1.1 * (should + LEAK.high * n)))
    pen.unit("↑ count:", ("meant", style.SOFT), ("counted", style.KEY))
    pen.change(range(n), meant, counted)
    pen.mark([(n - 1, counted[-1])], size=9)
    pen.label(f"{counted[-1]:.2f}", (n - 1, counted[-1]), (-2, 14), ha="right")
    right = f"{should}, as it should"
    if abs(total - should) >= 0.005:
        right = f"{total:.2f} instead of {should}"
    pen.title(f"Counting ends at the last position, {last}" if total > last else f"Counts {right}")
    counting, others = number(gates[counts].sum()), number(gates[~counts].sum())
    parts = f"{counting} from the {should} that count, {others} from the rest"
    return f"The gates of {n} tokens add up to {number(total)}: {parts}. Positions end at {last}."
