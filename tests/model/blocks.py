"""Samples drawn in blocks of a given size."""

from markhood.kernels.native import NativeKernels
from markhood.model.sampling.gibbs import gibbs_blocks


def in_blocks(model, n_samples, seed, *, method="auto", burn_in=10, thinning=10, chains=16):
    """Return the samples of `model.sample` as a list of the smallest blocks."""
    sampler = model._exact_sampler
    if method != "gibbs" and sampler is not None:
        return list(sampler.blocks(n_samples, seed, block_bytes=1))
    advance, levels = model._gibbs_sampler(NativeKernels()), model._level_counts
    settings = {"burn_in": burn_in, "thinning": thinning, "chains": chains, "n_jobs": None}
    return list(
        gibbs_blocks(advance, model.n_variables, levels, n_samples, seed, **settings, block_bytes=1)
    )
