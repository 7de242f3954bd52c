"""What lesson 02, Integers, alone needs: its puzzles and pictures."""
