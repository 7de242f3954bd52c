"""What lesson 11, Reading config.json, alone needs: its puzzles and pictures, and the box that explains a config."""
