"""What may come out of a reader, whatever goes in: samples, or one sentence of ours."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from markhood.data.coding.encode import encode_table
from markhood.data.formats.files import read_file
from markhood.data.reading import Reading
from markhood.data.samples import Samples, words_per_row
from markhood.errors import DataWarning, InputError

VCF = (
    b'##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="G">\n'
    b"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n"
    b"1\t5\t.\tA\tC\t.\t.\t.\tGT\t0|1\t1|0\t0|0\t1|1\n1\t9\t.\tA\tC,T\t.\t.\t.\tGT\t0|2\t1|0\t0|0\t1|1\n"
    b"1\t9\trs1\tA\t*\t.\t.\t.\tGT\t0|1\t.|0\t1|0\t1|1\n2\t7\t.\tAC\tA\t.\t.\t.\tGT\t0|1\t1\t0|0\t0|1\n"
)
STOCKHOLM = (
    b"# STOCKHOLM 1.0\na ACGUACGA\nb ACGUUCGA\nc UCGUACCA\nd UCGUUCCA\n#=GC SS_cons <<....>>\n//\n"
)
FASTA = b">a\nACGTACGA\n>b\nACGTTCGA\n>c\nTCGTACCA\n>d\nTCGTTCCA\n>e\nTCGAACCA\n"
TABLE = np.array([[0, 1, 7], [1, 2, 8], [1, 0, 7], [0, 2, 8]] * 20)


def read_anything(content: bytes, path: Path, **options: Any) -> str:
    """Read a file with this content; return "samples", or the code of the error."""
    path.write_bytes(content)
    return _outcome(lambda: read_file(path, Reading(**options)))


def encode_anything(data: Any, **options: Any) -> str:
    """Encode data of any kind; return "samples", or the code of the error."""
    return _outcome(lambda: encode_table(data, Reading(**options)))


def _outcome(make: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataWarning)
        try:
            samples = make()
        except InputError as error:
            text, code = str(error), error.code
            assert text, "an error has a text"
            assert "\n" not in text, f"a text has one line: {text!r}"
            return code
    check_samples(samples)
    return "samples"


def check_samples(samples: Samples) -> None:
    """Check what every user of samples relies on."""
    n, words = samples.n_samples, samples.words
    assert words.shape == (samples.starts[-1], words_per_row(n))
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    assert not bits[:, n:].any(), "padding is zero"
    for j, levels in enumerate(samples.levels):
        own = bits[samples.starts[j] : samples.starts[j + 1], :n]
        mask = samples.missing.get(j, np.zeros(words.shape[1], np.uint64))
        absent = np.unpackbits(mask.view(np.uint8), count=n, bitorder="little")
        total = own.sum(axis=0) + absent
        assert total.max(initial=0) <= 1, "a sample has one level"
        if len(levels) > 1:
            assert own.any(axis=1).all(), "all levels occur"
            assert (total == 0).any(), "so does the first"
    if samples.weights is not None:
        assert samples.weights.counts.min() > 0
        assert len(samples.weights.counts) == n
    assert samples.fingerprint


def valid_files() -> dict[str, list[bytes]]:
    """Return files that can be read, by their ending: what malformed ones are made from."""
    frame = pl.DataFrame({"a": TABLE[:, 0], "b": ["x", "y", None, "z"] * 20, "c": TABLE[:, 2] / 2})
    columns = {f"x{j}": TABLE[:, j] for j in range(3)}
    found: dict[str, list[bytes]] = {
        ".csv": [
            b"a,b,c\n0,yes,1.5\n1,no,2\n0,?,2\n",
            b'"a b";"c"\r\n"x;y";1\r\n"say ""hi""";-9\r\n',
            b"\xef\xbb\xbf0\t1\n1\t0\n\n1\t1\n",
        ],
        ".fasta": [FASTA],
        ".a3m": [FASTA.replace(b"CGT", b"CgGT")],
        ".sto": [STOCKHOLM],
        ".vcf": [VCF],
    }
    for ending, write in ((".parquet", frame.write_parquet), (".arrow", frame.write_ipc)):
        held = io.BytesIO()
        write(held)
        found[ending] = [held.getvalue()]
    stream = io.BytesIO()
    pl.DataFrame(columns).write_ipc_stream(stream)
    found[".arrow"].append(stream.getvalue())
    for ending, save in ((".npy", np.save), (".npz", np.savez), (".npz", np.savez_compressed)):
        for table in (TABLE.astype(np.int8), np.asfortranarray(TABLE / 2), TABLE.astype("U3")):
            held = io.BytesIO()
            save(held, table)  # type: ignore[operator]
            found.setdefault(ending, []).append(held.getvalue())
    return found


def written_files(folder: Path) -> dict[str, list[bytes]]:
    """Return files that markhood writes itself, by name: graphs, models and a tile."""
    import markhood
    from markhood.execution.tile_codec import encode_result

    graph = markhood.Graph(["a", "b", "c"], [(0, 1), (1, 2)])
    model = markhood.fit_model(graph, TABLE)
    markhood.write_model(model, folder / "model.json")
    names = [f"graph.{ending}" for ending in ("json", "csv", "graphml", "gexf", "npz")]
    for name in names:
        markhood.write_graph(model.graph, folder / name)
    found = {name: [(folder / name).read_bytes()] for name in (*names, "model.json")}
    return {**found, "tile": [encode_result({"a": np.arange(3), "b": [1.5, None, "x"]}, ())]}
