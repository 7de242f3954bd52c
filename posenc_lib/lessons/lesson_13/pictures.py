"""The pictures only lesson 13 shows."""

from dataclasses import replace

import numpy as np

from posenc_lib.encodings.census import ABSENT
from posenc_lib.encodings.census import census as counted
from posenc_lib.encodings.exact_head import exact_head, reads_positions
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.lessons.training.trained_table import (
    LENGTH,
    LENGTHS,
    SECOND,
    TASK_NAMES,
    runs_of,
    trained_table,
)
from posenc_lib.views import style
from posenc_lib.views.longer import BACK, BY_LENGTH, PARTS, lengths_from, share
from posenc_lib.views.style import number
from posenc_lib.views.view import view

NEAR_BACK = replace(BACK, high=31)

OF_ALL = {"ignores": "content draw head layout num_heads pairing seed", "most_positions": 64}
OF_ALL |= {"only_for": "encodings whose scores a head can learn by position"}
OF_ALL |= {"only": lambda e: reads_positions(e) and not (e.has("seed") and e.has("table"))}


@view(
    "curves", "Best head", y="attention on the right token", needs="seq_len", **OF_ALL, **BY_LENGTH
)
def best_head(pen, encoding, look_back=NEAR_BACK):
    """Draw the attention that the best head of an encoding gives to the token k back,
    by the length of the text.
    """
    fitted, scaled = encoding.seq_len, encoding.has("as_trained")
    head = exact_head(
        encoding.as_trained if scaled else encoding, look_back=look_back, seq_len=fitted
    )
    asked = [fitted * by for by in (1, 2, 4, 8)]  # lengths whose numbers are written
    end = encoding.at(seq_len=asked[-1]).max_positions
    lengths = [n for n in lengths_from(fitted, 3, 8).tolist() if n <= end]
    theta = [encoding.at(seq_len=n).frequencies if scaled else None for n in lengths]
    shares = [float(head.mass(n, inv_freq=t)) for n, t in zip(lengths, theta, strict=True)]
    got = {n: part for n, part in zip(lengths, shares, strict=True) if n in asked}
    xticks = {n: f"{n:,}" for n in asked}
    pen.axes((asked[0] / 1.3, asked[-1] * 1.3), (-0.03, 1.17), xticks=xticks, yticks=PARTS)
    pen.curve(lengths, shares)
    pen.mark([*got.items()])
    for n, part in got.items():
        pen.label(f"{part:.2f}", (n, part), (0, 14))
    last = max(got)
    beside = f", {got[last]:.2f} at {last:,} tokens" if last > fitted else ""
    pen.title(f"{got[fitted]:.2f} at {fitted}{beside}")
    told = ", ".join(f"{share(part)} at {n:,}" for n, part in got.items())
    beyond = "" if end >= asked[-1] else f" There are no positions past {end:,}."
    turns = ""
    if encoding.has("frequencies"):
        frequencies = np.asarray(encoding.frequencies)  # a reader's own can be a list
        complete = int((frequencies * fitted >= 2 * np.pi).sum())
        pairs = style.plural(len(frequencies), "pair")
        turns = f" In {fitted} tokens, {complete} of its {pairs} complete a turn."
    return f"Attention on the token {look_back} back: {told} tokens.{beyond}{turns}"


OF_ROPE = {  # a table of trained models, or of those people ship
    "only": lambda encoding: encoding.name == "rope",
    "only_for": "rope, which stands for everything that was measured",
    "matters": lambda encoding: [],
}

TASK = Parameter("task", "what the models learned", "flip_flop", options=TASK_NAMES)

TIMES = Parameter(
    "times", "how many times the trained length", 1, 1, 8, 1, "power of two", least=1, most=8
)

# how far back the answer is in a long text
NEAR_TO_FAR = ("look_back", "flip_flop", "induction", "recall")

GOOD = 0.9
# The rows that differ in encoding alone: two layers alike, two heads of 16 dims
ENCODED = "no_position sinusoidal learned rope rope_100 rope_10 p_rope".split()
ENCODED += "alibi alibi_steep alibi_mixed t5 t5_near kerple kerple_fixed".split()
TRAINED = {  # each model was trained at one setting, and shows no positions of its own
    "x": "tokens in the text",
    "log": "x",
    "shows_end": True,
    "matters": lambda encoding: [],
    "only": lambda encoding: bool(runs_of(encoding.name, TASK.default)),
    "only_for": "encodings that models were trained with, and none was with this",
}


@view("curves", f"Trained on {LENGTH} tokens", **TRAINED, needs="seq_len")
def trained_models(pen, encoding, task=TASK):
    """Draw how many answers each model with an encoding got right, by the length of the text."""
    return _each_model(pen, encoding.name, task)


