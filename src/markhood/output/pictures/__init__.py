"""Graphs as pictures: `plots` is `markhood.plot`, `layout` says where nodes stand, there and in the report."""
