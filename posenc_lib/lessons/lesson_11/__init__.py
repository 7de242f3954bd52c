"""What lesson 11, Reading config.json, alone needs: puzzles, pictures, a box that explains one."""
