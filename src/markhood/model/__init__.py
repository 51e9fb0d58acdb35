"""The distribution on a graph - couplings and fields, likelihood, exact marginals, sampling."""
