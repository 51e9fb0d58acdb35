"""The paper's tables and figures, run again beside the published numbers.

`experiments` has one experiment from start to picture; an experiment (`screening`, `cost`, `comparison`)
is a list of cells and a function that measures one data set. `results` keeps every replicate in a
file that survives a kill, `tables` sets our means beside the published ones.
"""
