"""What a result should be read with: warnings about the data and about the answer.

`chance` (edges expected from noise alone), `convergence` (chains that disagree), `copies` (columns that carry the
same information), `density` (search spaces that are too large) and `many_parameters` (edges that cost more
parameters than the samples can support).
"""
