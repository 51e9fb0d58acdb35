"""Sites of genomes and columns of alignments: file formats, positions, alphabets and copies.

Readers: `fasta` (FASTA, A2M, A3M, Stockholm), `vcf` and `vcf_text`, `plink`.
`loci` and `positions` handle positions along a genome, `alphabets` the letters of
sequences, and `identical` finds sites that are exact copies or complements of each other.
"""
