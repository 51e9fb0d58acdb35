"""Help with examples for every command, and completion for the shell."""

import os
import re
import subprocess
import sys

import click
import pytest
import typer
from typer.testing import CliRunner

from markhood.commandline.app import app
from markhood.learning.methods import METHODS
from markhood.output.pictures.named_layouts import LAYOUTS
from markhood.simulate.networks import network_named

COMMANDS = sorted(typer.main.get_command(app).commands)
PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


def markhood(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", "from markhood.commandline.app import main; main()", *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **PLAIN, **environment},
    )


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_examples_stand_on_one_line_of_80_columns(command, monkeypatch):
    for name, value in {**PLAIN, "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)
    whole = typer.main.get_command(app)
    asked = whole.commands[command] if command else whole
    text = asked.help.partition("Examples")[2]
    examples = [line.strip() for line in text.splitlines() if line.strip().startswith("markhood ")]
    assert any(example.startswith(f"markhood {command or ''}") for example in examples)
    text = CliRunner().invoke(app, [command, "--help"] if command else ["--help"]).stdout
    names = [name for param in asked.params for name in (*param.opts, *param.secondary_opts)]
    assert [name for name in names if name.startswith("--") and name not in text] == []
    shown = [line.strip() for line in text.splitlines()]
    assert [example for example in examples if example not in shown] == []


def test_the_short_help_describes_the_most_used_options_first():
    short, whole = (
        markhood("learn", flag, COLUMNS="80").stdout for flag in ("--help", "--help-all")
    )
    assert len(short.splitlines()) < 100 < len(whole.splitlines())
    panels = re.findall("^\u256d\u2500 ([A-Za-z ]+) \u2500", short, re.MULTILINE)
    assert panels == ["Arguments", "Most used", "Help"]
    described = re.findall("^\u2502 (--[a-z-]+)", short, re.MULTILINE)
    assert {"--output", "--report", "--method", "--missing", "--weights"} <= set(described)
    assert "--checkpoint" not in described
    assert "Folder for finished tiles" not in short
    assert "Folder for finished tiles" in whole


def test_the_first_help_builds_no_command():
    code = (
        "import sys; from markhood.commandline.app import app\n"
        "app(['--help'], standalone_mode=False)\n"
        "assert not {'numpy', 'markhood.learning.methods'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_first_help_names_every_command():
    shown = markhood("--help").stdout
    assert all(command in shown for command in COMMANDS)
    assert "Exit codes" in shown


def completed(command, parameter, typed):
    found = typer.main.get_command(app).commands[command]
    (asked,) = (p for p in found.params if p.name == parameter)
    return [item.value for item in asked.shell_complete(click.Context(found), typed)]


def test_values_are_completed():
    assert sorted(completed("learn", "method", "")) == sorted(METHODS)
    assert completed("learn", "method", "b") == ["bayes", "bjp"]
    assert completed("learn", "missing", "d") == ["drop"]
    assert completed("report", "layout", "") == list(LAYOUTS)
    for name in completed("simulate", "network", ""):
        assert network_named(name, 16, seed=0).n_nodes == 16


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_for_the_shell(shell):
    # typer tells the shell by its parent process, or by this variable in tests.
    done = markhood("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode == 0, done.stderr
    assert "_COMPLETE" in done.stdout


def test_completion_knows_commands_and_options():
    code = "from markhood.commandline.app import app; app(prog_name='markhood')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "_MARKHOOD_COMPLETE": "complete_bash",
            "COMP_WORDS": "markhood learn --ga",
            "COMP_CWORD": "2",
        },
    )
    assert "--gamma" in done.stdout
