"""Graphs as files."""
