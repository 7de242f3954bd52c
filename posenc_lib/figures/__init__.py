"""The figures of the series, for a blog or a slide; `python -m posenc_lib figures` writes them."""
