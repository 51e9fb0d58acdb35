"""Networks of variables with any number of levels: a table an edge, a vector of fields a variable.

Open `model`. `exact` sums over forests and small networks, `tables` is what samplers make of the
tables, `checks` says whether numbers make a model at all.
"""
