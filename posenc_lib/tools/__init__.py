"""What writes files: the figures, the site, the notebooks, the kept runs. No page imports it."""
