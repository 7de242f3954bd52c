"""What small models learned with an encoding, run by run, and how they did on texts longer than those they learned."""

import numpy as np

from posenc_lib.encodings.parameter import Parameter
from posenc_lib.training.positions import LENGTH
from posenc_lib.training.run import LENGTHS, SCALINGS
from posenc_lib.training.table import SECOND, runs_of
from posenc_lib.training.tasks import TASKS
from posenc_lib.views import style
from posenc_lib.views.beyond import legend
from posenc_lib.views.style import number
from posenc_lib.views.view import CurveView

TASK = Parameter("task", "what the models learned", "flip_flop", options=tuple(TASKS))
AT_TEST = Parameter("at_test", "how frequencies are scaled at the test", "yarn", options=SCALINGS)
ASIDE = 0.06  # octaves to either side at which the two sets of seeds stand


class Trained(CurveView, name="trained_models"):
    """Draw how many answers models with an encoding got right, a dot for each of them, by the length of the text.

    Data: right (runs, lengths) shares of right answers, NaN where there is no row; before, the same as they were, or
    None; second (runs,), which are of the second set of seeds; about, what they are and how they are run.
    """

    needs = ("seq_len",)
    parameters: tuple[Parameter, ...] = (TASK,)
    pointer = (None, None)
    title, x_label, y_label = f"Trained on {LENGTH} tokens", "tokens in the text", "share of right answers"
    log = "x"
    shows_end = True  # it shows no positions of its own

    @classmethod
    def fits(cls, encoding):
        return super().fits(encoding) and bool(runs_of(encoding.name, TASK.default))

    @classmethod
    def relevant(cls, encoding):
        return []  # each model was trained at one setting

    def inputs(self, encoding, values):
        runs = runs_of(encoding.name, values["task"])
        right = np.array([[run.accuracy[""][n] for n in LENGTHS] for run in runs], float)
        second = np.array([run.plan.seed in SECOND for run in runs])
        told = f"{len(runs)} models, {runs[0].plan.steps:,} steps of {values['task']} on {LENGTH} tokens"
        return {"right": right, "before": None, "second": second, "about": told}

    def build(self, ax):
        ax.set(xticks=LENGTHS, xticklabels=LENGTHS, xlim=(LENGTHS[0] / 1.3, LENGTHS[-1] * 1.3))
        ax.set_yticks(np.linspace(0, 1, 5))
        ax.minorticks_off()
        (self.before,) = ax.plot([], [], color=style.GHOST, lw=4)
        (self.mean,) = ax.plot([], [], color=style.CURVE)
        look = {"ls": "", "marker": "o", "ms": 5, "mec": style.CURVE, "alpha": 0.8}
        self.sets = [ax.plot([], [], mfc=fill, **look)[0] for fill in (style.CURVE, style.PAPER)]
        self.named = [ax.text(0, 0, "", **style.name(color=style.QUERY, ha="center")) for _ in LENGTHS]
        names = legend(ax, "upper right", dict(zip(("seeds 0–4", "5–9"), self.sets, strict=True)), columns=2)
        return [self.before, self.mean, *self.sets, *self.named, names]

    def show(self, right, before, second, about):
        self.axes(ylim=(-0.12, 1.27))
        mean, x = right.mean(axis=0), np.array(LENGTHS)
        self.mean.set_data(x, mean)
        self.before.set_data(x, mean if before is None else before.mean(axis=0))
        self.before.set_visible(before is not None)
        for dots, chosen, aside in zip(self.sets, (~second, second), (-ASIDE, ASIDE), strict=True):
            dots.set_data(np.tile(x * 2**aside, chosen.sum()), right[chosen].ravel())
        told = []
        for text, n, column, middle in zip(self.named, LENGTHS, right.T, mean, strict=True):
            text.set_visible(middle == middle)
            if middle == middle:
                up = column.max() < 0.95
                text.set(text=f"{middle:.2f}", position=(n, column.max() + 0.05 if up else column.min() - 0.05))
                text.set_va("bottom" if up else "top")
                told.append(f"{number(middle)} ({number(column.min())} to {number(column.max())}) on {n}")
        beyond = "" if mean[-1] == mean[-1] else f"; beyond {LENGTH} there is no row"
        return f"{about}, right on average: {', '.join(told)}{beyond}."


class TrainedScaled(Trained, name="scaled_at_test"):
    """Draw the same where frequencies are scaled at the test alone, the unscaled models' mean in grey."""

    needs = ("as_trained",)
    parameters = (TASK, AT_TEST)
    title = "Scaled at the test"

    def inputs(self, encoding, values):
        plain, asked = super().inputs(encoding, values), values["at_test"]
        runs = runs_of(encoding.name, values["task"])
        scaled = [[{**run.accuracy[""], **run.accuracy[asked]}[n] for n in LENGTHS] for run in runs]
        about = f"{plain['about']}, tested with {asked}"
        return plain | {"right": np.array(scaled, float), "before": plain["right"], "about": about}
