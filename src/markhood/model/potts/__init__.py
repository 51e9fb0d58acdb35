"""Networks of variables with any number of levels, with a table per edge and a field per level.

`model` has the class, `exact` has exact inference in forests and small networks, `network` prepares
the tables for the samplers and validates arguments.
"""
