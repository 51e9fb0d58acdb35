"""From a job to a graph's edges: one file an algorithm.

In comes a `Job` (samples, a scorer, a runner, knowledge), out goes what was `Found`. PLRHC and HC are
`hill_climbing`, which reads like the paper: `screen`, `spaces`, `blankets`, `combine`, `climb`. The rivals
are `l1_paths`, `ibmap` and `chow_liu`; the screen alone is a method too. `graph_sampler` gives every edge
its probability. `knowledge` has the edges that
are required or forbidden, which every search heeds.

No search touches bits or kernels, reads a file, or asks what its edges mean: that is described once,
in `learning`.
"""
