"""The answer - named nodes, and edges with their evidence and couplings."""
