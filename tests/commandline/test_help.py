"""Help with examples for every command, and completion for the shell."""

import os
import subprocess
import sys

import pytest
import typer

from markhood.commandline.app import app

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


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command):
    done = markhood(command, "--help")
    assert done.returncode == 0, done.stderr
    assert "Examples" in done.stdout
    assert f"markhood {command} " in done.stdout


def test_the_first_help_names_every_command():
    shown = markhood("--help").stdout
    assert all(command in shown for command in COMMANDS)
    assert "Exit codes" in shown


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
