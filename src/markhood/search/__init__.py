"""Search algorithms: from a job to the edges of a graph, with one file per algorithm.

A search takes a `Job` (samples, a scorer, a runner, constraints) and returns a `SearchResult`;
these values are in `values`. PLRHC and HC are `hill_climbing`, which follows the paper: `screen`,
`blankets`, `climb`. `l1_paths`, `ibmap`, `pairwise` (with Chow-Liu forests) and `pseudo_likelihood`
are other methods. `graph_sampler` runs `chains` over graphs to estimate the probability of every
edge.

A search gets every number that depends on the data from the job's scorer. It does not unpack bits,
call a backend or read a file; from `kernels` it uses lists, ties, records and loops over graphs
(`steps`, `greedy`, `flips`). `learning` describes the edges.
"""
