from __future__ import annotations

import datetime
import sys
import zipfile

import pandas as pd
import pytest

from markhood.data.formats.files import read_samples
from markhood.data.reading import TableFormat
from messages import refuses, warns

FRAME = pd.DataFrame(
    {"smokes": ["yes", "no", "yes", "no"], "age": [1, 2, 3, 1], "share": [0.5, 1, 0.5, 1]}
)


@pytest.mark.parametrize(("ending", "engine"), [("xlsx", "openpyxl"), ("ods", "odf")])
def test_example_a_sheet(tmp_path, ending, engine, decode):
    path = tmp_path / f"t.{ending}"
    FRAME.to_excel(path, index=False, engine=engine)
    samples = read_samples(path)
    assert samples.names == ("smokes", "age", "share")
    assert samples.levels == (("no", "yes"), (1, 2, 3), (0.5, 1))
    assert decode(samples) == [tuple(row) for row in FRAME.to_numpy().tolist()]


def test_example_an_index_missing_cells_and_a_second_sheet(tmp_path):
    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path) as book:
        FRAME.mask(FRAME == 3).to_excel(book, sheet_name="data")
        FRAME.to_excel(book, sheet_name="more")
    with warns("file-part", "index-column", where="t.xlsx", facts=("'data'", "'more'")):
        samples = read_samples(path, missing="level")
    assert samples.levels[1] == (1, 2, None)


def test_example_transposed(tmp_path, decode):
    FRAME.T.to_excel(tmp_path / "t.xlsx")
    with warns("index-column", where="t.xlsx"):
        samples = read_samples(tmp_path / "t.xlsx", table=TableFormat(transpose=True))
    assert samples.names == ("smokes", "age", "share")
    assert decode(samples) == [tuple(row) for row in FRAME.to_numpy().tolist()]


def test_example_dates_and_truth_values(tmp_path):
    days = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)] * 2
    pd.DataFrame({"day": days, "ok": [True, False] * 2}).to_excel(tmp_path / "t.xlsx", index=False)
    assert read_samples(tmp_path / "t.xlsx").levels == (
        ("2024-01-01", "2024-01-02"),
        ("FALSE", "TRUE"),
    )


@pytest.mark.parametrize("ending", ["xlsx", "ods", "xls", "xlsb"])
def test_example_damaged_sheets(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    FRAME.to_excel(tmp_path / "t.xlsx", index=False)
    path.write_bytes((tmp_path / "t.xlsx").read_bytes()[:2000])
    with refuses("file-damaged"):
        read_samples(path)
    pd.DataFrame().to_excel(tmp_path / "empty.xlsx", index=False)
    with refuses("too-few-rows", "empty.xlsx"):
        read_samples(tmp_path / "empty.xlsx")


def rewritten(path, member, change):
    """Change one file in an archive."""
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    held[member] = change(held[member])
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in held.items():
            archive.writestr(name, content)


@pytest.mark.parametrize("cell", ["XFD1048576", "BBB60000", "ZZZZZZ4294967295"])
def test_example_a_cell_far_from_the_others(tmp_path, cell):
    path = tmp_path / "t.xlsx"
    FRAME.to_excel(path, index=False)
    rewritten(
        path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b'"C5"', f'"{cell}"'.encode())
    )
    with refuses("file-damaged", "t.xlsx", "a cell far"):
        read_samples(path)


def test_example_repeated_rows_and_columns(tmp_path):
    path = tmp_path / "t.ods"
    FRAME.to_excel(path, index=False, engine="odf")
    times = b'table:number-columns-repeated="16000" '
    rows = b'<table:table-row table:number-rows-repeated="1000000">'
    rewritten(
        path,
        "content.xml",
        lambda xml: xml.replace(b"<table:table-row>", rows).replace(
            b"<table:table-cell ", b"<table:table-cell " + times
        ),
    )
    with refuses("file-damaged", "t.ods"):
        read_samples(path)


def test_example_without_the_library(tmp_path, monkeypatch):
    (tmp_path / "t.ods").write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with refuses("library-missing", "python-calamine", "pip install 'markhood[sheets]'"):
        read_samples(tmp_path / "t.ods")