# Rows of the table with RoPE in both layers
MODEL = Parameter(
    "model",
    "which models with RoPE",
    "rope",
    options=("rope", "rope_8_heads", "rope_32", "rope_64", "rope_100", "rope_10", "p_rope"),
)


@view(
    "curves",
    f"RoPE, trained on {LENGTH} tokens",
    x="tokens in the text",
    log="x",
    needs="seq_len",
    **OF_ROPE,
)
def trained_ropes(pen, encoding, task=TASK, model=MODEL):
    """Draw how many answers each model with a kind of RoPE got right, by the length of the text."""
    return _each_model(pen, model, task)


def _each_model(pen, name: str, task: str) -> str:
    """Draw a dot for each model of a row of the table, and a curve through their means."""
    runs = runs_of(name, task)
    right = np.array([[run.accuracy[""][n] for n in LENGTHS] for run in runs], float)
    mean, second = right.mean(axis=0), np.array([run.plan.seed in SECOND for run in runs])
    pen.axes((LENGTHS[0] / 1.3, LENGTHS[-1] * 1.3), (-0.03, 1.17), xticks=LENGTHS, yticks=PARTS)
    pen.unit("↑ right answers:", ("● seeds 0–4, ○ 5–9", style.KEY))
    pen.curve(LENGTHS, mean)
    for chosen, aside, fill in ((~second, 0.96, style.KEY), (second, 1.04, style.PAPER)):
        at = np.tile(np.array(LENGTHS) * aside, chosen.sum())
        points = np.stack([at, right[chosen].ravel()], axis=1)
        pen.dots(points, color=fill, edge=style.KEY, size=6.5, lw=1, alpha=0.8)
    got = {n: float(middle) for n, middle in zip(LENGTHS, mean, strict=True) if middle == middle}
    for n, middle in got.items():
        pen.label(f"{middle:.2f}", (n, right[:, LENGTHS.index(n)].max()), (0, 15))
    last = max(got)
    beyond = f", {got[last]:.2f} at {last}" if last > LENGTH else ""
    pen.title(f"{got[LENGTH]:.2f} at {LENGTH}{beyond} tokens")
    ends = [f"{number(column.min())} to {number(column.max())}" for column in right.T]
    ends = dict(zip(LENGTHS, ends, strict=True))
    told = ", ".join(f"{number(middle)} ({ends[n]}) at {n}" for n, middle in got.items())
    end = "" if last == LENGTHS[-1] else f"; no rows past {LENGTH}"
    return f"Right answers, mean (range) of {len(runs)} models on {task}: {told} tokens{end}."


# What each of two layers has, first to last: a row of the table, and RoPE's scaling at the test
LAYERS = {
    "RoPE twice": ("rope", ""),
    "base 10 twice": ("rope_10", ""),
    "base 10 then none": ("rope_10_then_none", ""),
    "none then base 10": ("none_then_rope_10", ""),
    "window then none": ("window_then_none", ""),
    "window then RoPE": ("window_then_rope", ""),
    "window then RoPE with YaRN": ("window_then_rope", "yarn"),
    "RoPE with YaRN twice": ("rope", "yarn"),
}
IN_LAYERS = Parameter(
    "layers", "positions in the first layer, then the second", "RoPE twice", options=tuple(LAYERS)
)
GAP = 1.4  # between two tasks, in steps from one length to the next


@view(
    "curves",
    "Two layers",
    needs="seq_len",
    **OF_ROPE,
)
def trained_layers(pen, encoding, layers=IN_LAYERS):
    """Draw how many answers models with different layers got right, at all four tasks."""
    name, rope_type = LAYERS[layers]
    wide = len(LENGTHS) - 1 + GAP
    ticks = {}
    for k, n in enumerate(LENGTHS):
        for group in range(len(NEAR_TO_FAR)):
            ticks[group * wide + k] = str(n) if k in (0, len(LENGTHS) - 1) else ""
    pen.axes((-0.6, len(NEAR_TO_FAR) * wide - GAP + 0.6), (-0.03, 1.26), xticks=ticks, yticks=PARTS)
    pen.unit("↑ right answers by tokens in the text; each dot is a model")
    last, told = {}, []
    for group, task in enumerate(NEAR_TO_FAR):
        right = []
        for run in runs_of(name, task):
            by_length = run.accuracy[""] | run.accuracy[rope_type]
            right.append([by_length[n] for n in LENGTHS])
        right = np.array(right)
        x = group * wide + np.arange(len(LENGTHS))
        pen.curve(x, right.mean(axis=0))
        points = np.stack([np.tile(x, len(right)), right.ravel()], axis=1)
        pen.dots(points, color=style.PAPER, edge=style.KEY, size=5, lw=1, alpha=0.8)
        last[task] = float(right[:, -1].mean())
        pen.text(task, (x.mean(), 1.2), fontweight="bold")
        pen.label(f"{last[task]:.2f}", (x[-1], float(right[:, -1].max())), (0, 12))
        ends = f"{number(right[:, -1].min())} to {number(right[:, -1].max())}"
        told.append(f"{task} {number(last[task])} ({ends})")
    worst = min(last, key=last.get)
    pen.title(f"Worst at {LENGTHS[-1]} tokens: {worst}, {last[worst]:.2f}")
    models = style.plural(len(runs_of(name, worst)), "model")
    about = f"right answers at {LENGTHS[-1]} tokens, mean (range) of {models}"
    return f"{layers}: {about}: {', '.join(told)}."


