"""Structure learning of pairwise Markov networks."""
