"""What lesson 01, Why position, alone needs: its puzzles and pictures."""
