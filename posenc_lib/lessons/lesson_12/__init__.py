"""What lesson 12, The plane, alone needs: its puzzles and pictures, and the best head in a plane."""
