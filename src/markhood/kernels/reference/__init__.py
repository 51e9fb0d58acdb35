"""NumPy implementation of every kernel: the definition against which other backends are tested."""
