"""Store packed bits in memory or in memory-mapped files.

`backends` has the two kinds of storage that every reader takes; `packed` writes and opens folders
of packed samples, `packing` packs a file of any size, and `memory` checks whether samples fit.
"""
