"""Values to codes to bits: arrays and data frames become packed samples, in one pass."""
