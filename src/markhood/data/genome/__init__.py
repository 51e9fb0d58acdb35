"""Sites of genomes and columns of alignments: their file formats, positions, alphabets and copies.

Readers: `fasta` and `sequences` (FASTA, A2M, A3M, Stockholm), `vcf`, `vcf_text` and `bcf`, `plink`. `loci` and
`placed` hold positions along a genome, `alphabets` the letters of sequences, `identical` finds sites that are exact
copies or complements of each other.
"""
