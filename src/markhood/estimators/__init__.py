"""The scikit-learn doors, thin wrappers of the layer that learn() and the command line use."""
