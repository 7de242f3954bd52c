"""The dot product against how far apart two positions are: one line if only the offset counts, else a band."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from posenc_lib.views import style
from posenc_lib.views.view import View


class ScoreByOffset(View):
    """Draw for each offset the lowest, highest and mean score; data: matrix (seq_len, seq_len), offset or None."""

    name = "score_by_offset"
    needs = ("similarity",)
    ignores = frozenset({"layout"})
    weight = 1.2
    most_positions = 512

    @staticmethod
    def inputs(encoding, values):
        return {"matrix": encoding.similarity, "offset": values.get("offset")}

    def build(self, ax):
        ax.grid(True, axis="y")
        ax.axhline(0, color=style.LINE, lw=1)
        ax.set_title("Score against offset")
        ax.set_xlabel("offset: key − query")
        ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(4))
        self.band = ax.fill_between([0, 1], [0, 0], [0, 0], color=style.GHOST, lw=0)
        (self.mean,) = ax.plot([], [], color=style.CURVE)
        (self.now,) = ax.plot([], [], "o", color=style.QUERY, ms=8)
        return [self.band, self.mean, self.now]

    def axes_state(self, matrix, offset=None):
        bound = style.tight_bound(np.abs(matrix).max())
        low, high = np.floor(8 * matrix.min() / bound + 1e-9), np.ceil(8 * matrix.max() / bound - 1e-9)
        low = min(low, high - 1)  # in eighths of the bound: few steps, so that the axis seldom jumps
        return len(matrix), low * bound / 8, high * bound / 8

    def set_axes(self, seq_len, low, high):
        margin = 0.06 * (high - low)
        self.ax.set_xlim(-seq_len + 0.5, seq_len - 0.5)
        self.ax.set_ylim(low - margin, high + margin)

    def set_data(self, matrix, offset=None):
        offsets, low, mean, high = by_offset(matrix)
        self.mean.set_data(offsets, mean)
        there = offset is not None and abs(offset) < len(matrix)
        self.now.set_data(*([offset], [mean[offset + len(matrix) - 1]]) if there else ([], []))
        edge = np.concatenate([np.stack([offsets, low], axis=1), np.stack([offsets, high], axis=1)[::-1]])
        self.band.set_verts([edge])

    def describe(self, matrix, offset=None):
        offsets, low, mean, high = by_offset(matrix)
        spread = (high - low).max() / max(np.abs(matrix).max(), 1e-300)
        score, same = "Score", "the same for every pair at that offset"
        if spread >= 1e-9:
            score, same = "Mean score", "a band: the offset alone does not decide"
        middle, apart = len(offsets) // 2, min(5, len(matrix) - 1)
        zero, after, before = (style.number(mean[middle + k]) for k in (0, apart, -apart))
        return f"{score} at offset 0: {zero}, at {apart}: {after}, at −{apart}: {before}; {same}."


def by_offset(matrix: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (offsets, lowest, mean, highest) over the diagonals of a square matrix, each of shape (2n − 1,)."""
    n = len(matrix)
    offsets = np.arange(1 - n, n)
    padded = np.full((n, 2 * n), np.nan)
    padded[:, :n] = matrix[::-1]
    columns = padded.ravel()[:-n].reshape(n, 2 * n - 1)  # each row moves one place on: a column is one offset
    return offsets, np.nanmin(columns, axis=0), np.nanmean(columns, axis=0), np.nanmax(columns, axis=0)
