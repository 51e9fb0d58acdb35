"""The fast reader of text files: the same cells as the reader that defines them, or none."""

from __future__ import annotations

import csv
import io
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markhood.data.formats import delimited, fast_cells
from markhood.data.formats.fast_cells import NotPlainError, coded_columns
from markhood.data.formats.files import read_file
from markhood.data.reading import Reading
from markhood.errors import InputError

HOSTILE = [
    "0", "1", "00", "01", "1.0", "1.", ".5", "1e3", "1000", "-0", "+1", "1e400", "inf", "-Infinity", "nan",
    "NaN", "NA", "N/A", "", " ", "  x", "x  ", "x", "X", "true", "None", "null", "999", "-9", "?",
    "2024-01-31", "12:30", "1,5", "1;5", "a\tb", 'say "hi"', '"', "'", "é", "日本", "\u00a01", "\ufeff1",
    str(2**63), str(10**30), "0x1F", "1_000", "٣", "a\nb", "a\r\nb", "#N/A", "\x1c",
]  # fmt: skip


def outcome(path, **options):
    """Return what reading a file gives: samples and findings, or the message of the error."""
    reading = Reading(**options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            samples = read_file(path, reading)
        except InputError as error:
            return error.code, error.where, str(error)
    texts = [str(one.message) for one in caught]
    masks = {j: mask.tobytes() for j, mask in samples.missing.items()}
    return samples.variables, samples.words.tobytes(), masks, samples.account, texts


def both(path, **options):
    """Return the outcomes of the fast reader and of the definition."""
    fast = outcome(path, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "coded_columns", refuse)
        return fast, outcome(path, **options)


def refuse(*_):
    raise NotPlainError


def written(path, rows, **dialect):
    handle = io.StringIO()
    csv.writer(handle, **({"lineterminator": "\n"} | dialect)).writerows(rows)
    path.write_text(handle.getvalue(), encoding="utf-8", newline="")
    return path


ROWS = st.lists(
    st.tuples(*[st.sampled_from(HOSTILE)] * 3), min_size=2, max_size=12
)  # of three columns
DIALECTS = st.sampled_from(
    [{}, {"quoting": csv.QUOTE_ALL}, {"delimiter": ";"}, {"lineterminator": "\r\n"}]
)


@pytest.mark.parametrize("block", [1 << 24, 64])
@settings(max_examples=50, deadline=None)
@given(ROWS, DIALECTS, st.booleans(), st.sampled_from(["auto", "error"]))
def test_property_hostile_cells_mean_the_same(
    tmp_path_factory, block, rows, dialect, header, missing
):
    path = tmp_path_factory.mktemp("cells") / "t.csv"
    names = [("name", "other", "third")] if header else []
    written(path, [*names, *rows * 20], **dialect)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_cells, "BLOCK_BYTES", block)
        fast, plain = both(path, missing=missing)
    assert fast == plain


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet='ab01, ;"\n\r\t', min_size=1, max_size=60))
def test_property_any_text_means_the_same(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("cells") / "t.csv"
    path.write_text("p,q\n" + text, encoding="utf-8", newline="")
    fast, plain = both(path)
    assert fast == plain


@pytest.mark.parametrize("ending", ["\n", ""])
@pytest.mark.parametrize("cells", ["01", "ab?", "0", "12 "])
def test_property_matrices_of_characters_mean_the_same(tmp_path, cells, ending):
    picked = np.random.default_rng(0).integers(0, len(cells), (500, 5))
    lines = [",".join(cells[k] for k in row) for row in picked]
    path = tmp_path / "t.csv"
    path.write_text("v,w,x,y,z\n" + "\n".join(lines) + ending)
    fast, plain = both(path)
    assert fast == plain


def columns_of(path, width, delimiter=",", n_skipped=1):
    found = list(coded_columns(path, delimiter, n_skipped, width, 64))
    return [[cell for part in found for cell in part[j]] for j in range(width)]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_example_plain_files_are_read_fast(tmp_path, quoting):
    rows = list(product(["yes", "no", "7.5"], ["a b", "é", "10"], ["0", "1", ""])) * 9
    path = written(tmp_path / "t.csv", [("a", "b", "c"), *rows], quoting=quoting)
    assert columns_of(path, 3) == [list(column) for column in zip(*rows, strict=True)]
    bits = [("01"[k % 2], "012"[k % 3]) for k in range(200)]
    path = written(tmp_path / "u.csv", [("a", "b"), *bits])
    assert columns_of(path, 2) == [list(column) for column in zip(*bits, strict=True)]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,\"x\"\"y\"\n",  # a quote within quotes
        'a,b\n1, "x,y"\n',  # a space before a quote
        'a,b\n1,"x\ny"\n',  # a line within a cell
        "a,b\n1,2\n\n3,4\n",  # a blank line
        "a,b\n1,2\r3,4\n",  # a carriage return alone
        'a,b\n1,"2"3\n',  # text after a quote
        "a,b\n1,2\n3\n",  # too few cells
        "a,b\n1,2\n\0,4\n",
    ],
)  # fmt: skip
def test_example_other_files_are_left_to_the_definition(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    with pytest.raises(NotPlainError):
        columns_of(path, 2)


def test_example_without_pyarrow_only_matrices_are_read_fast(tmp_path, monkeypatch):
    monkeypatch.setattr(fast_cells, "find_spec", lambda _: None)
    path = written(tmp_path / "t.csv", [("a", "b"), ("yes", "1"), ("no", "0")])
    with pytest.raises(NotPlainError):
        columns_of(path, 2)
