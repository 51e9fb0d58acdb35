"""Sampling from models: exact for forests and small networks, otherwise Gibbs sampling.

`sampled` has the base class of models, and `gibbs` runs the chains and packs their draws.
"""
