"""The lessons in the browser, with a Python of the page's own: python -m posenc_lib lite OUT."""
