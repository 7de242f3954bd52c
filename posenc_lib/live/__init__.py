"""Sliders move views: the explorer, its picture and settings, the playground; and the puzzles."""
