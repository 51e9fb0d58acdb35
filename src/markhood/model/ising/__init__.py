"""Networks of binary variables, with one coupling per edge and one field per variable.

`model` has the class. Inference in forests is by message passing, in other graphs by
a junction tree (`potts.exact`); both return an `Exact`. `model.potts` is for any number of levels.
"""
