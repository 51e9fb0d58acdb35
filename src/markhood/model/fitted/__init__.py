"""A model that was fitted to data, in the words of the data: open `model`.

`parameters` has its numbers, `rows` and `summary` their tables, `prediction` and `query` variables given others, and `scoring` says how good
predictions are.
"""
