"""Graphs and data for people and other programs: files, pictures, the report.

`graphs` writes and reads files of graphs, `pictures` draws with matplotlib, which is used here only,
`report` makes the interactive page; `data_files` writes simulated data. `places` puts every file in
place whole or not at all. Nothing is computed here that a graph does not say.
"""
