"""Read data files, one module per format.

`files` chooses the reader by the ending of the name. Each reader passes chunks of rows to an
encoder and does not hold the whole file. A library that only one format needs is imported by its
reader.
"""
