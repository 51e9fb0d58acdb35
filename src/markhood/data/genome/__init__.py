"""Sites of genomes and columns of alignments: file formats, positions, alphabets and copies.

Readers: `fasta` and `sequences` (FASTA, A2M, A3M, Stockholm), `vcf`, `vcf_text` and `bcf`, `plink`.
`loci`, `positions` and `sample_loci` handle positions along a genome, `alphabets` the letters of
sequences, and `identical` finds sites that are exact copies or complements of each other.
"""
