"""How a model is sampled, whatever its variables are: exactly where it can be, else by Gibbs sampling.

`sampled` is what models inherit; `gibbs` runs the chains, `packing` packs their draws as they come.
"""
