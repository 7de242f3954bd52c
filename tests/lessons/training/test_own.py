"""Your own encoding is trained through its own methods, like the table's."""

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import ENCODINGS
from posenc_lib.lessons.training.models import MODELS, PRope
from posenc_lib.lessons.training.positions import USUAL, Fixed
from posenc_lib.lessons.training.run import finished, trainable
from posenc_lib.lessons.training.trained_table import LENGTHS, Plan


class Hands(pe.Rotary):
    """Four fast pairs, and four that don't rotate."""

    frequencies = property(lambda self: np.array([1, 0.7, 0.5, 0.3, 0, 0, 0, 0]))


class Wide(pe.Rotary):
    """Pairs for heads of 64 dims."""

    frequencies = property(lambda self: np.ones(32))


class Stretch(Hands):
    """Something that isn't a rotation of pairs."""

    def rotate(self, x, positions):
        return x * (1 + positions[:, None] * (np.arange(x.shape[1]) % 2))


class Line(pe.Bias):
    """ALiBi, written again."""

    def biases(self, offsets):
        return np.outer([1 / 16, 1 / 256], -np.abs(offsets))


class Three(pe.Bias):
    """Three heads."""

    def biases(self, offsets):
        return np.outer([1, 2, 3], offsets)


class Near(pe.Bias):
    """A hard window."""

    def biases(self, offsets):
        return np.where(np.abs(offsets) < 8, 0.0, -np.inf)[None]


class Listed(pe.Rotary):
    """Frequencies in a list."""

    frequencies = [1, 0.7, 0.5, 0.3, 0, 0, 0, 0]  # noqa: RUF012  (as a reader writes it)


class Looks(pe.Relative):
    """Scores that aren't fixed numbers."""

    def scores(self, q, k):
        return q @ k.T


def sines(positions, d_model):
    return pe.sinusoidal(positions, d_model)


SAME = [
    (ENCODINGS["rope"].at(base=10.0, pairing="half"), "rope_10"),
    (sines, "sinusoidal"),
    (Line, "alibi"),
    (Line(), "alibi"),
    (PRope, "p_rope"),
]


@pytest.mark.parametrize(("mine", "name"), SAME, ids=[name for _, name in SAME])
def test_the_same_numbers_give_the_same_run(mine, name):
    ours, theirs = (finished(Plan(one, "look_back", steps=2)).accuracy[""] for one in (mine, name))
    assert ours == theirs


def test_rows_with_fixed_numbers_have_no_code_of_their_own():
    fixed = {n for n, m in MODELS.items() if all(type(p) is Fixed for p in m.layers)}
    usual = "sinusoidal rope rope_100 rope_10 p_rope alibi alibi_steep alibi_mixed kerple_fixed"
    assert fixed >= set(usual.split())


def test_a_row_appears_beside_the_kept_rows_of_its_kind_and_a_table_ends(capsys):
    for mine, kept in ((Hands, "rope"), (Line, "alibi"), (np.eye(64, 32), "sinusoidal")):
        panel = pe.train(mine, "recall", steps=2)
        title, *told = capsys.readouterr().out.splitlines()
        assert title == f"{panel.title}."
        rows = [line.split() for line in told if ", here" in line]
        assert [row[2] for row in rows] == [f"{panel.run.accuracy[''][32]:.2f}"]
        assert (told[-1].count("no row") == 2) == (kept == "sinusoidal")
        panel.close()
        # with the usual steps the table's rows are there, too
        panel = pe.lessons.training.live.Training(Plan(mine, "recall"))
        names = [line.partition(",")[0] for line in panel.text.splitlines() if "seeds" in line]
        assert {kept, "no_position"} <= set(names)
        assert not {"rope", "alibi", "sinusoidal"} & set(names) - {kept}
        panel.close()


def test_a_forecast_is_the_exact_heads(capsys):
    head = pe.exact_head(Hands(head_dim=16), look_back=5, seq_len=32)
    pe.train(Hands, "look_back", look_back=5, steps=1).close()
    shares = ", ".join(f"{head.mass(n):.2f} at {n}" for n in LENGTHS)
    assert f"best single head gives the token 5 back {shares}." in capsys.readouterr().out
    pe.train("rope", "recall", steps=1).close()
    far = pe.exact_head("rope", look_back="anywhere", seq_len=32, head_dim=16).score(256).min()
    assert f"scores {far:.2f} or more within 256 tokens." in capsys.readouterr().out
    for without in ("kerple", "rope_10_then_none", ENCODINGS["alibi"]):
        pe.train(without, "recall", steps=1).close()
        assert "Forecast" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Wide, "frequencies must have at most 8 entries, one for each pair, got 32"),
        (Stretch, "encoding must multiply each pair of q and k by the same complex number"),
        (Three, "biases must have 1 or 2 heads, like the model, got 3"),
        ("fire", "encoding must have fixed numbers to be trained, got FIRE"),
        ("xpos", "encoding must be an Additive, a Rotary, or a Bias to be trained, got xPos"),
        (Looks, "encoding must be an Additive, a Rotary, or a Bias to be trained, got Looks"),
        ("cope", "encoding must be an Additive, a Rotary, or a Bias to be trained, got CoPE"),
        ("rope_2d", "encoding must be one of tokens to be trained"),
        (np.eye(20), "encoding must have at least 32 rows, got 20"),
        (np.eye(64), "encoding must have 32 dims, like the model's tokens, got 64"),
        (3, "encoding must be an encoding's name, a function"),
    ],
)
def test_what_cant_be_trained_is_refused_in_a_sentence(wrong, words):
    with pytest.raises((TypeError, ValueError)) as told:
        pe.train(wrong)
    assert words in str(told.value)


def test_pairs_without_a_frequency_do_not_rotate_in_the_forecast_either(capsys):
    class Few(pe.Rotary):
        frequencies = property(lambda self: np.array([1, 0.7, 0.5, 0.3]))

    lines = []
    for mine in (Few, Hands):
        pe.train(mine, "recall", steps=2).close()
        lines.append(capsys.readouterr().out.replace("Few", "Hands").split())
    assert lines[0] == lines[1]


def test_a_hard_window_and_a_list_of_frequencies_are_trained(capsys):
    pe.train(Near, "look_back", steps=2).close()
    window = capsys.readouterr().out
    assert "Forecast" not in window
    assert "nan" not in window
    pe.train(Listed, "look_back", steps=2).close()
    lines = [line.replace("Listed", "Hands") for line in capsys.readouterr().out.splitlines()]
    pe.train(Hands, "look_back", steps=2).close()
    assert capsys.readouterr().out.split() == " ".join(lines).split()


def test_names_of_the_table_and_of_the_catalog_can_be_trained():
    assert trainable("rope_64") == "rope_64"
    assert trainable("sandwich").name == "sandwich"


def test_heads_and_widths_are_the_models():
    bias = Fixed(ENCODINGS["alibi"].at(num_heads=8), heads=(0, 7)).enter({}, 4, USUAL).bias
    np.testing.assert_array_equal(bias[:, -1, 0], [-1.5, -3 / 256])
    rows = Fixed(ENCODINGS["sinusoidal"]).enter({}, 5, USUAL).rows
    np.testing.assert_array_equal(rows, pe.sinusoidal(5, 32))
    turn = Fixed(ENCODINGS["rope"]).enter({}, 5, USUAL._replace(head_dim=64)).turn
    np.testing.assert_allclose(np.angle(turn[1]), pe.inv_freq(64))
