"""Distributions on a graph.

`regressions` has the regression of each variable on its neighbours, which learning fits. `ising`
and `potts` are joint distributions of binary variables and of variables with any number of levels:
log-likelihood, exact marginals (`potts.exact`) and samples. `sampling` draws from either, with
diagnostics of the chains, and `one_hot` estimates log Z. `fitting` estimates fields and couplings
from data, and `fitted` is the result with the names and levels of the data; `coding` converts
between 0/1 and -1/+1.

A model can be made for any graph; this package does not search for one.
"""
