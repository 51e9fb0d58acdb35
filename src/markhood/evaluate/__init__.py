"""Learned graphs against the true one - false edges, missed edges, inclusion by distance."""
