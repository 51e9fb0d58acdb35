"""A small part of the campaign, and a check that it would notice."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz import campaign

HERE = Path(__file__).parent


def test_property_some_hostile_inputs():
    """Those that seed 7 draws; `make fuzz` runs thousands."""
    done = subprocess.run(
        [sys.executable, HERE / "campaign.py", "--inputs", "60", "--seed", "7", "--jobs", "2"],
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "60 inputs, 0 failures" in done.stdout


def judged(code=0, said="", before=(), after=(), line=("learn", "data.csv", "-o", "out.json")):
    case = campaign.Case(list(line), {})
    return campaign.faults_of(case, code, said, dict(before), dict(after))


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("exit code 1", {"code": 1}),
        ("exit code -11", {"code": -11}),
        ("traceback", {"code": 2, "said": "markhood: Traceback"}),
        ("control characters", {"said": "\x1b[31m"}),
        ("no sentence", {"code": 2}),
        ("changed: data.csv", {"before": {"data.csv": 1}, "after": {"data.csv": 2}}),
        ("removed: data.csv", {"before": {"data.csv": 1}}),
        ("left over: out.json", {"code": 2, "said": "markhood: ", "after": {"out.json": 1}}),
        ("a draft is left", {"after": {".markhood-1.tmp": 1}}),
        ("changed: data.csv", {"line": ["learn", "data.csv", "-o", "data.csv"],
                               "before": {"data.csv": 1}, "after": {"data.csv": 2}}),
    ],
)  # fmt: skip
def test_example_what_is_a_fault(fault, outcome):
    assert fault in judged(**outcome)


def test_example_what_is_none():
    assert judged(after={"out.json": 1}) == []
    assert judged(code=2, said="markhood: There is no file.\n") == []


def test_example_a_crash_and_a_hang_are_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(campaign, "SECONDS", 0.5)
    for act, fault in (
        (lambda *_: os.kill(os.getpid(), signal.SIGKILL), "exit code -9"),
        (lambda *_: campaign.time.sleep(60), "hang"),
    ):
        monkeypatch.setattr(campaign, "child", act)
        assert fault in campaign.run_case(campaign.Case(["learn"], {}), tmp_path).faults
