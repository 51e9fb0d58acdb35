"""Networks of binary variables, with one coupling per edge and one field per variable.

`model` has the class. Inference in forests is by message passing, in other graphs by
`model.junction_tree`; both return an `Exact`. `model.potts` is for any number of levels.
"""
