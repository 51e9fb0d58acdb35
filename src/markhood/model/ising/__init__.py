"""Networks of binary variables: a coupling an edge, a field a variable.

Open `model`. Forests are summed over by messages (`forest`), others by
`model.junction_tree`; both give an `Exact`. `model.potts` has the same for any number of levels.
"""
