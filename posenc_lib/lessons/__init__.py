"""Beside floor 1: the puzzles of the lessons and the scorecard that ties them together."""
