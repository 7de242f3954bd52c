"""What lesson 05, Sinusoidal, alone needs: its puzzles and pictures."""
