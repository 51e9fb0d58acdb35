"""Valid files of every kind that markhood reads, and ways to damage them, hashes and all.

A file is a name and its bytes; a folder's files have names with a slash. The valid ones are made
once, by markhood itself, so that they stay what it writes.
"""

from __future__ import annotations

import copy
import gzip
import hashlib
import io
import json
import struct
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import numpy as np

from markhood.learning.run import Run

Files = dict[str, bytes]

HOSTILE_NAMES = ["\x1b[2J\x1b]0;x\x07", "[/red][bold]", "=1+1", "@a", "<script>", "\u202eabc",
                 "a,b", ' "', "\x00", "x" * 5000, "é\u0301", ":cow:", "'", "\\", "%s{}", "-1",
                 "🦔"]  # fmt: skip


CODEBOOK = b"""column,role,kind,levels,missing,text,group,why
a,node,nominal,0|1,0,Do you?,x,two values
b,covariate,ordinal,0|1|2,0,How much?,x,
c,skip,,,0,,,
d,weight,count,,0,,,
"""


def tree(folder: Path) -> Files:
    """Return all files below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def valid() -> dict[str, Files]:
    """Return valid inputs by kind; the first file is the one to name on the command line."""
    import markhood
    from fuzz.harness import FASTA, VCF, valid_files
    from markhood.execution.runner import Runner
    from markhood.paper.experiment import Sampling, choose_cells, run
    from markhood.paper.experiments import Cost

    rng = np.random.default_rng(0)
    values = rng.integers(0, [2, 3, 2, 4, 2], size=(80, 5))
    values[:, 2] = values[:, 0]
    names = ["a", "b", "c", "d", "e"]
    lines = [",".join(names), *(",".join(map(str, row)) for row in values)]
    found: dict[str, Files] = {"csv": {"data.csv": "\n".join(lines).encode() + b"\n"}}
    found["text"] = {"text.csv": b"a,b,c\n" + b"yes,1,x\nno,0,y\nno,1,z\nyes,0,x\n" * 12}
    for ending, contents in valid_files().items():
        for k, content in enumerate(contents):
            found[f"{ending[1:]}{k}"] = {f"data{k}{ending}": content}
    found["vcf.gz"] = {"data.vcf.gz": gzip.compress(VCF, mtime=0)}
    found["fasta.gz"] = {"data.fasta.gz": gzip.compress(FASTA, mtime=0)}
    bim = "".join(f"1\ts{k}\t0\t{k}\tA\tC\n" for k in range(3)).encode()
    fam = "".join(f"f{k} i{k} 0 0 0 -9\n" for k in range(4)).encode()
    found["bed"] = {"data.bed": b"\x6c\x1b\x01" + bytes([0b11001011, 0, 0b00111000]),
                    "data.bim": bim, "data.fam": fam}  # fmt: skip
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        home = Path(place)
        for kind, weights in (("packed", None), ("packed-weighted", rng.integers(1, 4, 80))):
            samples = markhood.encode(values, weights=weights)
            markhood.pack(samples, home / kind)
            found[kind] = {f"{kind}/{name}": content for name, content in tree(home / kind).items()}
        (home / "data.csv").write_bytes(found["csv"]["data.csv"])
        graph = markhood.learn(home / "data.csv", run=Run(checkpoint=home / "saved"))
        with suppress(markhood.InputError):
            markhood.bootstrap(home / "data.csv", replicates=2, run=Run(checkpoint=home / "again"))
        for kind, folder in (("checkpoint", "saved"), ("checkpoint-bootstrap", "again")):
            tiles = tree(home / folder)
            found[kind] = {f"saved/{name}": content for name, content in tiles.items()}
        for kind, columns in (("model", slice(None)), ("model-binary", [0, 2, 4])):
            (home / "few.csv").write_text(
                "\n".join(",".join(np.array(line.split(","))[columns]) for line in lines)
            )
            few = markhood.Graph(np.array(names)[columns], [(0, 1), (1, 2)])
            markhood.write_model(markhood.fit_model(few, home / "few.csv"), home / "model.json")
            found[kind] = {"model.json": (home / "model.json").read_bytes()}
        found |= sheets_and_others(home)
        (home / "graphs").mkdir()
        for ending in ("csv", "json", "graphml", "gexf", "npz"):
            markhood.write_graph(graph, home / "graphs" / f"graph.{ending}")
        written = tree(home / "graphs")
        for ending in ("json", "graphml", "gexf", "npz"):
            found[f"graph-{ending}"] = {f"graph.{ending}": written[f"graph.{ending}"]}
        found["graph-csv"] = {name: written[name] for name in ("graph.csv", "graph.csv.json")}
        cells = choose_cells(Cost(), ["hub"], [64], [])
        run(Cost(), cells, 1, home / "paper" / "cost.csv", Runner(1), Sampling(50, 1))
        found["paper"] = {"paper/cost.csv": (home / "paper" / "cost.csv").read_bytes()}
    found["codebook"] = {"codebook.csv": CODEBOOK}
    found["weights"] = {"weights.txt": b"1\n2\n" * 40}
    found["edges"] = {"edges.csv": b"a,b\nc,d\n"}
    found["priors"] = {"priors.csv": b"a,b,0.3\nc,d,0.9\n"}
    found["groups"] = {"groups.csv": b"a,x\nb,x\nc,y\nd,y\ne,y\n"}
    found["positions"] = {"positions.csv": b"a,1,5\nb,1,70\nc,2,3\nd,2,9\ne,X,4\n"}
    return found


def sheets_and_others(home: Path) -> dict[str, Files]:
    """Return files of other programs: spreadsheets, statistics packages, R and BIOM."""
    import pandas as pd
    import pyreadstat
    import rdata

    frame = pd.DataFrame({"a": [0, 1, 1, 0] * 9, "b": ["x", "y", "z"] * 12, "c": [1.5, 2.0] * 18})
    frame.to_excel(home / "data.xlsx", index=False)
    frame.to_excel(home / "data.ods", index=False, engine="odf")
    pyreadstat.write_sav(frame, home / "data.sav", variable_value_labels={"a": {0: "n", 1: "y"}})
    frame.to_stata(home / "data.dta", write_index=False)
    rdata.write_rds(home / "data.rds", frame.assign(b=frame["b"].astype("category")))
    rows = [{"id": f"o{k}"} for k in range(4)]
    cells = [[i, j, i + j] for i in range(4) for j in range(12) if (i + j) % 3]
    biom = {"id": None, "format": "1.0.0", "type": "OTU table", "matrix_type": "sparse",
            "matrix_element_type": "int", "shape": [4, 12], "rows": rows,
            "columns": [{"id": f"s{k}"} for k in range(12)], "data": cells}  # fmt: skip
    (home / "data.biom").write_text(json.dumps(biom))
    endings = ("xlsx", "ods", "sav", "dta", "rds", "biom")
    return {e: {f"data.{e}": (home / f"data.{e}").read_bytes()} for e in endings}


def edited(content: bytes, rng: Random) -> bytes:
    """Return bytes with some changed, left out, put in, doubled, or all after some cut off."""
    for _ in range(rng.choice([1, 1, 2, 4])):
        at, size = rng.randrange(len(content) + 1), rng.choice([1, 1, 2, 8, 64])
        new = rng.choice([rng.randbytes(size), bytes(size), b"\xff" * size, b"9" * size, b"-1",
                          b"nan", b"1e999", b"\n", b",", b'"', b"[" * 500,
                          struct.pack("<q", -1)])  # fmt: skip
        content = rng.choice([
            content[:at] + new + content[at + len(new) :],
            content[:at] + content[at + size :],
            content[:at] + new + content[at:],
            content[:at],
            content[:at] + content[max(0, at - 100) :],
        ])  # fmt: skip
    return content


def with_hostile_name(content: bytes, rng: Random) -> bytes:
    """Return text in which a word is a name that nobody expects."""
    text = content.decode("utf-8", "replace")
    name = rng.choice(HOSTILE_NAMES)
    word = rng.choice(["a", "yes", "x", '"a"', '"nodes"', "source", "graph", "1"])
    new = json.dumps(name) if word.startswith('"') else name
    return text.replace(word, new, rng.choice([1, 100])).encode("utf-8", "replace")


def with_other_values(value: Any, rng: Random) -> Any:
    """Return JSON in which something, somewhere, is something else."""
    if rng.random() < 0.2 or not isinstance(value, (dict, list)) or not value:
        return rng.choice([None, True, -1, 0, 10**30, 1.5, float("nan"), "", "x", [], {}, [[]],
                           [value],
                           "\x1b[31m", [0] * 100])  # fmt: skip
    if isinstance(value, list):
        at = rng.randrange(len(value))
        return [*value[:at], with_other_values(value[at], rng), *value[at + 1 :]]
    key = rng.choice(list(value))
    if rng.random() < 0.2:
        return {k: v for k, v in value.items() if k != key}
    return {**value, key: with_other_values(value[key], rng)}


def with_other_numbers(content: bytes, rng: Random) -> bytes:
    """Return an NPY file whose array has other bits, numbers, type or shape."""
    array = np.load(io.BytesIO(content)).copy()
    flat = array.reshape(-1)
    if flat.size and rng.random() < 0.8:
        for _ in range(rng.choice([1, 3, 50])):
            at = rng.randrange(flat.size)
            flat.view(np.uint8).reshape(flat.size, -1)[at, rng.randrange(flat.itemsize)] ^= (
                np.uint8(1 << rng.randrange(8))
            )
    else:
        changes: list[Callable[[Any], Any]] = [
            lambda a: a[:0], lambda a: a[..., :-1], lambda a: a.astype(np.float64), lambda a: a.T,
            lambda a: a.view(np.int8), lambda a: a[None], lambda a: -a.view(np.int8),
            lambda a: np.concatenate([a, a]), lambda a: np.full(a.shape, 2**62),
        ]  # fmt: skip
        try:
            array = rng.choice(changes)(array)
        except (IndexError, TypeError, ValueError):  # texts, or a single number
            array = array[None]
    held = io.BytesIO()
    np.save(held, array)
    return held.getvalue()


def rezipped(content: bytes, rng: Random) -> bytes:
    """Return an archive of which a member is damaged and has the sizes and the CRC of what it is."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    old = members.pop(name)
    if name.endswith(".npy") and rng.random() < 0.7:
        members[name] = with_other_numbers(old, rng)
    elif name.endswith((".xml", ".rels")) and rng.random() < 0.8:
        members[name] = with_other_elements(old, rng)
    elif rng.random() < 0.9:
        members[rng.choice([name, name, name, "../x", "x" * 300])] = edited(old, rng)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as new:
        for name, member in members.items():
            new.writestr(name, member)
    return held.getvalue()


