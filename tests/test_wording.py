"""Whole sentences of the most important messages: the only file that tests wording.

Every other test asserts the code, the place and the facts of a message (`messages.refuses`). Each
package adds at most five sentences here.
"""

import warnings

import pandas as pd
import pytest

import markhood
from markhood.data.formats.files import read_samples
from markhood.data.matching import numbers_like
from markhood.data.variables import Variables
from markhood.errors import InputError, on_command_line, written_by

PEOPLE = pd.DataFrame({"age": [20, 30, None, 50], "sex": ["f", "m", "f", "m"]})
MANY = pd.DataFrame({"id": [f"p{k}" for k in range(70)], "sex": ["f", "m"] * 35})
ANSWERS = pd.DataFrame({"q1": [1, 2, 3, -99] * 5, "q2": [0, 1] * 10})


def case(code, call, sentence):
    return pytest.param(code, call, sentence, id=code)


def write(path, content):
    path.write_bytes(content)
    return path


ERRORS = [
    case(
        "missing-values",
        lambda _: markhood.encode(PEOPLE, missing="error"),
        "The data have 1 missing value (NaN, null or empty) in column 'age' (1), the first at row "
        "3 of column 'age'. Fill them in, or choose missing='impute', 'drop' or 'level': impute "
        "them, leave out rows with missing values, or treat missing as a level.",
    ),
    case(
        "too-many-levels",
        lambda _: markhood.encode(MANY.to_numpy(object), ["id", *MANY.columns[1:]]),
        "1 column has more than 64 distinct values (value 65 is at row 65): 'id' (identifiers, "
        "such as 'p0' and 'p1'). Leave it out with exclude=['id'].",
    ),
    case(
        "unknown-column",
        lambda _: markhood.encode(PEOPLE, columns=["Age", "sex"]),
        "There is no column 'Age': similar names are 'age'.",
    ),
    case(
        "option-value",
        lambda _: markhood.encode(PEOPLE, missing="ignore"),
        "Unknown missing 'ignore': choose one of auto, error, drop, level, impute.",
    ),
    case(
        "too-few-rows",
        lambda _: markhood.encode(PEOPLE[:1]),
        "Found 1 sample(s) (shape=(1, 2)) while a minimum of 2 is required: pass a table with one "
        "row per sample.",
    ),
    case(
        "file-not-found",
        lambda folder: read_samples(folder / "data.csv"),
        "There is no file FOLDER/data.csv: check the path.",
    ),
    case(
        "file-damaged",
        lambda folder: read_samples(write(folder / "data.csv", b"a,b\n1,0\n0,1,1\n")),
        "Line 3 of FOLDER/data.csv has 3 fields instead of 2: use the same number in all lines.",
    ),
    case(
        "unknown-level",
        lambda _: numbers_like([["f", "x"]], Variables(("sex", "age"), (("f", "m"), (20, 30)))),
        "Column 'age' has the value 'x' at row 1, but its levels in the model are 20 and 30: pass "
        "data with the same levels.",
    ),
]

WARNINGS = [
    case(
        "rows-dropped",
        lambda _: markhood.encode(PEOPLE, missing="drop"),
        "1 of 4 rows have missing values and are dropped; 3 remain.",
    ),
    case(
        "constant-column",
        lambda _: markhood.encode(PEOPLE.assign(here=1), columns=["sex", "here"]),
        "1 column has a single value and cannot have edges: 'here'.",
    ),
    case(
        "missing-codes",
        lambda _: markhood.encode(ANSWERS, missing="level"),
        "-99 (5 times in column 'q1') was read as a code for missing. Use missing_values=[] to keep "
        "it as a value.",
    ),
    case(
        "weights-read",
        lambda _: markhood.encode([["f", "f"], ["m", "m"]] * 2, weights=[10, 30, 10, 30]),
        "Whole-number weights look like survey weights, and are scaled to the effective sample "
        "size (3.2) instead of N = 80. If they count equal rows, use weights_are='frequencies'.",
    ),
    case(
        "index-column",
        lambda folder: read_samples(write(folder / "data.csv", b",a,b\n1,0,1\n2,1,0\n3,1,1\n")),
        "The first column has row labels and was left out. If it is a variable, rename it.",
    ),
]


@pytest.mark.parametrize(("code", "call", "sentence"), ERRORS)
def test_example_errors(code, call, sentence, tmp_path):
    with pytest.raises(InputError) as caught:
        call(tmp_path)
    assert caught.value.code == code
    assert str(caught.value).replace(str(tmp_path), "FOLDER") == sentence


@pytest.mark.parametrize(("code", "call", "sentence"), WARNINGS)
def test_example_warnings(code, call, sentence, tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(tmp_path)
    assert [(one.message.code, str(one.message)) for one in caught] == [(code, sentence)]


def test_example_options_as_typed_on_the_command_line():
    with written_by(on_command_line), pytest.raises(InputError) as caught:
        markhood.encode([[f"p{k}", f"q{k}"] for k in range(100)])
    assert str(caught.value) == (
        "2 columns have more than 64 distinct values: 'x0' (identifiers, such as 'p0' and 'p1') and "
        "'x1' (identifiers, such as 'q0' and 'q1'). Leave them out with --exclude x0,x1."
    )
