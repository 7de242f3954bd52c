"""What lesson 09, RoPE in practice, alone needs: its puzzles and pictures, and bugs they show."""
