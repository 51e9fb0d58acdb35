"""A model that was fitted to data, in the words of the data: open `model`.

`prediction` has variables given others, `scoring` says how good predictions are.
"""
