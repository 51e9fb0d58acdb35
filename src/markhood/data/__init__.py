"""Read tables of observations into packed samples.

Arrays, data frames, sparse matrices, files and folders become `Samples`: for every variable a row
of bits per level except the first, with names and levels (`Variables`), weights and missing values.
Start with `samples`, then read `coding.encode` for data in memory or `formats.files` for data on
disk. `reading` has the options that every source shares, `codebook` describes how a table was read,
and `genome` has sites of genomes and columns of alignments.

This package does not depend on scores: data are read in the same way for every method.
"""
