"""Export everything that is needed to learn a graph again, on another machine.

    graph.json          the graph with its provenance
    reproduce.py        a script that learns it again, with all options written out, and compares
    requirements.txt    versions of markhood and of the libraries that compute
    request.json        the request, the fingerprint of the data and the software
    methods.txt         the methods paragraph
    README.md           how to run the script

and the data, if they are passed. They are read again before anything is written, and their
fingerprint must be that of the graph. Options that do not change the result (threads, executor,
compute backend, checkpoint) are left out.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from markhood.data.reading import Genome, TableFormat
from markhood.errors import InputError
from markhood.graph.graph import Graph
from markhood.learning.knowledge import Knowledge
from markhood.learning.learn import repeated
from markhood.learning.request import Request
from markhood.options import Options
from markhood.output.file_writing import replace_all
from markhood.output.graphs.node_link import to_bytes

WHERE = ("n_jobs", "kernels", "executor", "scheduler", "checkpoint")  # these do not change results
SCRIPT = '''"""Learn the network in graph.json again, and compare every number.

python reproduce.py [DATA]

Exit code 0: the edges are the same and all numbers agree to 1e-6. 1: they differ.
"""

import sys
from importlib.metadata import version
from pathlib import Path

import markhood
import numpy as np
{numpy}
HERE = Path(__file__).resolve().parent
DATA = {data}
FINGERPRINT = {fingerprint!r}
SOFTWARE = {software!r}
TOLERANCE = 1e-6  # other processors and libraries round differently

if len(sys.argv) > 1:
    DATA = Path(sys.argv[1])
if DATA is None:
    sys.exit("Usage: python reproduce.py DATA, with the data file that the graph was learned from.")
published = markhood.read_graph(HERE / "graph.json")
again = markhood.learn(
    DATA,
    {method!r},{options}
)

for name, used in SOFTWARE.items():
    now = sys.version.split()[0] if name == "python" else version(name)
    if now != used:
        print(f"note: {{name}} {{now}} here, {{used}} when the graph was learned")
if again.provenance["data"]["fingerprint"] != FINGERPRINT:
    print("The data differ from those of the graph (their fingerprints differ).")
before, now = published.edge_names(), again.edge_names()
if published.nodes == again.nodes and before == now:
    old, new = published.annotations, again.annotations
    numbers = [(published.evidence, again.evidence), (published.coupling, again.coupling)]
    numbers += [(old[name], new[name]) for name in old if name in new]
    gaps = [np.abs(a - b) / np.maximum(1, np.abs(a)) for a, b in numbers]
    largest = max((np.nanmax(gap, initial=0.0) for gap in gaps), default=0.0)
    are_same = all(np.allclose(a, b, TOLERANCE, TOLERANCE, equal_nan=True) for a, b in numbers)
    if are_same and old.keys() == new.keys():
        print(f"reproduced: {{len(now)}} edges; the largest relative difference is {{largest:.1e}}")
        sys.exit(0)
    print(f"not reproduced: the edges are the same, but numbers differ by up to {{largest:.1e}}")
for a, b in sorted(set(before) ^ set(now)):
    where = "in graph.json" if (a, b) in before else "here"
    print(f"not reproduced: {{a}} - {{b}} is an edge only {{where}}")
sys.exit(1)
'''
README = """# Reproduction of a network

    python -m venv environment
    environment/bin/pip install -r requirements.txt
    environment/bin/python reproduce.py{data}

