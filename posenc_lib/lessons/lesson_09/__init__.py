"""What lesson 09, RoPE in practice, alone needs: its puzzles, its pictures, and the bugs that they show."""
