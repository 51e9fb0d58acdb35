"""Write and draw graphs and data: files, figures and the report.

`graphs` reads and writes graph files, `pictures` draws with matplotlib, `report` makes the
interactive page, `data_files` writes simulated data. `file_writing` writes every file completely or not at all.
"""
