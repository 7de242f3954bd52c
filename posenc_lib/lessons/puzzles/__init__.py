"""Puzzles that check themselves: the engine, and a file for each lesson."""
