"""A verb is one file: Python, the command line and the reference follow from it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lexfield
import lexfield.verbs
from lexfield.errors import InputError
from tests.cli.conftest import Run, run  # noqa: F401

TOY = '''
"""``lexfield shout``"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from lexfield.verbs.declare import Help, verb
from lexfield.verbs.input import (TextInput, read_texts)
from lexfield.verbs.results import Paint, Result, plain


@dataclass(kw_only=True)
class Loud:
    """A text in capitals."""

    text: str


@dataclass(repr=False)
class Shout(Result[Loud]):
    """Loud texts."""

    def lines(self) -> Iterable[str]:
        return [row.text for row in self.results]


@verb
def shout(
    text: TextInput,
    *,
    marks: Annotated[int, Meta(ge=0, le=3), Help("Exclamation marks at the end.")] = 1,
) -> Shout:
    """Write a text in capitals.

    lexfield shout letter.txt --marks 3
    """
    return Shout([Loud(text=one.upper() + "!" * marks) for one in read_texts(text).texts])
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the file of the verb where verbs are found."""
    (tmp_path / "shout.py").write_text(TOY)
    monkeypatch.setattr(lexfield.verbs, "__path__", [*lexfield.verbs.__path__, str(tmp_path)])
    _forget()
    yield
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    lexfield.verbs.list_verbs.cache_clear()
    lexfield.verbs.list_functions.cache_clear()
    sys.modules.pop("lexfield.verbs.shout", None)
    vars(lexfield.verbs).pop("shout", None)
    vars(lexfield).pop("shout", None)


@pytest.mark.usefixtures("toy")
def test_it_is_a_function() -> None:
    shout = lexfield.shout
    assert shout("be quiet").to_dicts() == [{"text": "BE QUIET!"}]
    with pytest.raises(InputError, match="marks must be a whole number from 0 to 3. Got 4"):
        shout("be quiet", marks=4)


@pytest.mark.usefixtures("toy")
def test_it_is_a_command(run: Run, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "letter.txt").write_text("be quiet")
    assert run("shout", tmp_path / "letter.txt", "--marks", 3).out == "BE QUIET!!!\n"
    found = run("shout", tmp_path / "letter.txt", "--json").json
    assert found.pop("provenance")["stores"] == []
    assert found == {
        "schema": "lexfield.shout/1",
        "results": [{"text": "BE QUIET!"}],
        "notes": [],
    }
    assert "Write a text in capitals." in run("--help").out
    assert "--marks INTEGER  Exclamation marks at the end." in run("shout", "--help").out


@pytest.mark.usefixtures("toy")
def test_it_is_in_the_reference() -> None:
    pages = importlib.import_module("scripts.make_reference")
    page = pages.build_verbs_page()
    assert "## shout\n\nWrite a text in capitals.\n" in page
    assert "| `marks` | `--marks` | a whole number from 0 to 3 | 1 |" in page
    assert "## lexfield shout\n" in pages.build_cli_page()


def test_it_is_gone_with_its_file() -> None:
    assert "shout" not in lexfield.verbs.list_verbs()
    assert not hasattr(lexfield, "shout")
