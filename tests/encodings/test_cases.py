"""The cases of the clinic: wrong just as they are told, by another formula, and right once fixed.

What `diagnose` says of 1, 6 and 8 names their formulas: test_diagnose.
"""

from functools import partial

import numpy as np
import pytest

import posenc_lib as pe
from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.lessons.clinic.cases import CASES

ALL = np.arange(32)


def kernel(m, n=None, theta=None):
    """Return the score of ones at places m and n, by cosines alone."""
    theta = pe.inv_freq(64) if theta is None else theta
    return 2 * np.cos(np.subtract.outer(m, m if n is None else n)[..., None] * theta).sum(axis=-1)


def bfloat16(t):
    """Return whole numbers rounded to 8 binary digits, ties to even."""
    step = 2.0 ** np.maximum(np.floor(np.log2(np.maximum(t, 1))) - 7, 0)
    return np.round(t / step) * step


def two_tables(start):
    """Return the scores of tokens that each turn by their time's table; keys stay as they were."""
    at = start + ALL
    angles = np.where(at[:, None] < 4096, at[:, None] * OLD, at[:, None] * NEW)
    return 2 * np.cos(angles[:, None] - angles).sum(axis=-1)


OLD, NEW = pe.inv_freq(128), pe.inv_freq(128, 10_000 * 8 ** (128 / 126))
WRONG = [  # a case, its values, and its scores by another formula
    ("case_2", {"head": 3}, np.full((32, 32), 64.0)),  # all tokens of a head turn alike
    # later queries stand at 0
    ("case_3", {"seq_len": 32, "prompt": 24}, kernel(np.where(ALL < 24, ALL, 0), ALL)),
    *(("case_4", {"start_pos": start}, kernel(bfloat16(start + ALL))) for start in (0, 250, 1000)),
    ("case_4", {"start_pos": 1000, "dtype": "float32"}, kernel(ALL)),
    *(("case_5", {"start_pos": start}, two_tables(start)) for start in (4000, 4080)),
    ("case_5", {"start_pos": 4080, "fixed": True}, kernel(ALL, theta=NEW)),
]


@pytest.mark.parametrize(("name", "values", "wanted"), WRONG)
def test_a_case_is_wrong_as_it_is_told_and_right_once_it_is_fixed(name, values, wanted):
    np.testing.assert_allclose(CASES[name].at(**values).similarity, wanted, atol=1e-6)


def test_5_read_at_once_has_one_table():
    q, k = CASES["case_5"].at(start_pos=4080).queries_and_keys(ALL)
    np.testing.assert_allclose(q @ k.T, kernel(ALL, theta=NEW), atol=1e-6)


def test_7_columns_are_counted_along_the_height_and_a_square_does_not_tell():
    near = partial(np.testing.assert_allclose, atol=1e-12)
    # numbered as if the picture were 4 high and 3 wide, and swapped
    x, y = np.indices((4, 3)).reshape(2, -1)
    wrong, square = (CASES["case_7"].at(seq_len=n, columns=4) for n in (12, 16))
    near(wrong.table, pe.sinusoidal_2d(5, 5, 64, base=10)[y * 5 + x])
    near(wrong.at(fixed=True).table, pe.sinusoidal_2d(3, 4, 64, base=10))
    near(square.similarity, square.at(fixed=True).similarity)


def test_fixed_a_case_passes_every_test_and_is_the_librarys():
    for name, case in CASES.items():
        assert pe.diagnose(case.at(fixed=True)).first is None, name
    first = CASES["case_1"].at(fixed=True, content="random")
    turned = pe.rope(first.tiled_qk()[0], pairing="half")
    np.testing.assert_allclose(first.table, turned, atol=1e-12)
    right = CASES["case_6"].at(fixed=True).similarity[15]
    np.testing.assert_allclose(pe.softmax(right), pe.softmax(pe.alibi(8, 16)[0, 15]), atol=1e-12)
    np.testing.assert_array_equal(CASES["case_8"].at(fixed=True).table, pe.sinusoidal(64, 64))


def test_9_is_alibi_as_it_should_be_beside_weights_that_want_it_eight_times_gentler():
    port, model = CASES["case_9"], CASES["case_9"].at(fixed=True)
    np.testing.assert_array_equal(port.similarity, pe.alibi(8, 64)[0])
    np.testing.assert_allclose(model.similarity, port.at(head=3).similarity, atol=1e-12)
    assert pe.diagnose("case_9").first is None
    assert "√64" in pe.diagnose(lambda q_len, k_len: pe.alibi(8, q_len, k_len) / 8).measured


def test_wrong_and_right_have_one_color_scale_and_so_have_all_heads():
    for name, case in CASES.items():
        if "similarity" not in case.views:
            continue
        panel = pe.explore(name, views="similarity", fixed=[False, True])
        (pen,), seen = panel.sheet.pens, []
        for fixed in (False, True):
            panel.set(fixed=fixed)
            seen.append(pen.limits["clim"])
        if "head" in panel.sliders:
            panel.set(head=7)
            seen.append(pen.limits["clim"])
        assert seen.count(seen[0]) == len(seen), name
        panel.close()


def test_a_case_tells_nothing_of_what_is_wrong_with_it():
    """Neither its name, nor its line, nor its words, nor its parameters; and no list has it."""
    assert list(CASES) == [f"case_{k}" for k in range(1, 10)]
    assert not set(CASES) & set(KNOWN)
    wrong = "pairing|mixed|axis|cache|two tables|narrow|wrong|bug|transpos|twice|double|fault|round"
    for k, (name, case) in enumerate(CASES.items(), start=1):
        assert repr(case).startswith(f"<Case {k}:")
        panel = pe.explore(name, fixed=[False, True])
        helps = [parameter.help for parameter in case.parameters]
        told = " ".join([str(panel.spec), panel.text, *helps, *panel.sliders])
        panel.close()
        told = told.lower().replace("whether the bug is fixed", "")
        assert [word for word in wrong.split("|") if word in told] == [], name
