"""What lesson 00, Start here, alone needs: its puzzles."""
