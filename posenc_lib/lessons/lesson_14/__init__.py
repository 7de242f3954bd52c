"""What only lesson 14, Make your own, needs: puzzles, pictures, and a trained table."""

from posenc_lib.encodings.catalog import KNOWN
from posenc_lib.lessons.lesson_14.trained import TRAINED

KNOWN.include(TRAINED)
