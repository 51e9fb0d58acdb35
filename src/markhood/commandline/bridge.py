"""Run one call for another language: a request in JSON, an answer in JSON.

The R package in ``r/`` uses this, in its own process or as a command:

    python -m markhood.commandline.bridge request.json answer.json

A request names a function of markhood, its data and its options; the options are passed on by name,
so that they are declared and checked in Python only. Options of the groups ``table``, ``genome``,
``knowledge`` and ``run`` are passed flat. An answer has the warnings, and either the error or a
value: the network as lists (``nodes``, ``edges``, ``layout``), texts for printing, and the
``document`` from which later calls restore the graph or model. Infinite and unknown numbers are
the texts "Inf", "-Inf" and "NaN".
"""

from __future__ import annotations

import inspect
import json
import math
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import markhood
from markhood.commandline.summary import summary_text
from markhood.data.reading import Reading
from markhood.data.variables import level_text
from markhood.errors import (
    ConvergenceWarning,
    DataWarning,
    InputError,
    counted,
    in_r,
    option,
    written_by,
)
from markhood.graph.edge_table import edge_columns, has_sign
from markhood.learning.methods import METHODS
from markhood.learning.request import GROUPS
from markhood.learning.run import Execution
from markhood.model.fitted.rows import parameter_rows
from markhood.options import Options
from markhood.output.graphs import node_link
from markhood.output.model_files import is_model
from markhood.output.pictures.layout import positions

Value = dict[str, Any]
_KINDS: list[type[Options]] = [Reading, Execution, *GROUPS.values(), *METHODS.values()]
DECLARED = {name for kind in _KINDS for name in kind.names()}  # of a request, with any method


def run(request: str) -> str:
    """Run a request, and return the answer.

    Examples
    --------
    >>> json.loads(run('{"call": "plan", "options": {"gama": 0.9}}'))["error"]
    "Method 'plrhc' has no option gama = 0.9: did you mean gamma?"
    """
    asked = json.loads(request, parse_float=_number)
    answer: Value = {}
    with warnings.catch_warnings(record=True) as caught, written_by(in_r):
        warnings.simplefilter("ignore")
        for kind in (DataWarning, ConvergenceWarning):
            warnings.simplefilter("always", kind)
        try:
            answer["value"] = CALLS[asked.pop("call")](**asked)
        except InputError as error:
            answer["error"] = str(error)
        except MemoryError:
            answer["error"] = "There is not enough memory: use fewer columns or rows."
    answer["warnings"] = list(dict.fromkeys(str(one.message) for one in caught))
    return json.dumps(_plain(answer), allow_nan=False)


def _estimate(data: Any, options: Value) -> Value:
    graph = markhood.learn(_source(data), **_arguments(markhood.learn, options))
    found = _network(graph) | {
        "summary": summary_text(graph),
        "methods": graph.describe_methods(),
    }
    if not all(map(math.isfinite, graph.coupling)):
        shared = {name: options[name] for name in ("weights", "clusters") if name in options}
        model = markhood.fit_model(graph, _source(data), **shared)
        found["finite"] = model.graph.coupling.tolist()
    return found


def _bootstrap(data: Any, options: Value) -> Value:
    found = markhood.bootstrap(_source(data), **_arguments(markhood.bootstrap, options))
    return {
        **_network(found.graph),
        "edges": _columns(found.edges()),
        "centrality": _columns(found.centrality()),
        **({"stability": _columns(found.stability())} if found.resample == "cases" else {}),
        "text": repr(found)[1:-1],
    }


def _compare_groups(data: Any, options: Value) -> Value:
    tables = _source(data)
    found = markhood.compare_groups(tables, **_arguments(markhood.compare_groups, options))
    return {
        "nodes": list(found.graphs[0].nodes),
        "edges": _columns(found.edge_rows()),
        **_layout(found.graphs[0]),
        "networks": {n: _network(g) for n, g in zip(found.names, found.graphs, strict=True)},
        "tests": _columns(found.pair_rows()),
        "fields": _columns(found.field_rows()),
        "centrality": _columns(found.centrality_rows()),
        "text": repr(found)[1:-1],
    }


def _fit_model(graph: Any, data: Any, options: Value) -> Value:
    model = markhood.fit_model(
        _source(graph), _source(data), **_arguments(markhood.fit_model, options)
    )
    with TemporaryDirectory() as folder:
        file = Path(folder, "model.json")
        markhood.write_model(model, file)
        document = file.read_text()
    return {
        **_network(model.graph),
        "parameters": _columns(parameter_rows(model)),
        "text": repr(model)[1:-1],
        "summary": str(model.summary()),
        "document": document,
    }


