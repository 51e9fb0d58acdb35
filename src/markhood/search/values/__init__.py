"""What searches take and return: `Job`, `Constraints`, `SearchResult` and `EdgeProbabilities`. No algorithms."""
