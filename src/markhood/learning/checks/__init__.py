"""Check data and results, and warn about what limits their interpretation.

`chance` (edges expected from noise alone), `convergence` (fits and chains), `copies` (columns that
carry the same information), `dependent_rows` (copies of rows, serial dependence) and
`many_parameters` (search spaces that are too large, and edges that cost more parameters than the
samples can support).
"""
