"""An encoding of one's own is a class of a few lines: whatever view fits it draws it."""

import math

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings import toy_data
from posenc_lib.encodings.base import Bias, Rotary
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.encodings.pairing import PAIRINGS
from posenc_lib.encodings.parameter import CONTENT, SLOW_PAIR, Parameter, base_of, even_of, head_of, seq_len_of
from posenc_lib.views import VIEWS

TRAINED = 64  # positions of the sequences that a model was trained on


class Yarn(Rotary):
    """RoPE for longer sequences: slow pairs turn more slowly by a factor, fast ones as before."""

    name, title, source = "yarn", "YaRN", "Peng et al. 2023, section 3"
    parameters = (
        seq_len_of(64),
        even_of(64, "head_dim"),
        base_of(10_000.0),
        Parameter("pairing", "which dims turn together", "interleaved", options=PAIRINGS),
        CONTENT,
        Parameter("factor", "how many times longer", 1, 1, 32, 1, "power of two", least=1),
    )
    shown = SLOW_PAIR

    @property
    def frequencies(self):
        each = pe.inv_freq(self.head_dim, self.base)
        ramp = np.clip((TRAINED / (2 * np.pi) * each - 1) / (32 - 1), 0, 1)  # 1 for 32 turns and more, 0 below one
        return ramp * each + (1 - ramp) * each / self.factor

    @property
    def attention_factor(self):
        return 0.1 * math.log(self.factor) + 1


class Thirds(Bias):
    """ALiBi with slopes of thirds."""

    name, title, source = "thirds", "ALiBi of thirds", "Press et al. 2022, with other slopes"
    parameters = (seq_len_of(64), head_of(3))

    def biases(self, offsets):
        return np.outer([1 / 3, 1 / 9, 1 / 27, 1 / 81], -np.abs(offsets))


OWN = {Yarn(): {"factor": 8}, Thirds(): {"head": 2}}  # and what to change
FITTING = [(one, name) for one in OWN for name, view in VIEWS.items() if view.fits(one)]


@pytest.mark.parametrize(("one", "view"), FITTING, ids=[f"{one.name}: {view}" for one, view in FITTING])
def test_every_view_that_fits_draws_it_and_follows_its_parameter(one, view, monkeypatch):
    monkeypatch.setitem(ENCODINGS, one.name, one)
    explorer = pe.explore(one.name, views=view)
    explorer.raise_errors = True
    drawn, ((name, value),) = explorer._picture.value, OWN[one].items()
    assert (name in explorer.sliders) == (name in VIEWS[view].relevant(one)) == (view != "permutation")
    if name in explorer.sliders:
        explorer.set(**{name: value})
        assert explorer._picture.value != drawn
    explorer.close()


def test_the_scorecard_measures_it(monkeypatch):
    for one in OWN:
        monkeypatch.setitem(ENCODINGS, one.name, one)
    card = pe.scorecard(["yarn", "thirds"])
    assert [card.verdict(name, "only the offset counts") for name in card.measured] == [True, True]


def test_its_bias_reaches_attention(rng):
    x = rng.normal(size=(6, 64))
    bias = -np.abs(np.subtract.outer(range(6), range(6))) / 27
    expected = pe.attention(*toy_data.queries_keys_values(x), bias=bias)
    for ours, theirs in zip(Thirds(head=2).attend(x, causal=False), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-14)


@pytest.mark.parametrize("pairing", PAIRINGS)
@pytest.mark.parametrize("factor", [1, 4])
def test_a_table_equals_a_plain_loop(pairing, factor):
    table = Yarn(seq_len=100, head_dim=8, base=50.0, pairing=pairing, factor=factor).table
    for t in range(100):
        for i in range(4):
            theta = 50 ** (-i / 4)
            ramp = min(max((64 / (2 * math.pi / theta) - 1) / 31, 0), 1)
            angle = t * ((1 - ramp) * theta / factor + ramp * theta)
            pair = [2 * i, 2 * i + 1] if pairing == "interleaved" else [i, i + 4]
            expected = np.array([math.cos(angle) - math.sin(angle), math.sin(angle) + math.cos(angle)])
            np.testing.assert_allclose(table[t, pair], (0.1 * math.log(factor) + 1) * expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_with_factor_1_it_is_rope(pairing, rng):
    x, positions = rng.normal(size=(9, 8)), rng.normal(size=9) * 1000
    ours = Yarn(head_dim=8, base=500.0, pairing=pairing).rotate(x, positions)
    np.testing.assert_allclose(ours, pe.rope(x, positions, base=500.0, pairing=pairing), rtol=0, atol=1e-12)
