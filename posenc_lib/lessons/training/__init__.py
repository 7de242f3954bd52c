"""A tiny transformer, trained here to see whether a model does what its encoding promises."""
