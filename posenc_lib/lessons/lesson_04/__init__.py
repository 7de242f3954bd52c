"""What lesson 04, Sine, alone needs: its puzzles and pictures."""
