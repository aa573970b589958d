from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.answers.methods import methods
from lexfield.cli.main import VERBS
from lexfield.errors import InputError
from lexfield.search.registry import METHODS

PAGES = Path(__file__).parents[2] / "docs" / "methods"


def test_every_search_method_is_there_once() -> None:
    names = [row.name for row in methods()]
    assert set(METHODS.names()) <= set(names)
    assert len(names) == len(set(names))


def test_every_method_has_a_page_and_verbs_that_exist() -> None:
    for row in methods():
        page = (PAGES / f"{row.page}.md").read_text("utf-8")
        assert row.name.split()[0] in page.lower(), row.name
        for use in row.use.split("; "):
            assert use.split()[0] in VERBS
        assert row.cost and row.paper and row.does


def test_some_of_them() -> None:
    assert [row.name for row in methods("KUSNER")] == ["wmd"]
    with pytest.raises(InputError, match="No method tells of 'zzz'"):
        methods("zzz")
