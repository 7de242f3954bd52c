"""What lesson 15, Positions that are not words, alone needs: its puzzles and pictures."""
