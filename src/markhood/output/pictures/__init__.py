"""Drawings of graphs: `plots` is `markhood.plot`, `layout` computes the coordinates of nodes."""
