"""Inputs and results of searches: `Job`, `Constraints`, `SearchResult`, `EdgeProbabilities`."""
