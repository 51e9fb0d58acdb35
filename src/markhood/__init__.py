"""Learn the graph of a pairwise Markov network (Ising, Potts) from data.

>>> import markhood
>>> import numpy as np
>>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
>>> coins[:, 2] = coins[:, 0]
>>> markhood.learn(coins).edge_names()
[('x0', 'x2')]

Public names are imported when first used, so that importing markhood costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markhood import evaluate, simulate
    from markhood.data.coding.encode import encode
    from markhood.data.formats.files import read_samples
    from markhood.data.genome.loci import Locus
    from markhood.data.reading import Genome, TableFormat
    from markhood.data.storage.packing import pack
    from markhood.data.variables import Variables
    from markhood.errors import DataWarning, InputError
    from markhood.estimators.blanket_selector import BlanketSelector
    from markhood.estimators.methods import (
        PLRHC,
        Bayes,
        BlanketsJointPosterior,
        ChowLiu,
        HillClimbing,
        L1Logistic,
        MarginalPseudoLikelihood,
        Pairwise,
        PseudoLikelihood,
    )
    from markhood.graph import convert
    from markhood.graph.graph import Graph
    from markhood.learning.blanket import blanket
    from markhood.learning.knowledge import Knowledge
    from markhood.learning.learn import learn
    from markhood.learning.run import Run
    from markhood.model.coding import recode
    from markhood.model.fitted.model import FittedModel
    from markhood.model.fitting.fit import fit_model
    from markhood.model.ising.model import IsingModel
    from markhood.model.potts.model import PottsModel
    from markhood.model.regressions import Regressions
    from markhood.output.graphs.files import read_graph, write_graph
    from markhood.output.model_files import read_model, write_model
    from markhood.output.pictures import plots as plot
    from markhood.output.report.page import write_report
    from markhood.scores.independence import independence_test
    from markhood.stability.bootstrap import Bootstrap, bootstrap
    from markhood.stability.comparison import GroupComparison
    from markhood.stability.gamma import GammaPath, gamma_path
    from markhood.stability.groups import compare_groups

__all__ = [
    "PLRHC",
    "Bayes",
    "BlanketSelector",
    "BlanketsJointPosterior",
    "Bootstrap",
    "ChowLiu",
    "DataWarning",
    "FittedModel",
    "GammaPath",
    "Genome",
    "Graph",
    "GroupComparison",
    "HillClimbing",
    "InputError",
    "IsingModel",
    "Knowledge",
    "L1Logistic",
    "Locus",
    "MarginalPseudoLikelihood",
    "Pairwise",
    "PottsModel",
    "PseudoLikelihood",
    "Regressions",
    "Run",
    "TableFormat",
    "Variables",
    "blanket",
    "bootstrap",
    "compare_groups",
    "convert",
    "encode",
    "evaluate",
    "fit_model",
    "gamma_path",
    "independence_test",
    "learn",
    "pack",
    "plot",
    "read_graph",
    "read_model",
    "read_samples",
    "recode",
    "simulate",
    "write_graph",
    "write_model",
    "write_report",
]

_HOMES = {
    "PLRHC": "markhood.estimators.methods",
    "Bayes": "markhood.estimators.methods",
    "BlanketSelector": "markhood.estimators.blanket_selector",
    "BlanketsJointPosterior": "markhood.estimators.methods",
    "Bootstrap": "markhood.stability.bootstrap",
    "ChowLiu": "markhood.estimators.methods",
    "DataWarning": "markhood.errors",
    "FittedModel": "markhood.model.fitted.model",
    "GammaPath": "markhood.stability.gamma",
    "Genome": "markhood.data.reading",
    "Graph": "markhood.graph.graph",
    "GroupComparison": "markhood.stability.comparison",
    "HillClimbing": "markhood.estimators.methods",
    "InputError": "markhood.errors",
    "IsingModel": "markhood.model.ising.model",
    "Knowledge": "markhood.learning.knowledge",
    "L1Logistic": "markhood.estimators.methods",
    "Locus": "markhood.data.genome.loci",
    "MarginalPseudoLikelihood": "markhood.estimators.methods",
    "Pairwise": "markhood.estimators.methods",
    "PottsModel": "markhood.model.potts.model",
    "PseudoLikelihood": "markhood.estimators.methods",
    "Regressions": "markhood.model.regressions",
    "Run": "markhood.learning.run",
    "TableFormat": "markhood.data.reading",
    "Variables": "markhood.data.variables",
    "blanket": "markhood.learning.blanket",
    "bootstrap": "markhood.stability.bootstrap",
    "compare_groups": "markhood.stability.groups",
    "encode": "markhood.data.coding.encode",
    "fit_model": "markhood.model.fitting.fit",
    "gamma_path": "markhood.stability.gamma",
    "independence_test": "markhood.scores.independence",
    "learn": "markhood.learning.learn",
    "pack": "markhood.data.storage.packing",
    "read_graph": "markhood.output.graphs.files",
    "read_model": "markhood.output.model_files",
    "read_samples": "markhood.data.formats.files",
    "recode": "markhood.model.coding",
    "write_graph": "markhood.output.graphs.files",
    "write_model": "markhood.output.model_files",
    "write_report": "markhood.output.report.page",
}

_MODULES = {
    "convert": "markhood.graph.convert",
    "evaluate": "markhood.evaluate",
    "plot": "markhood.output.pictures.plots",
    "simulate": "markhood.simulate",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for (PEP 562)."""
    if name == "__version__":
        return import_module("importlib.metadata").version("markhood")
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'markhood' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*__all__, "__version__"])
