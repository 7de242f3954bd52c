"""The clinic: its cases and puzzles, and `diagnose`, which finds the bug in an encoding."""

from posenc_lib.encodings.catalog import NAMED
from posenc_lib.lessons.clinic.cases import CASES

NAMED.include(CASES)
