"""A package for each page, with what that page alone needs; `training` is shared by three of them."""
