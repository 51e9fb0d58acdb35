"""The distribution on a graph.

`regressions` has every variable given its neighbours, which is what learning fits. `ising` and `potts`
are joint distributions of binary variables and of any levels: log-likelihood, exact answers where the
graph allows (`junction_tree`), samples. `sampling` draws from either, `convergence` says whether the chains agree,
`annealing` estimates log Z where nothing sums to it. `fitting` finds fields and couplings from data, and `fitted`
is what comes of it, in the words of the data; `coding` converts between 0/1 and -1/+1.

A model may be made of any graph; nothing here searches for one.
"""
