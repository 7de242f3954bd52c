"""What is left of a word once its position is added."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.view import View

SCALE = Parameter("embed_scale", "what every word vector (of length 1) is multiplied by first", 1, 1, 64, least=1)
END = {"ha": "right", "va": "top"}


class WordLeft(View):
    """Draw two mean cosines against the position; data: same (n,), different (n,), lengths (of word, of position)."""

    name = "token_cosine"
    needs = ("rows",)
    weight = 1.2
    most_positions = 1024
    parameters = (SCALE,)

    @staticmethod
    def inputs(encoding, values):
        scale = values["embed_scale"]
        same, different = toy_data.token_cosines(encoding.table.astype(np.float64), scale)
        position = float(np.median(np.linalg.norm(encoding.table, axis=1)))
        return {"same": same, "different": different, "lengths": (float(scale), position)}

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.set_title("What is left of the word")
        ax.set_xlabel("position")
        ax.set_ylabel("cosine")
        ax.set_ylim(-0.25, 1.3)
        ax.set_yticks([0, 0.5, 1])
        ax.axhline(0, color=style.LINE, lw=1)
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        (self.same,) = ax.plot([], [], color=style.CURVE)
        (self.different,) = ax.plot([], [], color=style.OTHER, ls="--")
        self.kept = ax.text(0, 0, "word with itself + position", **style.name(color=style.CURVE, **END))
        self.mixed = ax.text(0, 0, "two different words", **style.name(color=style.OTHER, **END))
        self.long = ax.text(0.98, 0.99, "", transform=ax.transAxes, **style.name(fontweight="normal", **END))
        return [self.same, self.different, self.kept, self.mixed, self.long]

    def axes_state(self, same, different, lengths):
        return (len(same),)

    def set_axes(self, seq_len):
        self.ax.set_xlim(-0.5, max(seq_len - 0.5, 0.5))

    def set_data(self, same, different, lengths):
        where = np.arange(len(same))
        self.same.set_data(where, same)
        self.different.set_data(where, different)
        above = same[-1] >= different[-1]
        for name, end, up in ((self.kept, same[-1], above), (self.mixed, different[-1], not above)):
            name.set_position((len(same) - 1, end + (0.03 if up else -0.03)))
            name.set_va("bottom" if up else "top")
        word, position = map(style.number, lengths)
        self.long.set_text(f"word {word} long, positions about {position}")

    def describe(self, same, different, lengths):
        word, position = map(style.number, lengths)
        last = len(same) - 1
        return (
            f"A word {word} long, positions about {position} long. Cosine of a word with itself plus "
            f"position: {style.number(same[0])} at 0, {style.number(same[last])} at {last}; "
            f"of two different words at {last}: {style.number(different[last])}."
        )
