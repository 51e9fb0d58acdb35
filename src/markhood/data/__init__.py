"""What people have becomes packed samples.

In come arrays, data frames, sparse matrices, files and folders; out come `Samples`: for every variable
a row of bits for each level but the first, with the names and levels (`Variables`), weights, and what is
missing. Open `samples` first, then `coding.encode` for data in memory, or `formats.files` for data
on disk. `reading` has the choices that every source takes; `known` reads edges that are known beforehand,
as people write them down; `identical` finds variables that no data can tell apart.

Nothing here knows what a score is: data are read the same whatever is learned from them.
"""
