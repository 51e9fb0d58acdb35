"""Let atheris search for input that breaks a reader: `python tests/fuzz/search.py csv`.

The first byte chooses how data are read, the others are the file. For "encode" they are drawn from
to make tables of all kinds of values. Arguments that follow are libFuzzer's; `make fuzz` gives the
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

with atheris.instrument_imports(include=["markhood.data"]):
    import markhood.data.coding.encode
    import markhood.data.formats.files  # noqa: F401

import numpy as np
from harness import encode_anything, read_anything, valid_files

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
    try:
        array = np.frombuffer(values, dtype).reshape(shape)
        array.tolist()
    except (ValueError, SystemError):
        return  # text that is none: NumPy itself cannot look at it
    encode_anything(array, **options)


def main() -> None:
    target, *arguments = sys.argv[1:]
    folder = Path(tempfile.mkdtemp(prefix="markhood-fuzz-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    for k, content in enumerate(valid_files().get(f".{target}", [])):
        for choice in (0, 2, 34):
            (corpus / f"{k}-{choice}").write_bytes(bytes([choice]) + content)
    test = encode_table if target == "encode" else reader_of(f".{target}", folder)
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], test)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
