"""The table of methods is complete and points at pages and commands that exist."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

import lexfield as lx
from lexfield.cli.main import cli
from lexfield.errors import InputError
from lexfield.search.registry import METHODS

PAGES = Path(__file__).parents[2] / "docs" / "methods"


def test_every_search_method_is_listed_once() -> None:
    names = [row.name for row in lx.methods()]
    assert set(METHODS.names()) <= set(names)
    assert len(names) == len(set(names))


def test_registered_methods_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Oldest:
        """The oldest texts first."""

        name = "oldest"

        def search(self, rows: object, query: object, k: int, among: object) -> None: ...

    monkeypatch.setattr(METHODS, "_things", {**METHODS._things})
    lx.register(Oldest)
    (row,) = lx.methods("oldest")
    assert (row.name, row.use, row.does) == ("oldest", "search --method", "The oldest texts first.")


def test_every_method_has_a_page_and_commands_that_exist() -> None:
    commands = cli.list_commands(click.Context(cli))
    for row in (row for row in lx.methods() if row.page):  # not those that users have added
        page = (PAGES / f"{row.page}.md").read_text("utf-8")
        assert row.name.split()[0] in page.lower(), row.name
        for use in row.use.split("; "):
            assert use.split()[0] in commands
        assert row.cost and row.paper and row.does


def test_methods_can_be_filtered() -> None:
    assert [row.name for row in lx.methods("KUSNER")] == ["wmd"]
    with pytest.raises(InputError, match="No method mentions 'zzz'"):
        lx.methods("zzz")
