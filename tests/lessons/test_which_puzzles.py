"""The puzzles of lesson 13: luck at one length does not pass, and what is wrong is said with its numbers."""

import pytest

from posenc_lib import check
from posenc_lib.encodings.exact_head import exact_head
from posenc_lib.puzzles import lesson_13
from posenc_lib.training.table import spread


@pytest.mark.parametrize(
    ("puzzle", "answer", "told"),
    [
        ("lasting_head", ("rope", 52), "right"),
        ("lasting_head", ("rope", 28), "0.961 at 64, 0.938 at 128, 0.803 at 256"),
        ("lasting_head", ("learned", None), "learned has no row beyond the length of the fit."),
        ("lasting_head", ("rope", 7), "head_dim must be even, got 7"),
        ("lasting_head", "rope", "give check a pair"),
        ("both_wrong", [("induction", 256), ("look_back", 64)], "right"),
        ("both_wrong", [("look_back", 64), ("induction", 128)], "in the first the ten models have 0.65 to 0.99"),
        ("both_wrong", "neither", "give check two pairs"),
    ],
)
def test_an_answer_is_told_what_it_leads_to(puzzle, answer, told, capsys):
    check(puzzle, answer)
    assert told in capsys.readouterr().out


def test_what_is_told_is_the_librarys_and_the_tables():
    head = exact_head("rope", look_back=5, seq_len=32, head_dim=16)
    told = lesson_13.LASTING_HEAD.comment(("rope", 16))
    assert all(f"{head.mass(length):.3f} at {length}" in told for length in (64, 128, 256))
    (task, length), (other, longer) = lesson_13.BOTH_WRONG.answer
    assert spread("rope", task)[length].most < lesson_13.FEW
    assert spread("rope", other)[longer].least > lesson_13.MANY
