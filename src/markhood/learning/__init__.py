"""One road from a request to a result, for all doors.

`learn()`, the estimators and the command line put a `Request` together (`request`): a method with its
options (`methods`) and the options that all methods share. It reads the data, makes a `Job`, lets the
method search, and describes what was found (`describe`): evidence, couplings, graphs. Where values are
missing, `imputation` searches many times and describes once. `forecast` says beforehand how
long it will take, `provenance` writes down where a graph came from.

Nothing here reads or writes files of graphs, or prints.
"""
