"""What lesson 14, Relatives and the frontier, alone needs: its puzzles and pictures, and Self-Extend."""
