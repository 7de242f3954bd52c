"""What lesson 12, The plane, alone needs: puzzles, pictures, and the best head in a plane."""
