"""How a model is sampled, whatever its variables are."""
