"""What lesson 15, Positions that aren't words, alone needs: its puzzles and pictures."""
