"""Scores of blankets, pairs and regressions.

A `criterion` scores a contingency table: `bic`, `mpl`, or a user-defined object. A
`scorer` is all that a search sees: it computes scores for tiles of variables and pairs, and hides
how they are counted. `discrete` is the scorer for discrete variables. `independence` provides the
Bayesian test as a function.

This package does not depend on graphs.
"""
