"""What only lessons need: puzzles, the clinic, a tiny transformer, and the box for a model's config."""
