"""What lesson 03, Binary, alone needs: its puzzles and pictures."""
