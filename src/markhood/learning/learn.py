"""`learn()`: from data to a graph, in one call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from markhood.graph.graph import Graph
from markhood.learning.methods import method_named
from markhood.learning.request import Options, Request


def learn(
    data: Any,
    method: str = "plrhc",
    *,
    missing: str = "error",
    missing_values: Iterable[Any] = (),
    max_levels: int = 64,
    weights: Any = None,
    normalize_weights: bool = True,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    kinds: Any = "auto",
    bins: Any = None,
    merge_rare: int | None = None,
    letters: str = "all",
    similarity_threshold: float = 0.1,
    positions: Any = None,
    identical: Any = "auto",
    imputations: int = 10,
    seed: int | None = 0,
    required_edges: Any = None,
    forbidden_edges: Any = None,
    groups: Any = None,
    group_rule: str = "between",
    pair_priors: Any = None,
    adjust_for: Sequence[str] = (),
    min_distance: float | None = None,
    genome_length: int | None = None,
    shuffles: int = 0,
    n_jobs: int | None = -1,
    kernels: Any = "native",
    executor: Any = None,
    scheduler: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Graph:
    """Learn the graph of a pairwise Markov network from data.

    Parameters
    ----------
    data : array, data frame, sparse matrix or Samples, of shape (n_samples, n_variables), or path
        Every column has at most `max_levels` distinct values, whatever they are. A path is that of a
        file or folder, as for `read_samples`; one that `pack` made is mapped into memory.
    method : {"plrhc", "hc", "bayes", "plm", "l1lr", "mpl", "bjp", "pairwise", "chow-liu"}, default="plrhc"
        How to search; the notes below say what each is and takes.
    missing : {"error", "drop", "level", "impute"}, default="error"
        What to do about missing values, see `encode`; so are the following.
    missing_values : iterable, default=()
        Further values that mean missing, such as -9 or "?".
    max_levels : int, default=64
        How many distinct values a column may have.
    weights : array-like of shape (n_samples,) or "similarity", optional
        How often each sample counts.
    normalize_weights : bool, default=True
        Whether weights that are not whole numbers are scaled to mean 1.
    columns : sequence of str, optional
        The columns that are variables; by default all. Names, or patterns such as "Q*".
    exclude : sequence of str, default=()
        Columns that are no variables: names or patterns.
    kinds : {"auto", "nominal", "ordinal"} or mapping of str to str, default="auto"
        Whether levels are steps, for all columns or for some by name. By default numbers of three
        values or more and ordered categories are; text and other categories are not.
    bins : int, "auto" or mapping of str to int, optional
        Cut columns of more than a dozen numbers, or those named, into so many bins of about as many
        samples each: ordered levels such as "[18, 25)".
    merge_rare : int, optional
        Merge levels that fewer samples have: with their neighbours where levels are steps ("4 or 5"),
        into "other" where they are not.
    letters : {"all", "reduced"}, default="all"
        Whether similar letters of aligned sequences are one level: eight classes of amino acids, two
        of bases.
    similarity_threshold : float, default=0.1
        For weights by similarity: samples that differ in at most this share of the variables are alike.
    positions : mapping, sequence or path, optional
        Where variables lie along a genome: positions, or pairs of a chromosome and a position, by
        name or in order; or a file with the columns name, chromosome (where there are several) and
        position. By default what the file (VCF, PLINK's .bim, an alignment) or names such as
        "chr1:12345" say.
    identical : {"auto", "keep", "group"} or float, default="auto"
        What to do about columns that no data tell apart, equal ones and opposites: "keep" each as a
        node, as the paper does, or "group" them, so that one stands for all and has ``members``. A number such as 0.99
        also groups those that agree that far beyond chance (Cohen's kappa). By default sites of genomes
        and alignments are grouped, and other tables keep their columns.
    imputations : int, default=10
        How many completed data sets there are with ``missing="impute"``.
    seed : int or None, default=0
        What random numbers start from; None for others every time.
    required_edges : sequence of pairs, array of shape (n_edges, 2), or path, optional
        Edges that the graph has whatever the data say, by names or column numbers; or a file with
        a pair on every line. Their evidence may be negative.
    forbidden_edges : sequence of pairs, array of shape (n_edges, 2), or path, optional
        Edges that the graph does not have. The screen still measures them.
    groups : mapping, sequence of n_variables labels, or path, optional
        The group of every variable: by name, in order, or in a file with a name and a label on
        every line.
    group_rule : {"between", "within"}, default="between"
        Which edges may be learned where there are groups: those between two, or within one.
    pair_priors : mapping, table of three columns, or path, optional
        For "bayes": how probable it is, before the data are seen, that certain pairs are edges;
        ``{("a", "b"): 0.9}``, a table of source, target and probability, or a file of such lines.
    adjust_for : sequence of str, default=()
        Columns that are in every variable's regression, but are no nodes and have no edges: age, or
        the batch of a measurement. For plrhc, hc and mpl, but not their rule "pair".
    min_distance : float, optional
        Leave out of the graph edges between variables that are nearer to each other than this on
        one chromosome. They are searched for as all others, and the evidence of an edge that is
        left is what it brings given such near neighbours too.
    genome_length : int, optional
        The genome is a circle of so many bases, as most bacteria's are: distances are the shorter way round, in files and
        pictures too.
    shuffles : int, default=0
        Search so many times more with every column shuffled, where nothing depends on anything;
        ``provenance["edges_by_chance"]`` has how many edges each search found.
    n_jobs : int or None, default=-1
        Threads; -1 for all, None for what joblib is set to. The graph is the same.
    kernels : {"native", "cuda"} or Kernels, default="native"
        Where pairs are screened: on the processor, or on an NVIDIA GPU.
    executor : {"threads", "dask", "ray"} or distributed.Client, optional
        What runs the tiles of the work: by default threads here, or what
        ``joblib.parallel_config`` says. The graph is the same.
    scheduler : str, optional
        Address of the cluster, for "dask" and "ray".
    checkpoint : path-like, optional
        Folder where finished tiles are saved; a run that was killed goes on from there.
    **options
        Of the method, with their defaults; the notes below say what each does.

    Returns
    -------
    Graph
        Its nodes are the variables. ``edges`` are pairs of them, and in the same order there are
        ``evidence`` (what the edge brings to the score), ``coupling`` (log odds ratios) with
        ``coupling_tables`` where there are more than two levels, ``probability`` (of "bayes") and
        ``annotations`` (of imputed data: ``share`` and ``evidence_variance``; of ranked pairs: ``mi`` or ``mi_apc``).
        ``provenance`` holds the method, its options, the data's fingerprint and the seconds that
        each phase took.

    Raises
    ------
    InputError
        If the data or an option cannot be used; the sentence says what to do about it.

    Notes
    -----
    The options of each method:

    "plrhc" : blankets among what is near in the screened graph
        ``gamma=0.5``, ``rule="global"`` (or "pair", "or", "and"), ``start="or"`` (or "empty"),
        ``criterion="bic"`` (or "mpl", or an object), ``fit_penalty=None`` (or "l1", "l2"),
        ``fit_strength=None``, ``depth=3``, ``max_candidates=None``.
    "hc" : blankets among all variables
        ``gamma=0.5``, ``rule="global"``, ``start="or"``, ``criterion="bic"``, ``fit_penalty=None``,
        ``fit_strength=None``.
    "bayes" : a probability for every pair
        ``fdr=None``, ``min_probability=0.5``, ``edge_prior=None``, ``sweeps=None``, ``chains=4``.
    "l1lr" : L1-penalised logistic regressions
        ``gamma=0.5``, ``rule="or"`` (or "and"), ``standardize=False``, ``refit=True``.
    "mpl" : marginal pseudo-likelihood
        ``gamma=0.5``, ``rule="global"`` (or "or", "and"), ``start="empty"`` (or "or").
    "bjp" : blankets' joint posterior
        ``gamma=0.5``.
    "pairwise" : the screen alone
        ``gamma=0.5``, ``ranking="evidence"`` (or "mi", "mi_apc"), ``top=None``, ``remove_indirect=False``.
    "chow-liu" : the best forest
        ``gamma=0.5``, ``forest=True``.
    "plm" : all pairs ranked by the couplings of the whole Potts model
        ``penalty=0.01``, ``top=None`` (a number of pairs, or "mixture").

    ``gamma`` is the weight of the number of possible blankets in the criterion: a larger one gives
    fewer edges. ``rule`` says how blankets become a graph: by a climb over edges ("global"; "pair"
    scores each edge once), their union ("or") or their agreement ("and"). ``start`` is where the climb
    begins. ``depth`` and ``max_candidates`` bound where blankets are looked for. ``fit_penalty`` and
    ``fit_strength`` take a penalty on slopes off the likelihood. ``refit`` scores supports at their
    own maximum, ``standardize`` penalises slopes by their variables' deviations. ``forest`` lets only
    pairs that pass the screen be edges. ``ranking`` says by what pairs are ranked, of which ``top`` stay: what they gain in
    the screen, or, of all pairs, the mutual information, with the average-product correction or without;
    ``remove_indirect`` leaves out the weakest pair of every triangle of these, as ARACNE does. ``fdr`` is the share of false edges that may be expected;
    in place of it ``min_probability`` is what an edge must exceed. ``edge_prior`` is the
    probability of an edge before the data are seen (by default learned), ``sweeps`` and ``chains`` how
    long and how many the chains are. ``penalty`` is on the squares of couplings; ``top`` says how many of
    the best pairs are edges, by default three for every two positions of a protein, elsewhere those whose
    scores stick out. The estimators have the same options, one class a method.

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
    >>> coins[:, 2] = coins[:, 0]
    >>> learn(coins).edges.tolist()
    [[0, 2]]
    >>> learn(coins, required_edges=[("x0", "x1")], forbidden_edges=[(0, 2)]).edges.tolist()
    [[0, 1]]
    """
    given = locals()  # every option that all methods share is a parameter here
    shared = Options(**{field.name: given[field.name] for field in fields(Options)})
    with Request(method_named(method, options), shared) as request:
        return request.learn(request.read(data, weights)).graph
