"""The scorecard looks at a table up to its end, and says why where it can't divide.

What is right is computed here, in plain NumPy.
"""

import sys

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.scorecard import one_thread

scoring = sys.modules["posenc_lib.scorecard"]


def tables():
    """Yield tables that end, some with copies, zeros, or a loud row, anywhere."""
    rng = np.random.default_rng(0)
    for case in range(54):
        n, d = int(rng.integers(260, 700)), int(rng.integers(2, 12))
        table = rng.normal(size=(n, d))
        at = np.sort(rng.choice(n, 2, replace=False))
        if case % 6 == 1:
            table[at[1]] = table[at[0]]
        elif case % 6 == 2:
            table[at[1] :] = 0
        elif case % 6 == 3:
            table[at[1]] *= 100
        elif case % 6 == 4:
            angles = np.outer(np.arange(n), 10.0 ** -rng.uniform(0, 2, size=d))
            table = np.hstack([np.sin(angles), np.cos(angles)])
        elif case % 6 == 5:
            angles = np.outer(np.arange(n), 10.0 ** -rng.uniform(0, 2, size=d))
            table = np.hstack([np.sin(angles), np.cos(angles)])
            table[at[1]] += 0.5
        yield table


def by_hand(table):
    """Return the ratio of the closest pair to a step, the growth, and the spread at an offset."""
    apart = np.linalg.norm(table[:, None] - table, axis=-1)
    np.fill_diagonal(apart, np.inf)
    step = np.median(np.linalg.norm(np.diff(table, axis=0), axis=1))
    scores = table @ table.T
    spread = max(np.ptp(np.diag(scores, k)) for k in range(len(table)))
    growth = np.abs(table).max() / np.abs(table[:64]).max()
    return apart.min() / step if step else np.nan, growth, spread / np.abs(scores).max()


@pytest.mark.slow
def test_a_table_is_measured_up_to_its_end():
    for k, table in enumerate(tables()):
        (row,) = pe.scorecard(table, lesson=5).measured.values()
        cells = [row[one] for one in ("unique", "bounded", "offset only")]
        unique, growth, spread = by_hand(table)
        values = [cell.value for cell in cells]
        np.testing.assert_allclose(values, [unique, growth, spread], atol=1e-9, err_msg=f"{k}")
        answers = [cell.verdict for cell in cells]
        assert answers == [unique >= 0.1, growth <= 3, spread <= 1e-9], k


@pytest.mark.slow
def test_a_copy_in_a_table_of_8192_rows_is_found():
    table = np.random.default_rng(0).normal(size=(8192, 16))
    assert pe.scorecard(table, lesson=2).verdict("mine", "unique") is True
    table[8000] = table[33]
    assert pe.scorecard(table, lesson=2).verdict("mine", "unique") is False
    assert pe.closest_pair(table) == (33, 8000, 0.0)


def test_far_rows_that_are_all_alike_are_not_near_each_other():
    table = np.cumsum(np.ones((500, 3)), axis=0)
    assert pe.scorecard(table).verdict("mine", "nearby is similar") is True
    table[400:] = 1.0
    assert pe.scorecard(table).verdict("mine", "nearby is similar") is False


class StandsStill(pe.Rotary):
    """A rotation by nothing."""

    frequencies = property(lambda self: np.zeros(self.head_dim // 2))


class AllKeysAlike(pe.Bias):
    """A bias that is the same for all keys."""

    def biases(self, offsets):
        return np.full((2, len(offsets)), self.level)

    level = 0.0


class AllKeysLoud(AllKeysAlike):
    """The same, but not 0."""

    level = 3.0


class OfWords(pe.Relative):
    """Scores of words alone."""

    def scores(self, q, k):
        return q @ k.T


def zeros(positions, d_model):
    return np.zeros((len(positions), d_model))


def ones(positions, d_model):
    return np.ones((len(positions), d_model))


STILL = ["no_position", zeros, ones, StandsStill, AllKeysAlike, AllKeysLoud, OfWords]
ASKED = ["unique", "nearby is similar"]  # what it lacks that tells no two positions apart


@pytest.mark.slow
@pytest.mark.parametrize("what", [*STILL, np.ones((300, 4)), np.zeros((40, 4))])
def test_where_nothing_moves_each_cell_has_a_reason_and_no_number(what):
    (row,) = pe.scorecard(what).measured.values()
    for one, cell in row.items():
        if one in ASKED and not cell.reason:
            assert cell.verdict is False
            assert np.isnan(cell.value)
            assert cell.number in ("its steps are 0", "all equally far")
        elif one == "no length limit" and not cell.reason:
            assert cell.number == "ends"
        else:
            assert cell.reason, (one, cell)


def one_hot(positions, d_model):
    return (positions[:, None] == np.arange(d_model)).astype(float)


def late(positions, d_model):
    return np.maximum(positions - 64.0, 0)[:, None] * np.arange(1, d_model + 1)


def clipped(positions, d_model):
    return np.minimum(positions, 100.0)[:, None] * np.ones(d_model)


REASONS = [
    (np.eye(256), "nearby is similar", "all equally far"),
    (np.repeat(np.eye(3), 100, axis=0), "unique", "its steps are 0"),
    (late, "bounded", "it starts with 0"),
    (late, "offset only", "all scores are 0"),
    (clipped, "continuous", "some steps are 0"),
    ("binary", "continuous", "no position 1.5"),
    (1e-13 * np.arange(1, 400.0)[:, None], "nearby is similar", "1"),
]


@pytest.mark.parametrize(("what", "one", "told"), REASONS)
def test_what_cannot_be_divided_is_said(what, one, told):
    (row,) = pe.scorecard(what).measured.values()
    assert row[one].number == told


def test_numpy_computes_in_one_thread_while_it_measures(monkeypatch):
    threadpoolctl, seen = pytest.importorskip("threadpoolctl"), []

    def watched(table):
        seen.extend(pool["num_threads"] for pool in threadpoolctl.threadpool_info())
        return pe.closest_pair(table)

    monkeypatch.setattr(scoring, "closest_pair", watched)
    pe.scorecard("sine", lesson=2)
    assert set(seen) == {1}


def test_without_threadpoolctl_it_measures_as_well(monkeypatch):
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with one_thread():
        assert pe.scorecard("sine", lesson=2).verdict("sine", "unique") is True
