"""Files of observations, a module for each format.

`files` chooses by the ending of the name; each reader hands chunks of rows to an encoder and never
holds a file whole. A library that only one format needs is imported by its reader alone.
"""
