"""The lessons in the browser, with Python inside the page: python -m posenc_lib lite OUT."""
