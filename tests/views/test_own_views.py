"""What is not in the catalog under every view that fits it, at both ends of each slider, beside formulas of its own."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings import toy_data
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.pairing import PAIRINGS
from posenc_lib.encodings.parameter import Parameter
from posenc_lib.live.controls import steps
from posenc_lib.live.explorer import Explorer
from posenc_lib.spec import Spec
from posenc_lib.views import VIEWS

from ..encodings.test_own import K, Q, Slower, T, Thirds, waves


def turned(x, positions, theta):
    angle = np.outer(positions, theta)
    out = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angle)
    return np.stack([out.real, out.imag], axis=-1).reshape(len(positions), -1)


def expected(name: str, at: dict) -> tuple:
    """Return the table, or None, and the scores of what is tried, by formulas of their own."""
    n = at.get("seq_len", 64)
    t, d = np.arange(n), at.get("head_dim", 8)
    if name in ("waves", "mine"):
        own = {key: at[key] for key in ("speed", "kind") if key in at}
        table = waves(t, at["d_model"], **own) if name == "waves" else T[:n]
        return table, table @ table.T
    if name == "Thirds":
        return None, -np.abs(np.subtract.outer(t, t)) / 3.0 ** (at["head"] + 1)
    if name == "Paired":
        q, k = (np.tile(x, (n, 1)) for x in toy_data.query_and_key(d, at["content"]))
        q, k = (turned(x, t, pe.inv_freq(d) / at["factor"]) for x in (q, k))
    else:
        q, k = (turned(x[:n], t, pe.inv_freq(8, at["base"])) for x in (Q, K))
    return q, q @ k.T


class Paired(Slower):
    """RoPE of one's own that has a name for how its dims are paired."""

    parameters = (*Slower.parameters, Parameter("pairing", "which dims turn", "interleaved", options=PAIRINGS))


TRIED = {"waves": (waves, {}), "mine": (T, {}), "Paired": (Paired, {}), "Thirds": (Thirds(), {})}
TRIED["my_rope"] = ("rope", {"q": Q, "k": K})
FITTING = {n: [v for v in VIEWS if VIEWS[v].fits(Spec.of(w, **kw).encodings[0])] for n, (w, kw) in TRIED.items()}


@pytest.fixture(autouse=True)
def _raise_errors(monkeypatch):
    monkeypatch.setattr(Explorer, "raise_errors", True)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIED)
def test_views_that_fit_draw_it_at_both_ends_of_each_slider(name):
    what, given = TRIED[name]
    for view in FITTING[name]:
        panel = pe.explore(what, views=view, **given)
        assert panel.spec.names == name
        for slider in panel.sliders.values():
            for value in () if slider.disabled else (steps(slider)[-1], steps(slider)[0]):
                slider.value = value
                draws_what_is_expected(panel, view)
        panel.close()


def draws_what_is_expected(panel, view: str) -> None:
    assert "nan" not in panel.text
    at, drawn = panel.values, panel._canvas.panel
    table, scores = expected(panel.spec.names, at)
    (data,) = drawn._inputs(drawn.encodings, at)
    if "table" in data:
        np.testing.assert_allclose(data["table"], table, atol=1e-12, err_msg=view)
    if view in ("similarity", "score_by_offset"):
        seen = np.where(np.isnan(data["matrix"]), np.nan, scores)
        np.testing.assert_allclose(data["matrix"], seen, atol=1e-9, err_msg=view)
    if view == "dot_product":
        np.testing.assert_allclose(data["scores"], scores[at["query"]], atol=1e-9)


def test_where_the_same_query_does_not_stand_everywhere_views_that_say_so_do_not_fit():
    rope = {view for view in VIEWS if VIEWS[view].fits(ENCODINGS["rope"])}
    one_query = {"vectors", "pair_scores", "shifted", "additive_scores", "kernel_by_base"}
    of_the_catalog = {"trained_models", "scaled_at_test"}  # what was trained
    assert one_query | of_the_catalog <= rope - {*FITTING["my_rope"]}
    with pytest.raises(ValueError, match="views must fit my_rope, which has no 'vectors'"):
        pe.explore("rope", views="vectors", q=Q, k=K)
