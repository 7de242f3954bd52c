"""What only lesson 16 needs: a real model, its heads, its panel, puzzles, and pictures."""

from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.lessons.lesson_16.heads import REAL_HEADS

KNOWN.include(REAL_HEADS)
