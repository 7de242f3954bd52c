"""Where one word looks, with an encoding and without: the same made-up words for every encoding."""

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from posenc_lib.encodings import toy_data
from posenc_lib.encodings.attention import attention
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.views import style
from posenc_lib.views.view import CAUSAL, QUERY, View


class Attended(View):
    """Draw attention's weights from one position.

    Data: weights and plain (without the encoding), each (seq_len,), NaN where the encoding knows no position or the key
    is masked; query; known (how many positions it knows).
    """

    name = "attention_row"
    needs = ("attend",)
    ignores = frozenset({"content"})
    weight = 1.2
    most_positions = 512
    shows_end = True
    parameters = (
        QUERY,
        CAUSAL,
        Parameter("words", "what stands at the positions", "alike", options=("alike", "different")),
    )

    @staticmethod
    def inputs(encoding, values):
        query, causal, seq_len = values["query"], values["causal"], encoding.seq_len
        x = toy_data.tokens(seq_len if values["words"] == "different" else 1, encoding.num_dims)
        x = np.broadcast_to(x, (seq_len, encoding.num_dims))[: encoding.max_positions]
        weights, plain = np.full((2, seq_len), np.nan)
        if query < encoding.max_positions:
            weights[: encoding.max_positions] = encoding.attend(x, causal=causal)[1][query]
            plain[: encoding.max_positions] = attention(*toy_data.queries_keys_values(x), causal=causal)[1][query]
        if causal:
            weights[query + 1 :] = plain[query + 1 :] = np.nan  # what is masked is no small number but no number
        return {"weights": weights, "plain": plain, "query": query, "known": encoding.max_positions}

    def build(self, ax):
        ax.set_title("Where the query looks")
        ax.set_xlabel("position of the key")
        ax.set_ylabel("% (grey: no positions)")
        ax.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(4))
        by_key = ax.get_xaxis_transform()  # keys across, the whole height
        self.unknown = ax.add_patch(Rectangle((0, 0), 0, 1, transform=by_key, fc=style.TINT, ec=style.LINE, hatch="//"))
        self.asked = ax.axvline(0, color=style.QUERY, lw=1.6)
        (self.plain,) = ax.plot([], [], color=style.GHOST, lw=1.6)
        (self.curve,) = ax.plot([], [], color=style.CURVE)
        self.no_row = ax.text(0, 0.5, "no row", transform=by_key, **style.name(ha="center"))
        return [self.unknown, self.asked, self.plain, self.curve, self.no_row]

    def axes_state(self, weights, plain, query, known):
        return len(plain), style.nice_bound(100 * np.nan_to_num([*weights, *plain]).max())

    def set_axes(self, seq_len, high):
        self.ax.set_xlim(-0.5, max(seq_len - 0.5, 0.5))
        self.ax.set_ylim(0, 1.05 * high)

    def set_data(self, weights, plain, query, known):
        keys, missing = np.arange(len(plain)), len(plain) - known
        self.plain.set_data(keys, 100 * plain)
        self.curve.set_data(keys, 100 * weights)
        self.asked.set_xdata([query, query])
        self.unknown.set_bounds(known - 0.5, 0, missing, 1)
        self.unknown.set_visible(missing > 0)
        self.no_row.set_visible(missing > 0)
        self.no_row.set_x(known + (missing - 1) / 2)

    def describe(self, weights, plain, query, known):
        if query >= known:
            return f"Position {query} has no row: the table ends at {known - 1}, and asking for more is an error."
        end = f"; no row from {known} on." if known < len(plain) else "."
        return (
            f"Position {query} gives {_percent(weights[query])} of its attention to itself, "
            f"{_most(weights)}; without positions {_most(plain)}{end}"
        )


def _most(weights: np.ndarray) -> str:
    top = int(np.nanargmax(weights))
    if np.isfinite(weights).sum() > 1 and np.nanmin(weights) > (1 - 1e-9) * weights[top]:
        return f"to all alike ({_percent(weights[top])})"
    return f"most to {top} ({_percent(weights[top])})"


def _percent(share: float) -> str:
    return f"{style.number(100 * share)} %"
