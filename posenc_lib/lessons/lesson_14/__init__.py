"""What lesson 14, Relatives and the frontier, alone needs: puzzles, pictures, and Self-Extend."""
