"""Check whether a pairwise network fits the data.

`third_order` tests for interactions of three variables; `check` compares moments and sum scores
with those of samples of a model, and combines the two.
"""
