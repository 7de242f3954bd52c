"""What lesson 07, Relative position, alone needs: its puzzles and pictures."""
