"""A table that training made: the rows of one of lesson 13's models."""

from posenc_lib.encodings.own import opened
from posenc_lib.lessons.training.trained_table import kept_numbers

ROWS = kept_numbers("learned_small", "flip_flop", 0)["rows"][-1]
TRAINED = opened([ROWS])[0].named("trained_rows", "A trained table", lesson=14.0)
