"""What lesson 06, RoPE, alone needs: its puzzles and pictures."""
