"""The clinic: its cases and puzzles, and `diagnose`, which says what's wrong with an encoding."""

from posenc_lib.encodings.catalog import NAMED
from posenc_lib.lessons.clinic.cases import CASES

NAMED.include(CASES)
