"""Graph files: one module per format, and `files`, which chooses the format by the suffix."""
