"""Writes files: the figures, the site, the notebooks, the saved runs. No page imports it."""
