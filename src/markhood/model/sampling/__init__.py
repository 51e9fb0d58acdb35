"""Sampling from models: exact for forests and small networks, otherwise Gibbs sampling.

`sampled` has the base class of models, `gibbs` runs the chains, and `packing` packs their draws.
"""
