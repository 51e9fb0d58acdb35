"""Encode values as codes and codes as bits, in one pass.

`encode` takes data in memory; it and every file format pass chunks of rows to the `encoder`. It
gives each value the code of its level (`coders`), stores codes as binary digits (`planes`), and
finally sorts the levels and writes a row of bits for each except the first (`planes`).
`problems` collects the problems of a table, `column_kinds` looks for suspicious columns and
values.
"""
