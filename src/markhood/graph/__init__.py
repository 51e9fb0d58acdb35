"""Graphs: named nodes with levels, and edges with columns of numbers.

`graph` has the immutable `Graph`, `convert` converts to and from other libraries, and `edge_table`
has the table of edges that all conversions and files share. This package does not depend on how a
graph was learned. Drawing and writing are tasks of `output`, which `Graph.show` imports when
called.
"""
