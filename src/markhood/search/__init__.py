"""From a job to the edges of a graph: one file for each algorithm.

A search takes a `Job` (samples, a scorer, a runner, constraints) and returns what it `SearchResult`; these values are in
`values`. PLRHC and HC are `hill_climbing`, which reads like the paper: `screen`, `spaces`, `blankets`, `combine`,
`climb`. `l1_paths`, `ibmap`, `chow_liu`, `pairwise` and `pseudo_likelihood` are other methods. `graph_sampler`
estimates the probability of every edge.

A search asks the job's scorer for every number that depends on the data. It does not unpack bits, call a backend or
read a file; from `kernels` it takes lists, ties, records and loops over graphs (`steps`, `greedy`, `flips`). What its
edges mean is described once, in `learning`.
"""
