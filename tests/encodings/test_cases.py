"""The cases of the clinic: wrong just as they are told, by another formula, and right once they are mended.

What `diagnose` says of 1, 6 and 8 names their formulas: test_diagnose.
"""

import numpy as np

import posenc_lib as pe
from posenc_lib.encodings.cases import CASES
from posenc_lib.encodings.catalog import KNOWN

Q = np.ones(64)


def scores(name, **values):
    return CASES[name].at(**values).similarity


def kernel(m, n, theta=None):
    """Return the score of ones at places m and n, by cosines alone."""
    theta = pe.inv_freq(64) if theta is None else theta
    return 2 * np.cos(np.subtract.outer(m, n)[..., None] * theta).sum(axis=-1)


def test_the_cases_have_neutral_names_and_stand_in_no_list():
    assert list(CASES) == [f"case_{k}" for k in range(1, 9)]
    assert not set(CASES) & set(KNOWN)
    assert [repr(one).partition(":")[0] for one in CASES.values()] == [f"<Case {k}" for k in range(1, 9)]


def test_a_case_tells_nothing_of_what_is_wrong_with_it():
    """Neither its line, nor its words, nor its parameters."""
    wrong = "pairing|mixed|axis|cache|two tables|narrow|wrong|bug|transpos|twice|double|fault|round"
    for name, case in CASES.items():
        panel = pe.explore(name, mended=[False, True])
        told = f"{panel.spec} {panel.text} {' '.join(p.help for p in case.parameters)} {' '.join(panel.sliders)}"
        panel.close()
        told = told.lower().replace("wrong line has been put right", "")
        assert [word for word in wrong.split("|") if word in told] == [], name


def test_2_a_head_turns_all_of_its_tokens_alike():
    for head in (0, 3, 7):
        one = CASES["case_2"].at(head=head)
        np.testing.assert_allclose(one.table, np.tile(pe.rope(Q[None], [head]), (32, 1)), atol=1e-12)
        np.testing.assert_allclose(one.similarity, 64, atol=1e-9)
    np.testing.assert_allclose(scores("case_2", mended=True), kernel(np.arange(32), np.arange(32)), atol=1e-9)


def test_3_the_last_rows_are_those_of_position_0():
    wrong, right = (scores("case_3", seq_len=32, prompt=24, mended=mended) for mended in (False, True))
    np.testing.assert_allclose(right, kernel(np.arange(32), np.arange(32)), atol=1e-9)
    np.testing.assert_array_equal(wrong[:24], right[:24])
    np.testing.assert_allclose(wrong[24:], np.tile(right[0], (8, 1)), atol=1e-9)
    np.testing.assert_allclose(wrong[31], right[31][::-1], atol=1e-9)  # the mirror image


def test_4_neighbours_share_a_position_from_256_on():
    def rounded(t):  # to 8 binary digits, ties to even
        step = 2.0 ** np.maximum(np.floor(np.log2(np.maximum(t, 1))) - 7, 0)
        return np.round(np.asarray(t) / step) * step

    for start in (0, 250, 1000):
        at = start + np.arange(32)
        np.testing.assert_allclose(scores("case_4", start_pos=start), kernel(rounded(at), rounded(at)), atol=1e-9)
        for how in ({"dtype": "float32"}, {"mended": True}):
            np.testing.assert_allclose(scores("case_4", start_pos=start, **how), kernel(at, at), atol=1e-9)
    assert rounded(257) == 256


def test_5_beyond_the_training_length_old_keys_meet_new_queries():
    old, new = pe.inv_freq(128), pe.inv_freq(128, 10_000 * 8 ** (128 / 126))
    at = 4080 + np.arange(32)
    wrong, right = (scores("case_5", start_pos=4080, mended=mended) for mended in (False, True))
    theta = [old if t < 4096 else new for t in at]  # each token's own, when it came; its key stays so
    angles = [t * one for t, one in zip(at, theta, strict=True)]
    expected = [[2 * np.cos(query - key).sum() for key in angles] for query in angles]
    np.testing.assert_allclose(wrong, expected, atol=1e-6)
    np.testing.assert_allclose(right, kernel(at, at, new), atol=1e-6)
    np.testing.assert_allclose(scores("case_5", start_pos=4000), kernel(at, at, old), atol=1e-6)
    once = CASES["case_5"].at(start_pos=4080).queries_and_keys(np.arange(32))  # read at once: one table
    np.testing.assert_allclose(once[0] @ once[1].T, right, atol=1e-6)


def test_7_columns_are_counted_along_the_height_and_a_square_does_not_tell():
    y, x = np.indices((4, 3)).reshape(2, -1)[::-1]  # numbered as if the picture were 4 high and 3 wide, and swapped
    code = pe.sinusoidal_2d(5, 5, 64, base=10)
    wrong = CASES["case_7"].at(seq_len=12, columns=4)
    np.testing.assert_allclose(wrong.table, code[y * 5 + x], atol=1e-12)
    right = wrong.at(mended=True)
    np.testing.assert_allclose(right.table, pe.sinusoidal_2d(3, 4, 64, base=10), atol=1e-12)
    square = CASES["case_7"].at(seq_len=16, columns=4)
    np.testing.assert_allclose(square.similarity, square.at(mended=True).similarity, atol=1e-12)


def test_mended_a_case_passes_every_test_and_is_the_librarys():
    assert [name for name, case in CASES.items() if pe.diagnose(case.at(mended=True)).first is not None] == []
    first = CASES["case_1"].at(mended=True, content="random")
    np.testing.assert_allclose(first.table, pe.rope(first.tiled_qk()[0], pairing="half"), atol=1e-12)
    right = CASES["case_6"].at(mended=True).similarity[15]
    np.testing.assert_allclose(pe.softmax(right), pe.softmax(pe.alibi(8, 16)[0, 15]), atol=1e-12)
    np.testing.assert_array_equal(CASES["case_8"].at(mended=True).table, pe.sinusoidal(64, 64))
