"""What searches take and return: `Job`, `Knowledge`, `Found` and `EdgeProbabilities`. No algorithms."""
