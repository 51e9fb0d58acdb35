"""Would it come out again? What a learned graph is worth, from many learnings instead of one.

Samples and a `Request` come in. `resampling` draws data sets, `replicates` learns from each of them, and
`bootstrap` says how often every edge came out, between which bounds its coupling was, and how far the
order of the centralities holds. `groups` compares the networks of two groups by permutations;
`gamma` follows the graph over gamma. Begin with `bootstrap.py`.

Nothing here knows files or terminals, and nothing searches: that is `learning`'s.
"""
