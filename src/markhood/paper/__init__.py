"""Repeat the experiments of the paper, and compare with the published numbers.

`experiments` runs one experiment from data to figure. An experiment (`screening`, `cost`,
`comparison`) is a list of cells and a function that measures one data set. Every
replicate is saved to a file; `published_comparison` compares the means with the published ones.
"""
