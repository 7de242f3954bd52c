"""Floor 1: positions in, arrays out. Pure functions of NumPy."""
