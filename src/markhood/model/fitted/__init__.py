"""Models fitted to data, with the names and levels of the data.

`model` has the class, `parameters` its estimates, `rows` and `summary` their tables, and
`prediction` and `query` conditional distributions and the accuracy of predictions.
"""
