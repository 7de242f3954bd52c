"""What lesson 16, A real model, alone needs: the model, its heads and panel, puzzles, pictures."""

from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.lessons.lesson_16.heads import REAL_HEADS

KNOWN.include(REAL_HEADS)
