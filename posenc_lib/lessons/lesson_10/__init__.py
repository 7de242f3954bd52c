"""What lesson 10, Beyond the training length, alone needs: its puzzles and pictures."""
