"""The settings of the page are the declared options of the request."""

import pytest

from markhood.app.questions import QUESTIONS
from markhood.app.settings import NOT_HERE, request_of
from markhood.commandline.app import LazyCommands
from markhood.data.reading import Reading
from markhood.learning.knowledge import Knowledge
from markhood.learning.methods import METHODS
from markhood.learning.run import Execution

METHOD_NAMES = sorted(METHODS)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_every_declared_option_is_a_setting(method):
    declared = {
        name for kind in (METHODS[method], Reading, Knowledge, Execution) for name in kind.names()
    }
    listed = [one.name for one in QUESTIONS["learn"].settings(method)]
    assert set(listed) == declared - set(NOT_HERE)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_every_setting_is_an_option_of_the_command(question, method):
    command = LazyCommands()[question]
    options = {one.name: one for one in command.params}
    for one in QUESTIONS[question].settings(method):
        assert one.name in options
        assert one.declared.help
        shown = one.as_json()
        assert shown["kind"] in ("flag", "choice", "number", "column", "file", "text")
        if one.group == "study":
            assert options[one.name].help == one.declared.help


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_settings_asked_first_exist(question):
    assert set(QUESTIONS[question].asked) <= {one.name for one in QUESTIONS[question].study}


def test_texts_become_values():
    texts = {"gamma": "0.25", "exclude": "a,b", "kinds": "m=low<high", "header": False, "seed": "7"}
    request = request_of("plrhc", texts, [{"column": "c", "role": "skip"}], n_jobs=-1)
    assert request.method.gamma == 0.25
    assert request.reading.exclude == ("a", "b")
    assert request.reading.kinds == {"m": ("low", "high")}
    assert request.reading.header is False
    assert request.seed == 7
    assert request.run.n_jobs == -1
    assert request.reading.codebook["c"].role == "skip"
