"""The waves as the hands of a clock: a fast one, a middle one and the slowest."""

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.view import QUERY, View

LENGTHS = (1.0, 0.78, 0.56)  # the fast hand is long and thin, the slow one short and thick
WIDTHS = (1.8, 3.0, 5.0)


class Clock(View):
    """Draw up to three hands; data: frequencies (n,) in radians per position, position, called ("dim" or "pair").

    The hands start at twelve and turn clockwise, so the tip of a hand of length 1 stands at (sin, cos).
    """

    name = "clock"
    needs = ("frequencies",)
    ignores = frozenset({"content", "layout", "pairing", "seq_len"})
    square = True
    parameters = (QUERY,)

    @staticmethod
    def inputs(encoding, values):
        return {"frequencies": encoding.frequencies, "position": values["query"], "called": encoding.wave}

    def build(self, ax):
        ax.set_title("The clock")
        ax.set_xlim(-1.3, 1.3)
        ax.set_ylim(-1.3, 1.3)
        ax.axis("off")
        turn = np.linspace(0, 2 * np.pi, 121)
        ax.plot(np.sin(turn), np.cos(turn), color=style.LINE, lw=1.5)
        for mark in np.linspace(0, 2 * np.pi, 13)[1:]:
            ax.plot(*np.outer([np.sin(mark), np.cos(mark)], [0.94, 1]), color=style.LINE, lw=1.5)
        colors = (style.CURVE, style.OTHER, style.INK)
        styles = zip(WIDTHS, colors, strict=True)
        self.hands = [ax.plot([], [], color=c, lw=w, solid_capstyle="round", zorder=3)[0] for w, c in styles]
        self.names = [ax.text(0, 0, "", **style.name(color=color, zorder=5)) for color in colors]
        ax.plot(0, 0, "o", color=style.INK, ms=7, zorder=4)
        return [*self.hands[::-1], *self.names]

    def axes_state(self, frequencies, position, called):
        return ()

    def set_axes(self):
        pass

    def set_data(self, frequencies, position, called):
        shown = hands(len(frequencies))
        for k, (hand, name) in enumerate(zip(self.hands, self.names, strict=True)):
            hand.set_visible(k < len(shown))
            name.set_visible(k < len(shown))
            if k < len(shown):
                angle = position * frequencies[shown[k]]
                tip = LENGTHS[k] * np.array([np.sin(angle), np.cos(angle)])
                hand.set_data([0, tip[0]], [0, tip[1]])
                name.set_text(f"{called} {shown[k]}")
                name.set_position(tip * (1 + 0.06 / LENGTHS[k]))  # beyond the tip, wherever it points
                x, y = np.round(tip / LENGTHS[k])
                name.set(ha=("right", "center", "left")[int(x) + 1], va=("top", "center", "bottom")[int(y) + 1])

    def describe(self, frequencies, position, called):
        told = []
        for wave in hands(len(frequencies)):
            turns, length = position * frequencies[wave] / (2 * np.pi), 2 * np.pi / frequencies[wave]
            told.append(
                f"{called} {wave} has made {style.number(turns)} turns (one takes {style.number(length)} positions)"
            )
        return f"Clock at position {position}: {'; '.join(told)}."


def hands(number: int) -> list[int]:
    """Return which of so many waves are shown: the first, the middle and the last."""
    return sorted({0, number // 2, number - 1})
