"""A tiny transformer that is trained here, to see whether a trained model does what an encoding promises."""
