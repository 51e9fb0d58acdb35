"""Values to codes to bits, in one pass.

`encode` takes data in memory; it and every format hand chunks of rows to the `encoder`, which gives each
value the number of its level (`coders`), keeps the numbers as binary digits (`planes`), and at
the end puts levels in order and writes a row of bits for each but the first (`indicators`). What is
wrong on the way is gathered in `findings` and said in one sentence.
"""
