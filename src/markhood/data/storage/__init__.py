"""Where packed bits are kept: in memory, or in files that are mapped.

`places` has the two as values that every reader takes; `packed` writes and opens folders of packed
samples, and `packing` makes one of a file of any size; `memory` says beforehand whether it fits.
"""
