"""Criteria: from a contingency table to a number, higher is better."""
