"""A package for each page, with what that page alone needs; three pages share `training`."""