def with_other_elements(content: bytes, rng: Random) -> bytes:
    """Return XML in which an element is gone, doubled or nested, or an attribute or text is another."""
    root = ElementTree.fromstring(content)
    for _ in range(rng.choice([1, 1, 3])):
        element = rng.choice(list(root.iter()))
        value = rng.choice(["", "x", "-1", "99999999999", "nan", "1e999", "true", "A1:XFD1048576",
                            "XFD1048576", "0", *HOSTILE_NAMES[1:8]])  # fmt: skip
        if element.attrib and rng.random() < 0.5:
            element.set(rng.choice(list(element.attrib)), value)
        elif len(element) and rng.random() < 0.5:
            element.remove(rng.choice(list(element)))
        elif rng.random() < 0.5:
            element.append(copy.deepcopy(rng.choice([e for e in root.iter() if len(e) < 5])))
        else:
            element.text = value
    return ElementTree.tostring(root)


def resealed(files: Files, rng: Random) -> Files:
    """Return a packed folder that is damaged and whose hashes fit."""
    files = dict(files)
    folder = next(iter(files)).partition("/")[0]
    about = json.loads(files[f"{folder}/about.json"])
    name = rng.choice([*about["files"], "about"])
    if name == "about":
        changed = {k: v for k, v in about.items() if k != "files"}
        other = with_other_values(changed, rng)
        if not isinstance(other, dict):
            return {**files, f"{folder}/about.json": json.dumps(other).encode()}
        about = {**other, "files": about["files"]}
    elif name.endswith(".json"):
        content = json.loads(files[f"{folder}/{name}"])
        files[f"{folder}/{name}"] = json.dumps(with_other_values(content, rng)).encode()
    else:
        files[f"{folder}/{name}"] = with_other_numbers(files[f"{folder}/{name}"], rng)
    for name in about["files"]:
        content = files[f"{folder}/{name}"]
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        about["files"][name] = {"bytes": len(content), "blake2b": digest}
    return {**files, f"{folder}/about.json": json.dumps(about).encode()}


