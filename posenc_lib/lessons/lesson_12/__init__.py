"""What lesson 12, The plane, alone needs: its puzzles."""