def _predict(model: Any, data: Any, options: Value) -> Value:
    fitted = _source(model)
    targets = _listed(options.pop("target"))
    found = fitted.predict_proba(
        _source(data), targets, **_arguments(fitted.predict_proba, options)
    )
    answer: Value = {}
    for name, probabilities in zip(targets, found, strict=True):
        number = fitted.graph.number(name)
        levels = fitted.levels[number]
        answer[name] = {
            "probabilities": dict(
                zip(map(level_text, levels), probabilities.T.tolist(), strict=True)
            ),
            "levels": [
                one if isinstance(one, (bool, int, float, str)) else level_text(one)
                for one in levels
            ],
            "ordered": fitted.variables.is_ordered[number],
        }
    return answer


def _plan(options: Value, source: Any = None) -> Value:
    expected = None if source is None else _source(source)
    found = markhood.plan(expected, **_arguments(markhood.plan, options))
    names = ("measure", "target", "power", "n_samples", "low", "high")
    return {
        **{name: getattr(found, name) for name in names},
        "sizes": _columns(found.rows()),
        "text": found.paragraph(),
    }


def _about() -> Value:
    return {"version": markhood.__version__, "python": sys.executable}


CALLS: Mapping[str, Callable[..., Value]] = {
    "estimate": _estimate,
    "bootstrap": _bootstrap,
    "compare_groups": _compare_groups,
    "fit_model": _fit_model,
    "predict": _predict,
    "plan": _plan,
    "about": _about,
}


def _source(given: Any) -> Any:
    """Return a path, tables by group, or the graph or model of a document."""
    if isinstance(given, str):
        return given
    if "tables" in given:
        return given["tables"]
    content = given["document"]
    if not is_model(json.loads(content)):
        return node_link.from_bytes(content.encode())
    with TemporaryDirectory() as folder:
        file = Path(folder, "model.json")
        file.write_text(content)
        return markhood.read_model(file)


def _arguments(function: Callable[..., Any], options: Value) -> Value:
    """Return the arguments of a function, with options of groups put together.

    Unknown names are refused here if the function has no further options, or one of its own is
    similar; others are refused by the method.
    """
    parameters = inspect.signature(function).parameters
    takes_more = any(own.kind is own.VAR_KEYWORD for own in parameters.values())
    for name in options.keys() - parameters.keys() - (DECLARED if takes_more else set()):
        close = get_close_matches(name, parameters, n=1, cutoff=0.8 if takes_more else 0.6)
        if close or not takes_more:
            hint = f"did you mean {close[0]}?" if close else f"choose from {', '.join(parameters)}."
            text = f"There is no option {option(name, options[name])}: {hint}"
            raise InputError("option-unknown", name, text)
    if "missing_values" in options and options["missing_values"] != "auto":
        # A vector of one value is a number or a text in the request.
        options = options | {"missing_values": _listed(options["missing_values"])}
    if not takes_more:
        return options
    groups: Value = {}
    for group, kind in GROUPS.items():
        own = {name: options[name] for name in kind.names() if name in options}
        groups |= {group: kind(**own)} if own else {}
        options = {name: value for name, value in options.items() if name not in own}
    return options | groups


def _network(graph: markhood.Graph) -> Value:
    return {
        "nodes": list(graph.nodes),
        "kinds": dict(zip(graph.nodes, graph.variables.kinds or (), strict=False)),
        "edges": edge_columns(graph) | {"signed": has_sign(graph).tolist()},
        **_layout(graph),
        "text": f"Network: {counted(graph.n_nodes, 'variable')}, {counted(graph.n_edges, 'edge')}",
        "document": node_link.to_bytes(graph).decode(),
    }


def _layout(graph: markhood.Graph) -> Value:
    x, y = positions(graph).T.tolist()
    return {"layout": {"x": x, "y": y}}


def _columns(rows: Sequence[Value]) -> dict[str, list[Any]]:
    """Return rows as columns; cells that a row does not have are None."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


def _number(text: str) -> float:
    """Return a number; R writes whole numbers such as 100000 as 1e+05."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _plain(value: Any) -> Any:
    """Return values of JSON, with texts for infinite and unknown numbers."""
    if isinstance(value, Mapping):
        return {str(name): _plain(own) for name, own in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(own) for own in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Inf" if value > 0 else "-Inf"
    return value


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(run(Path(sys.argv[1]).read_text("utf-8")), "utf-8")
