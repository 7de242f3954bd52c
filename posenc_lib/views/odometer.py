"""One position digit by digit, and which digits the next step changes."""

import numpy as np
from matplotlib.patches import Rectangle

from posenc_lib.views import style
from posenc_lib.views.view import QUERY, View

MOST = 8  # digits in sight


class Odometer(View):
    """Draw a row of the table as digits; data: row and next_row (d,), the latter None at the end, and position."""

    name = "odometer"
    parameters = (QUERY,)
    left, right = 0.2, 0.2
    weight = 1.1

    @staticmethod
    def inputs(encoding, values):
        position, table = values["query"], encoding.table
        after = table[position + 1] if position + 1 < len(table) else None
        return {"row": table[position], "next_row": after, "position": position}

    def build(self, ax):
        ax.set_title("One position, digit by digit")
        ax.axis("off")
        ax.set_ylim(-1.5, 1.5)
        self.boxes = [ax.add_patch(Rectangle((k - 0.45, -0.6), 0.9, 1.2, lw=1.2, ec=style.LINE)) for k in range(MOST)]
        text = {"ha": "center", "va": "center", "fontweight": "bold"}
        self.digits = [ax.text(k, 0, "", **text) for k in range(MOST)]
        self.names = [ax.text(k, -0.85, f"dim {k}", fontsize=9, ha="center", va="center") for k in range(MOST)]
        self.flips = [ax.text(k, 0.82, "flips", fontsize=9, color=style.QUERY, **text) for k in range(MOST)]
        self.told = ax.text(0.5, 0.97, "", transform=ax.transAxes, fontsize=11, **text | {"va": "top"})
        return [*self.boxes, *self.digits, *self.flips, *self.names, self.told]

    def axes_state(self, row, next_row, position):
        return (min(len(row), MOST),)

    def set_axes(self, number):
        self.ax.set_xlim(-0.7, max(number, 3) - 0.3)
        for digit in self.digits:
            digit.set_fontsize(max(10, 22 - 2 * number))

    def set_data(self, row, next_row, position):
        flips = changes(row, next_row)
        for k in range(MOST):
            shown = k < len(row)
            for part in (self.boxes[k], self.digits[k], self.names[k]):
                part.set_visible(shown)
            self.flips[k].set_visible(shown and bool(flips[k]))
            if shown:
                self.digits[k].set_text(f"{row[k]:.2g}".replace("-", "−"))
                self.boxes[k].set_facecolor(style.TINT if row[k] > 0.5 else style.PAPER)
                self.boxes[k].set_edgecolor(style.QUERY if flips[k] else style.LINE)
                self.boxes[k].set_linewidth(3 if flips[k] else 1.2)
        self.told.set_text(f"position {position}")

    def describe(self, row, next_row, position):
        digits = ", ".join(style.number(x) for x in row[:MOST])
        if next_row is None:
            return f"Digits of position {position}: {digits}; it is the last one."
        flips = f"{changes(row, next_row).sum()} of {len(row)} flip at the next step"
        return f"Digits of position {position}: {digits}; {flips}."


def changes(row: np.ndarray, next_row: np.ndarray | None) -> np.ndarray:
    """Return which digits move by more than a half to the next position."""
    return np.zeros(len(row), bool) if next_row is None else np.abs(next_row - row) > 0.5
