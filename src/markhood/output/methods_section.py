"""A paragraph for a methods section, true to the run: written from a graph's provenance, and nothing else.

What the provenance does not tell is not said: a graph from another program, or from a file that lost it, gives a
shorter paragraph. Sentences describe what was done, in the order in which it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.output.citation import IN_TEXT

Parameters = Mapping[str, Any]

BIC = "the extended Bayesian information criterion (gamma = {gamma:g}) of its logistic regression on them"
CRITERIA = {"bic": BIC, "mpl": "its marginal pseudo-likelihood (gamma = {gamma:g})"}
RULES = {
    "global": "hill climbing over the union of all neighbourhoods then chose the edges by the sum of the scores",
    "pair": "hill climbing over the union of all neighbourhoods then chose the edges by the likelihood of pairs",
    "or": "two variables are joined where either is a neighbour of the other (OR rule)",
    "and": "two variables are joined where each is a neighbour of the other (AND rule)",
}


def methods_section(graph: Graph) -> str:
    """Return a paragraph that says how a graph was learned, from what, and what to cite.

    Examples
    --------
    >>> about = {"version": "0.1.0", "method": "pairwise", "parameters": {"gamma": 0.5}}
    >>> print(methods_section(Graph("abc", [(0, 1)], provenance=about)))
    The network of 3 variables was learned with markhood 0.1.0, method pairwise. Two variables are joined where the \
