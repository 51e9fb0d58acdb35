"""The NumPy twin of every kernel: the definition that the other backends are tested against."""
