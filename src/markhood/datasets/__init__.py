"""Small data sets to try markhood on, each with its source and licence.

>>> import markhood
>>> votes = markhood.datasets.load("votes")
>>> votes.shape
(435, 17)
"""

from markhood.datasets.catalogue import Dataset, available, load

__all__ = ["Dataset", "available", "load"]
