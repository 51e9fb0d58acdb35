"""Graphs as files: a module a format, and `files`, which chooses by the ending of the name."""
