"""Commands that are more than a few lines: one module each, put together in `cli`."""
