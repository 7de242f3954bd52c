"""What small models learned with an encoding, run by run, and how they did on texts longer than those they learned."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.encodings.trained_table import LENGTH, LENGTHS, SCALINGS, SECOND, TASK_NAMES, runs_of
from posenc_lib.views import style
from posenc_lib.views.longer import PARTS
from posenc_lib.views.style import number
from posenc_lib.views.view import view

TASK = Parameter("task", "what the models learned", "flip_flop", options=TASK_NAMES)
AT_TEST = Parameter("at_test", "how frequencies are scaled at the test", "yarn", options=SCALINGS)
TRAINED = {  # each model was trained at one setting, and shows no positions of its own
    "x": "tokens in the text",
    "log": "x",
    "shows_end": True,
    "matters": lambda encoding: [],
    "only": lambda encoding: bool(runs_of(encoding.name, TASK.default)),
}


@view("curves", f"Trained on {LENGTH} tokens", **TRAINED, needs="seq_len")
def trained_models(pen, encoding, task=TASK):
    """Draw how many answers models with an encoding got right, a dot for each of them, by the length of the text."""
    return answers(pen, runs_of(encoding.name, task), task)


@view("curves", "Scaled at the test", **TRAINED, needs="as_trained")
def scaled_at_test(pen, encoding, task=TASK, at_test=AT_TEST):
    """Draw the same where frequencies are scaled at the test alone, the unscaled models' mean in grey."""
    return answers(pen, runs_of(encoding.name, task), task, at_test)


def answers(pen, runs, task: str, scaling: str = "") -> str:
    """Draw the shares of right answers of each model, and their mean; in grey, the mean of before they were scaled."""
    plain = np.array([[run.accuracy[""][n] for n in LENGTHS] for run in runs], float)
    right = np.array([[{**run.accuracy[""], **run.accuracy[scaling]}[n] for n in LENGTHS] for run in runs], float)
    mean, second = right.mean(axis=0), np.array([run.plan.seed in SECOND for run in runs])
    pen.axes((LENGTHS[0] / 1.3, LENGTHS[-1] * 1.3), (-0.03, 1.17), xticks=LENGTHS, yticks=PARTS)
    names = [("unscaled", style.SOFT), "→", (f"{scaling};", style.KEY)] if scaling else []
    pen.unit("↑ right answers:", *names, ("● seeds 0–4, ○ 5–9", style.KEY))
    pen.change(LENGTHS, plain.mean(axis=0), mean, before_lw=4.0 * bool(scaling))
    for chosen, aside, fill in ((~second, 0.96, style.KEY), (second, 1.04, style.PAPER)):
        at = np.tile(np.array(LENGTHS) * aside, chosen.sum())
        pen.dots(np.stack([at, right[chosen].ravel()], axis=1), color=fill, edge=style.KEY, size=6.5, lw=1, alpha=0.8)
    got = {n: float(middle) for n, middle in zip(LENGTHS, mean, strict=True) if middle == middle}
    for n, middle in got.items():
        pen.label(f"{middle:.2f}", (n, right[:, LENGTHS.index(n)].max()), (0, 15))
    last = max(got)
    beyond = f", {got[last]:.2f} on {last}" if last > LENGTH else ""
    pen.title(f"{got[LENGTH]:.2f} on {LENGTH}{beyond} tokens")
    about = f"{len(runs)} models, {runs[0].plan.steps:,} steps of {task}{f', tested with {scaling}' if scaling else ''}"
    ends = {n: f"{number(column.min())} to {number(column.max())}" for n, column in zip(LENGTHS, right.T, strict=True)}
    told = ", ".join(f"{number(middle)} ({ends[n]}) on {n}" for n, middle in got.items())
    end = "" if last == LENGTHS[-1] else f"; beyond {LENGTH} there is no row"
    return f"{about}, right on average: {told}{end}."
