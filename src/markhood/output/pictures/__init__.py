"""Drawings of graphs: `plots` is `markhood.plot`; `layout` computes coordinates for plots and report."""
