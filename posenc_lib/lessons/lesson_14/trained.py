"""A table that training made: the rows of one of lesson 13's models."""

from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.made import Made
from posenc_lib.encodings.own import opened
from posenc_lib.lessons.training.trained_table import kept_numbers


def _table(name: str) -> Encoding:
    rows = kept_numbers("learned_small", "flip_flop", 0)["rows"][-1]
    return opened([rows])[0].named(name, "A trained table", lesson=14.0)


TRAINED = Made(lambda: ("trained_rows",), _table)
