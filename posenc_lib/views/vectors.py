"""A query and a key as arrows in the plane of one pair of dims, turned by where they stand."""

import numpy as np

from posenc_lib.views import style
from posenc_lib.views.view import OFFSET, PAIR, QUERY, View

NAME = {"fontsize": 11, "fontweight": "bold", "ha": "center", "va": "center"}


class Arrows(View):
    """Two arrows in the plane of a pair of dims, before and after a turn."""

    square = True

    def build(self, ax):
        ax.grid(True)
        ax.axhline(0, color=style.LINE, lw=1)
        ax.axvline(0, color=style.LINE, lw=1)
        colors = (style.QUERY, style.CURVE)
        self.ghosts = [ax.plot([], [], color=color, lw=1.6, ls=":")[0] for color in colors]
        self.tracks = [ax.plot([], [], color=color, lw=1.2, alpha=0.6)[0] for color in colors]
        self.arrows = [ax.plot([], [], color=color, lw=3, marker="o", markevery=[1], ms=8)[0] for color in colors]
        self.names = [ax.text(0, 0, "", color=color, **NAME) for color in colors]
        self.told = ax.text(0.5, 0.02, "", transform=ax.transAxes, **style.name(fontsize=10.5, ha="center"))
        return [*self.ghosts, *self.tracks, *self.arrows, *self.names, self.told]

    def set_axes(self, bound):
        self.bound = bound
        self.ax.set_xlabel("first dim of the pair")
        self.ax.set_ylabel("second dim")
        self.ax.set_xlim(-1.45 * bound, 1.45 * bound)
        self.ax.set_ylim(-1.45 * bound, 1.45 * bound)

    def turn(self, before, after, angles) -> None:
        """Move both arrows from before to after; each is (2, 2), one arrow a row."""
        for k in range(2):
            self.ghosts[k].set_data(*np.stack([[0, 0], before[k]], axis=1))
            self.arrows[k].set_data(*np.stack([[0, 0], after[k]], axis=1))
            self.tracks[k].set_data(*arc(before[k], angles[k], 0.42 + 0.1 * k))
            length = max(np.linalg.norm(after[k]), 1e-9)
            out = after[k] / length
            aside = np.array([-out[1], out[0]]) * (0.28 - 0.56 * k)  # both stay readable where the arrows meet
            self.names[k].set_position(after[k] + self.bound * (0.16 * out + aside))

    def write(self, names: list[str], told: str) -> None:
        """Name both arrows, and say something below them."""
        for text, name in zip(self.names, names, strict=True):
            text.set_text(name)
        self.told.set_text(told)


class Vectors(Arrows):
    """Draw a query and a key before and after the turn.

    Data: before and after, each (query, key) in the plane of the pair, shape (2, 2); angles, by how much each was
    turned; positions (m, n); pair; scores (of this pair, of all dims).
    """

    name = "vectors"
    needs = ("rotate",)
    ignores = frozenset({"seq_len"})
    parameters = (
        QUERY,
        OFFSET,
        PAIR,
    )

    @staticmethod
    def inputs(encoding, values):
        m, pair = values["query"], values["pair"]
        n = m + values["offset"]
        dims = encoding.pair_dims(pair)
        queries, keys = encoding.queries_and_keys(np.array([m, n]))
        q, k = queries[0], keys[1]
        after = np.stack([q, k])
        scores = float(after[0, dims] @ after[1, dims]), float(q @ k)
        before = encoding.query_and_key()[:, dims]
        turned = {"angles": encoding.frequencies[pair] * np.array([m, n]), "positions": (m, n)}
        return {"before": before, "after": after[:, dims], "pair": pair, "scores": scores} | turned

    def axes_state(self, before, after, angles, positions, pair, scores):
        return style.nice_bound(np.linalg.norm(before, axis=1).max()), pair

    def set_axes(self, bound, pair):
        super().set_axes(bound)
        self.ax.set_title(f"Query and key, pair {pair}")

    def set_data(self, before, after, angles, positions, pair, scores):
        self.turn(before, after, angles)
        self.write([f"q at {positions[0]}", f"k at {positions[1]}"], f"q · k = {style.number(scores[1])}")

    def describe(self, before, after, angles, positions, pair, scores):
        (m, n), (part, whole) = positions, scores
        return (
            f"Pair {pair}: the query turned at position {m}, the key at {n}; "
            f"their dot product is {style.number(whole)} in all, {style.number(part)} in this pair."
        )


class Basis(Arrows):
    """Draw the unit vectors of one pair before and after the turn; the turn of a position.

    Data: block (2, 2), the rotation of that pair; angle, in radians; position; pair.
    """

    name = "basis"
    needs = ("rotate",)
    ignores = frozenset({"content", "pairing", "seq_len"})
    parameters = (QUERY, PAIR)

    @staticmethod
    def inputs(encoding, values):
        pair, position = values["pair"], values["query"]
        dims = encoding.pair_dims(pair)
        block = encoding.shift(position)[np.ix_(dims, dims)]
        return {
            "block": block,
            "angle": position * float(encoding.frequencies[pair]),
            "position": position,
            "pair": pair,
        }

    def axes_state(self, block, angle, position, pair):
        return 1.0, pair

    def set_axes(self, bound, pair):
        super().set_axes(bound)
        self.ax.set_title(f"Unit vectors, pair {pair}")

    def set_data(self, block, angle, position, pair):
        self.turn(np.eye(2), block.T, (angle, angle))
        ends = [f"({x:.2f}, {y:.2f})".replace("-", "−") for x, y in block.T]
        self.write(["(1, 0)", "(0, 1)"], f"→ {ends[0]}, {ends[1]}")
        for name, start in zip(self.names, np.eye(2), strict=True):
            name.set_position(1.2 * start)

    def describe(self, block, angle, position, pair):
        ends = [f"({', '.join(map(style.number, end))})" for end in block.T]
        return (
            f"Pair {pair} at position {position}, turned by an angle of {style.number(angle)}: "
            f"(1, 0) goes to {ends[0]}, (0, 1) to {ends[1]}."
        )


def arc(start: np.ndarray, turned: float, part: float) -> tuple[np.ndarray, np.ndarray]:
    """Return an arc from a vector on by an angle, less whole turns; part says how far out it lies."""
    angle = np.arctan2(start[1], start[0]) + np.linspace(0, 1, 65) * np.fmod(turned, 2 * np.pi)
    radius = part * np.linalg.norm(start)
    return radius * np.cos(angle), radius * np.sin(angle)
