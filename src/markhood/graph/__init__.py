"""The answer: named nodes with their levels, and edges with columns of numbers.

`graph` has `Graph`, which no one can change once it is made. `convert` leads to and from other libraries,
and `edge_table` is the one form that all conversions and files share. Nothing here knows how a
graph was found, and nothing is drawn or written (`Graph.show` asks `output` when it is called).
"""
