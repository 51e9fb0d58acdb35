"""Malformed files: nothing but our own clear errors comes out.

`make fuzz` looks at many more examples, and lets atheris search for others.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.harness import read_anything, valid_files

pytestmark = pytest.mark.fuzz
FILES = valid_files()
ENDINGS = sorted(FILES)

OPTIONS = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(["error", "drop", "level", "impute"]),
        "missing_values": st.sampled_from([(), (0,), ("x", -9, "?"), (float("inf"), "")]),
        "max_levels": st.sampled_from([2, 3, 64, 65535]),
        "weights": st.sampled_from([None, None, "similarity", "a", "x0", "none"]),
        "columns": st.sampled_from([None, None, None, ["a", "b"], ["x1", "x0"]]),
        "header": st.sampled_from([None, True, False]),
    }
)
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["put", "cut", "insert", "end"]),
        st.floats(0, 1),
        st.binary(min_size=1, max_size=8),
    ),
    min_size=1,
    max_size=5,
)
LIKE_CSV = st.lists(
    st.sampled_from([*',;\t|"\n\r 01-9.e+\x00?xé\ufeff', "NA", "nan", "inf", "1e999", "a,b\n"])
)


def edited(content, edits):
    """Return bytes with some changed, left out, put in, or all after some cut off."""
    for kind, place, new in edits:
        at = int(place * len(content))
        if kind == "put":
            content = content[:at] + new + content[at + len(new) :]
        elif kind == "cut":
            content = content[:at] + content[at + len(new) :]
        elif kind == "insert":
            content = content[:at] + new + content[at:]
        else:
            content = content[:at]
    return content


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LIKE_CSV, max_size=6).map(lambda lines: "\n".join(map("".join, lines))), OPTIONS)
def test_property_text(folder, text, options):
    read_anything(text.encode(), folder / "t.csv", **options)


@settings(suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("ending", ENDINGS)
@given(st.data(), EDITS, OPTIONS)
def test_property_files_with_some_bytes_changed(folder, ending, data, edits, options):
    content = edited(data.draw(st.sampled_from(FILES[ending])), edits)
    read_anything(content, folder / f"t{ending}", **options)


@pytest.mark.parametrize("ending", ENDINGS)
@given(st.binary(max_size=200), OPTIONS)
def test_property_any_bytes(folder, ending, content, options):
    read_anything(content, folder / f"t{ending}", **options)


@pytest.mark.parametrize("ending", ENDINGS)
def test_example_what_is_changed_can_be_read(folder, ending):
    for content in FILES[ending]:
        assert read_anything(content, folder / f"t{ending}", missing="level") == "samples"