def resealed_tiles(content: bytes, rng: Random) -> bytes:
    """Return a file of tiles of which a record is damaged and has a hash that fits."""
    head = struct.Struct("<Q16s")
    records, at = [], 0
    while at < len(content):
        length, _ = head.unpack_from(content, at)
        records.append(content[at + head.size : at + head.size + length])
        at += head.size + length
    which = rng.randrange(len(records))
    record = records[which]
    if which and rng.random() < 0.7:
        (length,) = struct.unpack_from("<Q", record)
        text, arrays = record[8 : 8 + length], record[8 + length :]
        if rng.random() < 0.5 and arrays:
            arrays = edited(arrays, rng)[: len(arrays)].ljust(len(arrays), b"\0")
        else:
            text = json.dumps(with_other_values(json.loads(text), rng)).encode()
        record = struct.pack("<Q", len(text)) + text + arrays
    else:
        record = edited(record, rng)
    records[which] = record
    sealed = [head.pack(len(r), hashlib.blake2b(r, digest_size=16).digest()) + r for r in records]
    return b"".join(sealed)


def damaged(kind: str, files: Files, rng: Random) -> Files:
    """Return files of a kind with something wrong in them."""
    if kind.startswith("packed") and rng.random() < 0.7:
        return resealed(files, rng)
    name = rng.choice(list(files))
    content = files[name]
    if rng.random() < 0.05:
        return {k: v for k, v in files.items() if k != name} or {name: b""}
    if name.endswith(".tiles") and rng.random() < 0.7:
        return {**files, name: resealed_tiles(content, rng)}
    if name.endswith((".json", ".biom")) and rng.random() < 0.6:
        return {**files, name: json.dumps(with_other_values(json.loads(content), rng)).encode()}
    if name.endswith((".npz", ".xlsx", ".ods")) and rng.random() < 0.7:
        return {**files, name: rezipped(content, rng)}
    if name.endswith((".graphml", ".gexf")) and rng.random() < 0.5:
        return {**files, name: with_other_elements(content, rng)}
    if name.endswith((".csv", ".json", ".txt", ".graphml", ".gexf", ".fasta", ".vcf", ".bim")) and (
        rng.random() < 0.4
    ):
        return {**files, name: with_hostile_name(content, rng)}
    return {**files, name: edited(content, rng)}
