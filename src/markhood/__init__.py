"""Learn the graph of a pairwise Markov network (Ising, Potts) from data.

>>> import markhood
>>> import numpy as np
>>> coins = np.random.default_rng(0).integers(0, 2, size=(200, 3))
>>> coins[20:, 2] = coins[20:, 0]
>>> markhood.learn(coins).edge_names()
[('x0', 'x2')]

Public names are imported when first used, so that importing markhood costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markhood import datasets as datasets
    from markhood import evaluate as evaluate
    from markhood import simulate as simulate
    from markhood.data.codebook import Codebook as Codebook
    from markhood.data.coding.encode import encode as encode
    from markhood.data.describe import describe as describe
    from markhood.data.formats.files import read_samples as read_samples
    from markhood.data.genome.loci import Locus as Locus
    from markhood.data.reading import Genome as Genome
    from markhood.data.reading import TableFormat as TableFormat
    from markhood.data.storage.packing import pack as pack
    from markhood.data.variables import Variables as Variables
    from markhood.errors import ConvergenceWarning as ConvergenceWarning
    from markhood.errors import DataWarning as DataWarning
    from markhood.errors import InputError as InputError
    from markhood.errors import filter_findings as filter_findings
    from markhood.estimators.blanket_selector import BlanketSelector as BlanketSelector
    from markhood.estimators.methods import PLRHC as PLRHC
    from markhood.estimators.methods import Bayes as Bayes
    from markhood.estimators.methods import BlanketsJointPosterior as BlanketsJointPosterior
    from markhood.estimators.methods import ChowLiu as ChowLiu
    from markhood.estimators.methods import HillClimbing as HillClimbing
    from markhood.estimators.methods import L1Logistic as L1Logistic
    from markhood.estimators.methods import MarginalPseudoLikelihood as MarginalPseudoLikelihood
    from markhood.estimators.methods import Pairwise as Pairwise
    from markhood.estimators.methods import PseudoLikelihood as PseudoLikelihood
    from markhood.graph import convert as convert
    from markhood.graph.graph import Graph as Graph
    from markhood.learning.blanket import blanket as blanket
    from markhood.learning.knowledge import Knowledge as Knowledge
    from markhood.learning.learn import learn as learn
    from markhood.learning.run import Run as Run
    from markhood.model.checking.check import ModelCheck as ModelCheck
    from markhood.model.checking.check import check_model as check_model
    from markhood.model.coding import recode as recode
    from markhood.model.fitted.model import FittedModel as FittedModel
    from markhood.model.fitting.fit import fit_model as fit_model
    from markhood.model.ising.model import IsingModel as IsingModel
    from markhood.model.potts.model import PottsModel as PottsModel
    from markhood.model.regressions import Regressions as Regressions
    from markhood.output.graphs.files import read_graph as read_graph
    from markhood.output.graphs.files import write_graph as write_graph
    from markhood.output.model_files import read_model as read_model
    from markhood.output.model_files import write_model as write_model
    from markhood.output.pictures import plots as plot  # noqa: F401
    from markhood.output.report.page import write_report as write_report
    from markhood.scores.independence import independence_test as independence_test
    from markhood.stability.bootstrap import Bootstrap as Bootstrap
    from markhood.stability.bootstrap import bootstrap as bootstrap
    from markhood.stability.comparison import GroupComparison as GroupComparison
    from markhood.stability.gamma import GammaPath as GammaPath
    from markhood.stability.gamma import gamma_path as gamma_path
    from markhood.stability.groups import compare_groups as compare_groups
    from markhood.stability.plan import Plan as Plan
    from markhood.stability.plan import plan as plan
    from markhood.stability.robustness import Robustness as Robustness
    from markhood.stability.robustness import robustness as robustness

_PUBLIC = {
    "markhood.data.coding.encode": "encode",
    "markhood.data.codebook": "Codebook",
    "markhood.data.describe": "describe",
    "markhood.data.formats.files": "read_samples",
    "markhood.data.genome.loci": "Locus",
    "markhood.data.reading": "Genome TableFormat",
    "markhood.data.storage.packing": "pack",
    "markhood.data.variables": "Variables",
    "markhood.errors": "ConvergenceWarning DataWarning InputError filter_findings",
    "markhood.estimators.blanket_selector": "BlanketSelector",
    "markhood.estimators.methods": "Bayes BlanketsJointPosterior ChowLiu HillClimbing L1Logistic "
    "MarginalPseudoLikelihood Pairwise PLRHC PseudoLikelihood",
    "markhood.graph.graph": "Graph",
    "markhood.learning.blanket": "blanket",
    "markhood.learning.knowledge": "Knowledge",
    "markhood.learning.learn": "learn",
    "markhood.learning.run": "Run",
    "markhood.model.checking.check": "check_model ModelCheck",
    "markhood.model.coding": "recode",
    "markhood.model.fitted.model": "FittedModel",
    "markhood.model.fitting.fit": "fit_model",
    "markhood.model.ising.model": "IsingModel",
    "markhood.model.potts.model": "PottsModel",
    "markhood.model.regressions": "Regressions",
    "markhood.output.graphs.files": "read_graph write_graph",
    "markhood.output.model_files": "read_model write_model",
    "markhood.output.report.page": "write_report",
    "markhood.scores.independence": "independence_test",
    "markhood.stability.bootstrap": "Bootstrap bootstrap",
    "markhood.stability.comparison": "GroupComparison",
    "markhood.stability.gamma": "gamma_path GammaPath",
    "markhood.stability.groups": "compare_groups",
    "markhood.stability.plan": "Plan plan",
    "markhood.stability.robustness": "Robustness robustness",
}
_HOMES = {name: module for module, names in _PUBLIC.items() for name in names.split()}
_MODULES = {
    "convert": "markhood.graph.convert",
    "datasets": "markhood.datasets",
    "evaluate": "markhood.evaluate",
    "plot": "markhood.output.pictures.plots",
    "simulate": "markhood.simulate",
}

__all__ = [*_HOMES, *_MODULES]  # noqa: PLE0604


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
