"""Check whether a pairwise network fits the data.

`third_order` tests for interactions of three variables, `implied` compares moments and sum scores
with those of samples of a model, and `check` combines the two.
"""