`reproduce.py` learns the network in `graph.json` again, with all options written out, and compares
every edge, evidence and coupling. {about} `methods.txt` has the methods paragraph, and
`request.json` the options, versions and the fingerprint of the data as JSON.
"""


def export_reproduction(graph: Graph, folder: str | os.PathLike[str], data: Any = None) -> None:
    """Implement `Graph.export_reproduction`."""
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(
            "file-exists", str(target), f"{target} exists and is not an empty folder: name another."
        )
    request, about = repeated(graph), graph.provenance
    name, content = (None, b"") if data is None else _data_file(data)
    if name is not None:
        _require_same(request, graph, name, content)
    versions = {"markhood": about["version"], **about.get("software", {})}
    stored = {
        "version": about["version"],
        "software": about.get("software", {}),
        "fingerprint": about["data"]["fingerprint"],
        "samples": about["data"]["samples"],
        **{part: about[part] for part in request.as_json()},
    }
    pinned = "".join(f"{n}=={v}\n" for n, v in versions.items() if n != "python")
    where = (
        "The data are not part of this folder: pass the file." if name is None else
        f"The data are in `{name}`."
    )  # fmt: skip
    texts = {
        "reproduce.py": _script(request, about, name, versions),
        "requirements.txt": pinned,
        "request.json": json.dumps(stored, indent=1) + "\n",
        "methods.txt": graph.describe_methods() + "\n",
        "README.md": README.format(data=" DATA" if name is None else "", about=where),
    }
    files = {target / file: text.encode() for file, text in texts.items()}
    files[target / "graph.json"] = to_bytes(graph)
    if name is not None:
        files[target / name] = content
    try:
        target.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(
            "file-not-writable", str(target), f"Cannot make the folder {target}: {error.strerror}."
        ) from None
    replace_all(files)


def _data_file(data: Any) -> tuple[str, bytes]:
    """Return the name and the content of a file with the data."""
    if isinstance(data, (str, os.PathLike)):
        path = Path(data)
        if not path.is_file():
            raise InputError(
                "file-not-found", str(path), f"{path} is not a file: pass a data file."
            )
        return f"data{''.join(path.suffixes[-2:])}", path.read_bytes()
    if hasattr(data, "to_csv"):
        return "data.csv", data.to_csv(index=False).encode()
    if hasattr(data, "write_csv"):
        return "data.csv", data.write_csv().encode()
    if isinstance(data, np.ndarray) and not data.dtype.hasobject:
        with tempfile.TemporaryFile() as stream:
            np.save(stream, data)
            stream.seek(0)
            return "data.npy", stream.read()
    raise InputError(
        "not-supported",
        "data",
        "The data must be a file, a data frame or an array of numbers to be exported.",
    )


def _require_same(request: Request, graph: Graph, name: str, content: bytes) -> None:
    """Raise `InputError` unless the exported file gives the samples of the graph."""
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / name).write_bytes(content)
        samples = request.prepared(request.read(Path(place) / name))
    if samples.fingerprint != graph.provenance["data"]["fingerprint"]:
        raise InputError(
            "data-changed",
            "data",
            "The exported data file does not give the samples of the graph (the fingerprints "
            "differ): pass the path of the data file, and learn the graph from it.",
        )


def _script(request: Request, about: Any, name: str | None, versions: dict[str, str]) -> str:
    options = _as_code(request)
    return SCRIPT.format(
        numpy="from numpy import array\n" if "array(" in options else "",
        data="None" if name is None else f"HERE / {name!r}",
        fingerprint=about["data"]["fingerprint"],
        software=versions,
        method=request.method.name,
        options=options,
    )


def _as_code(request: Request) -> str:
    """Return the options of a request as arguments of `learn`."""
    method = {name: getattr(request.method, name) for name in request.method.names()}
    lines = [f"{name}={value!r}," for name, value in method.items() if value is not None]
    reading = request.reading.changed()
    if "codebook" in reading:
        reading["codebook"] = reading["codebook"].as_json()
    run = {n: v for n, v in request.run.changed().items() if n not in WHERE}
    groups: dict[str, tuple[type[Options], dict[str, Any]]] = {
        "table": (TableFormat, reading),
        "genome": (Genome, reading),
        "knowledge": (Knowledge, request.knowledge.changed()),
    }
    for group, (kind, values) in groups.items():
        own = {n: values.pop(n) for n in kind.names() if n in values}
        if own:
            lines.append(f"{group}=markhood.{kind.__name__}({_arguments(own)}),")
    lines += [f"{name}={value!r}," for name, value in reading.items()]
    lines.append(f"seed={request.seed},")
    run.pop("seed", None)
    if run:
        lines.append(f"run=markhood.Run({_arguments(run)}),")
    return "".join(f"\n    {line}" for line in lines)


def _arguments(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())
