"""One survey in every format: the same samples, and so the same graph."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import markhood
from messages import ignores

N = 300


@pytest.fixture(scope="module")
def survey():
    """Return answers with a scale, words, a measurement, a skipped question and a code."""
    rng = np.random.default_rng(0)
    work = rng.random(N) < 0.7
    mood = rng.integers(1, 6, N).astype(float)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], N),
            "work": np.where(work, "yes", "no"),
            "mood": mood,
            "sleep": np.clip(mood + rng.integers(-1, 2, N), 1, 5),
            "age": rng.integers(18, 80, N).astype(float),
            "hours": np.where(work, rng.integers(5, 50, N), np.nan),
            "smokes": rng.choice(["never", "sometimes", "often"], N),
            "weight": np.round(rng.normal(70, 9, N), 1),
        }
    )
    frame.loc[rng.random(N) < 0.08, "mood"] = np.nan
    frame.loc[:5, "age"] = 999
    return frame


def write_rds(frame, path):
    frame.to_csv(path.with_suffix(".txt"), index=False)
    script = f"saveRDS(read.csv('{path.with_suffix('.txt')}', stringsAsFactors=TRUE), '{path}')"
    subprocess.run(["Rscript", "-e", script], check=True, capture_output=True)


def write_labelled(frame, path):
    """Write words as numbers with labels in alphabetical order, as exports of other programs do."""
    labels, coded = {}, frame.copy()
    for name in ("sex", "work", "smokes"):
        factor = frame[name].astype("category")
        coded[name] = factor.cat.codes + 1.0
        labels[name] = {k + 1.0: text for k, text in enumerate(factor.cat.categories)}
    write = pyreadstat.write_sav if path.suffix == ".zsav" else pyreadstat.write_dta
    write(coded, str(path), variable_value_labels=labels)


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "sav": lambda frame, path: pyreadstat.write_sav(frame, str(path)),
    "dta": lambda frame, path: pyreadstat.write_dta(frame, str(path)),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "rds": write_rds,
    "zsav": write_labelled,
    "labelled.dta": write_labelled,
}


def learned(data):
    with ignores("missing-codes", "missing-values", "skip-pattern", "hidden-factors"):
        samples = (
            markhood.read_samples(data, bins=4)
            if hasattr(data, "suffix")
            else (markhood.encode(data, bins=4))
        )
        return samples, markhood.learn(samples, n_jobs=1, run=markhood.Run(imputations=2))


@pytest.mark.parametrize("ending", WRITERS)
def test_property_a_survey_gives_the_same_graph_in_every_format(survey, ending, tmp_path):
    if ending == "rds" and shutil.which("Rscript") is None:
        pytest.skip("writing an R file needs R")
    path = tmp_path / f"survey.{ending}"
    WRITERS[ending](survey, path)
    expected, graph = learned(survey)
    samples, again = learned(path)
    assert samples.names == expected.names
    assert samples.fingerprint == expected.fingerprint
    assert samples.levels == expected.levels
    assert again.edge_names() == graph.edge_names()
    assert ("mood", "sleep") in graph.edge_names()
    assert samples.levels[samples.names.index("smokes")] == ("never", "sometimes", "often")
    assert samples.variables.is_ordered[samples.names.index("smokes")]
    assert [one.code for one in samples.account.findings if one.severity == "warning"] == [
        one.code for one in expected.account.findings if one.severity == "warning"
    ]
