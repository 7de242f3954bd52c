"""What lesson 08, ALiBi, alone needs: its puzzles and pictures."""
