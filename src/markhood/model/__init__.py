"""The distribution on a graph.

`regressions` has every variable given its neighbours, which is what learning fits. `ising` and `potts`
are joint distributions of binary variables and of any levels: log-likelihood, exact answers where the
graph allows, samples. `sampling` draws from either, `convergence` says whether the chains agree.

A model may be made of any graph; nothing here searches for one.
"""
