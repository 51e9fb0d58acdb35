"""Learn a graph from a request, in the same way for every interface.

`learn()`, the estimators and the command line build a `Request` (`request`): a method with its
options (`methods`) and the options that all methods share. The request reads the data, makes a
`Job`, lets the method search, and describes the result (`describe`): evidence, couplings, graphs.
Where values are missing, `imputation` searches several times and describes once. `forecast`
estimates time and memory before a run, and `provenance` records how a graph was learned.

This package does not read or write graph files, and it does not print.
"""
