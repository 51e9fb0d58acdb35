"""The stability of learned graphs: bootstrap, group comparison and gamma path.

`resampling` draws data sets, `replicates` learns a graph from each, and `bootstrap` reports edge
frequencies, intervals of couplings and the stability of centralities. `groups` compares the
networks of groups by permutation tests; `gamma` learns with several values of gamma. Start reading
at `bootstrap.py`. Searching is the task of `learning`.
"""
