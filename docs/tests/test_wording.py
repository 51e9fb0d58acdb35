"""The check of the word list finds words in prose only, with their lines."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "extensions"))

import wording


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("The data are drawn\nanew.", "markdown", [(2, "anew")]),
        ("It takes so\nmany bins.", "markdown", [(1, "so many")]),
        ("```\nanew\n```\nand `anew`", "markdown", []),
        ("There is no edge, and it is no longer used.", "text", []),
        ("This is no variable.", "text", [(1, "is no")]),
        ("places = 1  # as far as\nx = 'told'\n", "python", [(1, "as far as"), (2, "told")]),
        ("int places; // rooms\n/* x\ngone */", "comments", [(1, "rooms"), (3, "gone")]),
        ("Who wants more says so.", "text", [(1, "Who")]),
        ("Who wants more? People who ask.", "text", []),
        ("Three decimal places.", "text", []),
    ],
)
def test_words_are_found_in_prose(text, kind, found):
    assert [(use.line, use.word) for use in wording.uses_in(text, kind)] == found


def test_every_checked_path_exists():
    assert all((wording.ROOT / path).exists() for path in wording.CHECKED)


def test_the_checked_prose_has_none_of_the_words(capsys):
    assert wording.main(()) == 0, capsys.readouterr().out