@view(
    "cells",
    "Right answers",
    x=("answers are near", "far away"),
    needs="seq_len",
    **OF_ROPE,
    left=92,
    scale=False,  # the numbers are written
    square=True,  # so that rows keep their height on a phone
)
def four_tasks(pen, encoding, times=TIMES):
    """Color how many answers models got right on average, a row for each encoding,
    a column for each task.
    """
    tables, length = [trained_table(task).rows for task in NEAR_TO_FAR], times * LENGTH
    names, plain = [name for name in tables[0] if name.partition(",")[0] in ENCODED], ""
    right = np.full((len(names), len(tables)), np.nan)  # where a learned table has no row
    for row, name in enumerate(names):
        plain = plain if "," in name else name  # within the trained length nothing is scaled
        for column, rows in enumerate(tables):
            found = (rows[plain] | rows[name])[length]
            right[row, column] = found.mean if found else np.nan
    own = [row for row, name in enumerate(names) if "rope" in name]
    others = {row: "" if row in own else name for row, name in enumerate(names)}
    pen.cells(right, (0, 1), yticks=others, xticks=dict(enumerate(NEAR_TO_FAR)))
    pen.fill("{:.2f}", style.NUMBERS)
    look = {"ha": "right", "fontsize": style.NUMBERS, "fontweight": "bold"}
    for row in own:
        pen.text(names[row], (0, row), (-4, 0), within="y", **look)
    for row in np.flatnonzero(np.isnan(right[:, 0])):
        pen.text("no row", ((len(tables) - 1) / 2, row), fontsize=style.NUMBERS, color=style.SOFT)
    pen.unit(f"right answers on {length} tokens")
    solved = int((right.min(axis=1) >= GOOD).sum())
    reach = "reaches" if solved == 1 else "reach"
    pen.title(f"{solved} of {len(names)} {reach} {GOOD} in all four tasks")
    said = [name.replace(", ", " with ") for name in names]
    good = ", ".join(name for name, each in zip(said, right, strict=True) if each.min() >= GOOD)
    worst = ", ".join(f"{said[row]} {number(float(right[row].min()))}" for row in own)
    return (
        f"At {length} tokens these reach {GOOD} in all tasks: {good}. "
        f"The worst task of RoPE's rows: {worst}."
    )


EACH = 5  # names in a line, of what no one has


@view(
    "free",
    "What people ship",
    needs="",
    **OF_ROPE,
)
def census(pen, encoding):
    """Draw how many implementations have each kind, a bar for each; blue is the rotary one."""
    found = counted()
    kinds, unused = found.used, found.unused
    pen.axes((0, 2.6 * max(kinds.values())), (-len(kinds) - 1.6, 0.6), xticks=(), yticks=())
    pen.unit(f"→ how many implementations in transformers {found.version} have it")
    for row, (kind, many) in enumerate(kinds.items()):
        color, weight = (style.KEY, "bold") if kind == "rotary" else (style.GHOST, "normal")
        corners = [(0, -row - 0.35), (many, -row - 0.35), (many, -row + 0.35), (0, -row + 0.35)]
        pen.shapes([corners], color=color)
        pen.text(f"{many} {kind}", (many, -row), (6, 0), ha="left", fontweight=weight)
    for first in range(0, len(unused), EACH):
        words = ", ".join(unused[first : first + EACH])
        if not first:
            words = f"0 {words}"
        pen.text(words, (0, -len(kinds) - first / EACH), (6, 0), ha="left")
    pen.title(f"Rotary: {kinds['rotary']} of {found.total}")
    most = ", ".join(f"{many} {kind}" for kind, many in list(kinds.items())[:4])
    return (
        f"Most frequent: {most}. One implementation may have several; "
        f"{len(found[ABSENT])} have none of these."
    )
