"""Networks with known truth - graphs that people test with, and random potentials on them."""
