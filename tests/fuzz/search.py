"""Let atheris search for input that breaks a reader: `python tests/fuzz/search.py csv`.

The first byte chooses how data are read, the others are the file. For "encode" they are drawn from
to make tables of all kinds of values. "written" are the files that markhood writes itself: graphs,
models and tiles of checkpoints; another byte chooses which. "all" are all readers in turn. Arguments that follow are libFuzzer's; `make fuzz` gives the
seconds. What is found is written to a file crash-*, which the same command takes as an argument.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import atheris

import markhood.kernels._native

# atheris sees nothing of what an editable install's own finder imports; the compiled module needs
# it.
sys.meta_path[:] = [
    finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__
]
sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

with atheris.instrument_imports(include=["markhood.data", "markhood.output", "markhood.execution"]):
    import markhood.data.coding.encode
    import markhood.data.formats.files
    import markhood.execution.tile_codec
    import markhood.output.graphs.files
    import markhood.output.model_files

import numpy as np
from harness import encode_anything, read_anything, valid_files, written_files

from markhood.errors import InputError

POLICIES = ("error", "drop", "level", "impute")
CODES = ((), (0,), ("x", -9, "?"), ("", float("inf")))
WEIGHTS = (None, None, "similarity", "a", "x0")
DTYPES = ("i1", "u8", "f4", "f8", "U2", "S2", "M8[D]", "O")


def options_of(choice: int) -> dict[str, Any]:
    return {
        "missing": POLICIES[choice % 4],
        "missing_values": CODES[choice // 4 % 4],
        "max_levels": (64, 2)[choice // 16 % 2],
        "weights": WEIGHTS[choice // 32 % 5],
    }


def reader_of(ending: str, folder: Path) -> Any:
    def read(content: bytes) -> None:
        if content:
            read_anything(content[1:], folder / f"t{ending}", **options_of(content[0]))

    return read


def encode_table(content: bytes) -> None:
    draw = atheris.FuzzedDataProvider(content)
    options = options_of(draw.ConsumeInt(1))
    shape = draw.ConsumeIntInRange(0, 70), draw.ConsumeIntInRange(0, 5)
    dtype = np.dtype(DTYPES[draw.ConsumeIntInRange(0, len(DTYPES) - 1)])
    if dtype.kind == "O":
        kinds = [
            lambda: draw.ConsumeIntInRange(-2, 2),
            lambda: draw.ConsumeFloat(),
            lambda: draw.ConsumeUnicode(2),
            lambda: None,
            lambda: draw.ConsumeBytes(2),
        ]
        table = [
            [kinds[draw.ConsumeIntInRange(0, 4)]() for _ in range(shape[1])]
            for _ in range(shape[0])
        ]
        encode_anything(table, **options)
        return
    size = shape[0] * shape[1] * dtype.itemsize
    values = draw.ConsumeBytes(size).ljust(size, b"\0")
    if dtype.kind == "U" and np.frombuffer(values, np.uint32).max(initial=0) > sys.maxunicode:
        return
    try:
        array = np.frombuffer(values, dtype).reshape(shape)
        array.tolist()
    except (ValueError, SystemError):
        return  # text that is none: NumPy itself cannot look at it
    encode_anything(array, **options)


WRITTEN = (
    "graph.json",
    "graph.csv",
    "graph.graphml",
    "graph.gexf",
    "graph.npz",
    "model.json",
    "tile",
)


def read_written(content: bytes, folder: Path) -> None:
    """Read a file as if markhood had written it; nothing but our own errors may come of it."""
    if not content:
        return
    name = WRITTEN[content[0] % len(WRITTEN)]
    try:
        if name == "tile":
            markhood.execution.tile_codec.decode_result(content[1:], ())
            return
        (folder / name).write_bytes(content[1:])
        if name == "model.json":
            markhood.output.model_files.read_model(folder / name)
        else:
            markhood.output.graphs.files.read_graph(folder / name)
    except (InputError, markhood.execution.tile_codec.DamagedError):
        pass


def target_of(name: str, folder: Path) -> tuple[Any, list[bytes]]:
    """Return the function to search, and inputs to begin with."""
    if name == "encode":
        return encode_table, []
    if name == "written":
        begun = [
            bytes([k]) + c for k, n in enumerate(WRITTEN) for c in written_files(folder).get(n, [])
        ]
        return (lambda content: read_written(content, folder)), begun
    begun = [bytes([choice]) + c for c in valid_files()[f".{name}"] for choice in (0, 2, 34)]
    return reader_of(f".{name}", folder), begun


def main() -> None:
    target, *arguments = sys.argv[1:]
    folder = Path(tempfile.mkdtemp(prefix="markhood-fuzz-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    names = [target]
    if target == "all":
        names = ["encode", "written", *(ending[1:] for ending in valid_files())]
    targets = [target_of(name, folder) for name in names]
    for k, (_, begun) in enumerate(targets):
        for j, content in enumerate(begun):
            first = bytes([k]) if target == "all" else b""
            (corpus / f"{k}-{j}").write_bytes(first + content)

    def test(content: bytes) -> None:
        if target != "all":
            targets[0][0](content)
        elif content:
            targets[content[0] % len(targets)][0](content[1:])

    atheris.Setup([sys.argv[0], *arguments, str(corpus)], test)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
