"""From samples to numbers: what a blanket, a pair or a regression is worth.

A `criterion` scores a contingency table (`table`): `bic`, `mpl`, or an object of the user's own. A
`scorer` is all that a search sees: it answers for tiles of variables and pairs, and knows how the
answers are counted; `discrete` is the one for variables with levels. `independence` is the Bayesian
test as a function.

Nothing here knows a graph.
"""
