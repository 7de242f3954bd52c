"""The clinic: its cases and their puzzles, and `diagnose`, which says what is wrong with an encoding."""

from posenc_lib.encodings.catalog import NAMED
from posenc_lib.lessons.clinic.cases import CASES

NAMED.include(CASES)
