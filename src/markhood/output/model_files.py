"""Read and write fitted models as JSON files with a version number.

A file has the graph in node-link layout and the parameters of the model. Couplings and fields are
those of the distribution (0/1 coding for binary variables, zero-sum tables and fields for others),
each with its standard error; the couplings of the graph itself are for other programs. Numbers are
read back bit for bit, and reading a file never runs code.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from markhood.data.variables import Variables
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.input_files import content_of, opened
from markhood.model.fitted.model import FittedModel
from markhood.model.fitted.parameters import Covariate, Errors
from markhood.model.ising.model import IsingModel
from markhood.model.potts.model import PottsModel
from markhood.options import checked
from markhood.output.file_writing import check_writable_file, checked_suffix, replace_all
from markhood.output.graphs import node_link

FORMAT = "markhood model"
VERSION = 1


@checked
def write_model(model: FittedModel, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a JSON file, completely or not at all.

    Parameters
    ----------
    model : FittedModel
    path : str or path
        A name that ends in .json; an existing file is replaced.

    Examples
    --------
    >>> import tempfile, markhood
    >>> model = markhood.fit_model(Graph(["a", "b"], [(0, 1)]), [[0, 0], [1, 1], [0, 1], [1, 1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_model(model, f"{folder}/model.json")
    ...     bool((read_model(f"{folder}/model.json").couplings == model.couplings).all())
    True
    """
    check_model_writable(path)
    replace_all({Path(path): json.dumps(_document(model), allow_nan=False).encode("ascii")})


@checked
def read_model(path: str | os.PathLike[str]) -> FittedModel:
    """Read a fitted model that `write_model` wrote.

    Parameters
    ----------
    path : str or path
        A name that ends in .json.

    Returns
    -------
    FittedModel
        With the same numbers, bit for bit.
    """
    file = Path(path)
    checked_suffix(file, (".json",))
    content = content_of(file)
    try:
        document = json.loads(content)
    except (RecursionError, ValueError):
        raise InputError(
            "file-damaged", str(path), f"{path} is not valid JSON: write the model again."
        ) from None
    if not is_model(document):
        raise InputError(
            "file-format",
            str(path),
            f"{path} is not a model: fit one with markhood.fit_model or markhood fit.",
        )
    if document.get("version") != VERSION:
        raise InputError(
            "file-format",
            str(path),
            f"{path} has version {document.get('version')} of the model format, and this markhood "
            f"reads version {VERSION}: read it with the markhood that wrote it, or a later one.",
        )
    try:
        return _model(document)
    except InputError as error:
        raise InputError(
            "file-damaged", str(path), f"Cannot read the model in {path}: {error}"
        ) from None
    except Exception as error:  # whatever stands in place of a number or a list
        raise InputError(
            "file-damaged",
            str(path),
            f"The model in {path} is damaged ({type(error).__name__}): write it again.",
        ) from error


def holds_model(path: str | os.PathLike[str]) -> bool:
    """Return whether a file contains a model rather than a graph."""
    file = Path(path)
    if file.suffix.lower() != ".json":
        return False
    with opened(file) as stream:
        return stream.read(len(FORMAT) + 32).find(FORMAT.encode()) > 0


def is_model(document: Any) -> bool:
    """Return whether a JSON document is a model."""
    return isinstance(document, dict) and document.get("format") == FORMAT


def check_model_writable(path: str | os.PathLike[str]) -> None:
    """Raise `InputError` if a model cannot be written to this file; call this before long work."""
    checked_suffix(Path(path), (".json",))
    check_writable_file(Path(path))


def _document(model: FittedModel) -> dict[str, Any]:
    own, errors = model.distribution, model.errors
    binary = isinstance(own, IsingModel)
    numbers = own.couplings if isinstance(own, IsingModel) else own.tables
    return {
        "format": FORMAT,  # first, so that `holds_model` needs to read the beginning only
        "version": VERSION,
        "kind": "ising" if binary else "potts",
        "coding": "01" if binary else "zero-sum",
        "method": model.method,
        "prior": model.prior,
        "samples": model.n_samples,
        "log_likelihood": model.llf,
        "total_weight": model.total_weight,
        "couplings": _listed(numbers),
        "fields": _listed(own.fields),
        "coupling_errors": _listed(errors.couplings),
        "table_errors": [None if own is None else own.tolist() for own in errors.tables],
        "field_errors": _listed(errors.fields),
        "spin_field_errors": None if errors.spin_fields is None else errors.spin_fields.tolist(),
        "infinite_couplings": np.flatnonzero(model.infinite_couplings).tolist(),
        "infinite_fields": np.flatnonzero(model.infinite_fields).tolist(),
        "covariates": [
            {**own._asdict(), "effects": own.effects.tolist(), "errors": own.errors.tolist()}
            for own in model.covariates
        ],
        "not_converged": np.flatnonzero(~model.converged).tolist(),
        "graph": json.loads(node_link.to_bytes(model.graph)),
    }


def _listed(numbers: Any) -> list[Any]:
    return [np.asarray(own).tolist() for own in numbers]


def _model(document: dict[str, Any]) -> FittedModel:
    graph = node_link.from_bytes(json.dumps(document["graph"]).encode())
    if graph.variables.levels is None:
        raise InputError("model-invalid", "", "its variables have no levels.")
    bare = Graph(graph.variables, graph.edges)
    binary = document["kind"] == "ising"
    distribution: IsingModel | PottsModel
    if binary:
        distribution = IsingModel(bare, document["couplings"], document["fields"])
    else:
        distribution = PottsModel(bare, document["couplings"], document["fields"])
    tables = [None if own is None else np.array(own) for own in document["table_errors"]]
    fields = document["field_errors"]
    errors = Errors(
        np.array(document["coupling_errors"], dtype=np.float64),
        tuple(tables),
        np.array(fields) if binary else tuple(np.array(own) for own in fields),
        np.array(document["spin_field_errors"]) if binary else None,
    )
    if len(errors.couplings) != graph.n_edges or len(tables) != graph.n_edges:
        raise InputError("model-invalid", "", "some couplings have no standard error.")
    infinite_couplings = np.zeros(graph.n_edges, np.bool_)
    infinite_couplings[document["infinite_couplings"]] = True
    infinite_fields = np.zeros(graph.n_nodes, np.bool_)
    infinite_fields[document["infinite_fields"]] = True
    converged = np.ones(graph.n_nodes, np.bool_)
    converged[document.get("not_converged", [])] = False
    return FittedModel(
        distribution,
        graph,
        errors,
        infinite_couplings,
        infinite_fields,
        method=str(document["method"]),
        prior=document["prior"],
        n_samples=int(document["samples"]),
        llf=_number(document.get("log_likelihood")),
        total_weight=_number(document.get("total_weight")),
        covariates=tuple(
            _covariate(own, graph.variables) for own in document.get("covariates", ())
        ),
        converged=converged,
    )


def _covariate(own: dict[str, Any], variables: Variables) -> Covariate:
    numbers = [np.array(own[name], np.float64) for name in ("effects", "errors")]
    n_columns = sum(max(2, len(levels)) for levels in variables.levels or ())
    if any(part.shape != (n_columns,) or not np.isfinite(part).all() for part in numbers):
        raise InputError("model-invalid", "", "a covariate lacks the effects on some levels.")
    return Covariate(str(own["name"]), float(own["mean"]), float(own["sd"]), *numbers)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