likelihood ratio of their dependence exceeds the price of the extended Bayesian information criterion (gamma = 0.5), \
whatever the other variables. The network has 1 edge.
    """
    about = graph.provenance
    if "method" not in about:
        raise InputError(
            "The graph does not say how it was learned: only what markhood learned can be described."
        )
    sentences = [
        *_sample(graph, about),
        *_treatment(_part(about, "data"), _part(about, "imputation")),
        *_steps(graph),
        *_search(str(about["method"]), _part(about, "parameters")),
        *_beforehand(_part(about, "known"), about.get("adjusted_for")),
        *_result(graph, about),
    ]
    return " ".join(sentences)


def _sample(graph: Graph, about: Mapping[str, Any]) -> Iterator[str]:
    data = _part(about, "data")
    kinds = Counter(graph.variables.kinds or ())
    variables = f"{graph.n_nodes} variables"
    if len(kinds) == 1:
        variables = f"{graph.n_nodes} {next(iter(kinds))} variables"
    elif kinds:
        variables += f" ({', '.join(f'{n} {kind}' for kind, n in kinds.most_common())})"
    samples = f" from {data['samples']} observations" if "samples" in data else ""
    if "weight" in data:
        samples += f" of total weight {data['weight']:.6g}"
    version = f" {about['version']}" if "version" in about else ""
    cited = f" ({IN_TEXT})" if about["method"] == "plrhc" else ""
    yield (
        f"The network of {variables} was learned{samples} with markhood{version}, method "
        f"{about['method']}{cited}."
    )


def _treatment(data: Mapping[str, Any], imputation: Mapping[str, Any]) -> Iterator[str]:
    """Say what became of rows and missing values."""
    understood = _part(data, "understood")
    for reason, n in _part(understood, "rows_left_out").items():
        verb = "row was" if n == 1 else "rows were"
        yield f"{n} of {understood.get('rows')} {verb} left out for {reason}."
    if imputation:
        yield (
            f"{imputation['missing']} missing values were imputed in {imputation['sets']} completed "
            "data sets, and edges kept that most of these have."
        )
    yield from map(str, understood.get("treatments", ()))
    if left_out := understood.get("left_out"):
        yield f"Columns that were left out: {', '.join(sorted(left_out))}."


def _steps(graph: Graph) -> Iterator[str]:
    if any(graph.variables.is_ordered):
        yield "The levels of ordinal variables were steps, so that an edge of two is one parameter."


def _search(method: str, given: Parameters) -> Iterator[str]:
    """Say how the edges were found."""
    if method in SEARCHES:
        yield from SEARCHES[method](given)
    else:
        told = ", ".join(f"{name} = {value}" for name, value in given.items())
        yield f"Its options were {told}." if told else ""


def _climbing(given: Parameters) -> Iterator[str]:
    criterion = str(given.get("criterion", "bic"))
    by = CRITERIA.get(criterion, "a criterion of the authors' own").format(**given)
    where = "among all others"
    if "depth" in given:
        where = (
            f"among those within {given['depth']} steps in the graph of pairs whose penalised "
            "likelihood ratio is positive"
        )
    if "max_candidates" in given:
        where += f", of which the {given['max_candidates']} strongest at most"
    yield f"The neighbours of each variable were searched for greedily by {by}, {where}."
    if "fit_penalty" in given:
        strength = given.get("fit_strength", 1)
        yield f"Regressions had a penalty {given['fit_penalty'].upper()} of strength {strength:g}."
    yield f"{RULES[given['rule']][0].upper()}{RULES[given['rule']][1:]}."


def _marginal_pseudo_likelihood(given: Parameters) -> Iterator[str]:
    return _climbing({**given, "criterion": "mpl"})


def _l1(given: Parameters) -> Iterator[str]:
    scaled = " on standardised variables" if given.get("standardize") else ""
    refit = "at their own maximum of the likelihood" if given.get("refit") else "without a refit"
    yield (
        f"Neighbourhoods were chosen on the path of each variable's L1-penalised logistic regression{scaled} by the "
        f"extended Bayesian information criterion (gamma = {given['gamma']:g}), {refit}; "
        f"{RULES[given['rule']]}."
    )


def _joint_posterior(given: Parameters) -> Iterator[str]:
    yield "The graph is the one whose independence assertions are most probable together (IBMAP-HC)."


def _pairwise(given: Parameters) -> Iterator[str]:
    yield from _ranked(given)
    if given.get("remove_indirect"):
        yield (
            "The pair with the least mutual information of every triangle of pairs was taken for indirect and left out "
            "(ARACNE; Margolin et al., 2006)."
        )


def _ranked(given: Parameters) -> Iterator[str]:
    top = given.get("top")
    if given.get("ranking", "evidence") == "evidence":
        yield (
            "Two variables are joined where the likelihood ratio of their dependence exceeds the price of the extended "
            f"Bayesian information criterion (gamma = {given['gamma']:g}), whatever the other variables."
        )
        if top is not None:
            yield f"Of these pairs the {top} with the highest evidence were kept."
        return
    corrected = " with the average-product correction" if given["ranking"] == "mi_apc" else ""
    yield f"All pairs of variables were ranked by their mutual information{corrected}, and the best were kept."


def _chow_liu(given: Parameters) -> Iterator[str]:
    kind = "forest of dependent pairs" if given.get("forest") else "tree"
    yield f"The graph is the {kind} under which the data are most likely (Chow and Liu, 1968)."


def _pseudo_likelihood(given: Parameters) -> Iterator[str]:
    top = given.get("top")
    kept = "those that stick out of the background of scores, or three for every two positions of a protein"
    if top is not None:
        kept = (
            "those that stick out of the background of scores"
            if top == "mixture"
            else f"the {top} best"
        )
    yield (
        "All pairs of variables were ranked by the couplings of a Potts model, fitted by pseudo-likelihood with an L2 "
        f"penalty (lambda = {given['penalty']:g} (d - 1) sqrt((r_i - 1)(r_j - 1))): by the Frobenius norms of their zero-sum tables, "
        f"gaps left out, less the average product. Edges are {kept}."
    )


def _bayes(given: Parameters) -> Iterator[str]:
    sweeps = f", {given['sweeps']} sweeps each" if "sweeps" in given else ""
    chosen = f"above {given.get('min_probability', 0.5):g}"
    if "fdr" in given:
        chosen = f"so high that a share of {given['fdr']:g} is expected to be false at most"
    yield (
        f"The probability of every edge was estimated by {given['chains']} Markov chains over graphs"
        f"{sweeps}; edges are those with a probability {chosen}."
    )


SEARCHES: Mapping[str, Callable[[Parameters], Iterator[str]]] = {
    "plrhc": _climbing,
    "hc": _climbing,
    "mpl": _marginal_pseudo_likelihood,
    "l1lr": _l1,
    "bjp": _joint_posterior,
    "pairwise": _pairwise,
    "chow-liu": _chow_liu,
    "bayes": _bayes,
    "plm": _pseudo_likelihood,
}


def _beforehand(known: Mapping[str, Any], adjusted: Any) -> Iterator[str]:
    if adjusted:
        yield f"All regressions were adjusted for {' and '.join(map(str, adjusted))}."
    if n := known.get("required_edges"):
        yield f"{_edges(n)} required beforehand."
    if n := known.get("forbidden_edges"):
        yield f"{_edges(n)} excluded beforehand."
    if "groups" in known:
        yield f"Only edges {known['group_rule']} the {known['groups']} groups of variables were allowed."


def _edges(n: int) -> str:
    return "1 edge was" if n == 1 else f"{n} edges were"


def _result(graph: Graph, about: Mapping[str, Any]) -> Iterator[str]:
    yield f"The network has {graph.n_edges} edge{'s'[: graph.n_edges != 1]}."
    chance = about.get("edges_by_chance")
    if chance:
        mean = sum(chance) / len(chance)
        yield f"With every column shuffled {mean:.3g} edges were found on average ({len(chance)} times)."


def _part(about: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = about.get(name)
    return part if isinstance(part, Mapping) else {}
