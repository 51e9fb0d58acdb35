"""Scores of blankets, pairs and regressions, computed from samples.

A `criterion` scores a contingency table (`table`): `bic`, `mpl`, or a user-defined object. A
`scorer` is the interface of a search to the data: it scores tiles of variables and pairs and hides
how samples are counted. `discrete` is the scorer for variables with levels. `independence` provides
the Bayesian test as a function.

This package does not depend on graphs.
"""
