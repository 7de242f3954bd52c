"""What lesson 13, Which one, alone needs: its puzzles and pictures."""
