"""README's examples run as they are printed, and its figures are those of the benchmarks."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests import snippets

README = (snippets.ROOT / "README.md").read_text("utf-8")
insert_figures = importlib.import_module("scripts.insert_figures")


def test_quickstart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(snippets.blocks(README, "python")) == 1
    snippets.check_python(README, tmp_path, "README")
    assert "frightened ≈ scared" in capsys.readouterr().out


def test_commands(tmp_path: Path) -> None:
    assert snippets.check_commands(README, tmp_path) > 8


@pytest.mark.parametrize("page", insert_figures.list_pages(), ids=lambda path: path.name)
def test_figures_are_those_of_the_benchmarks(page: Path) -> None:
    text = page.read_text("utf-8")
    assert insert_figures.insert(text) == text, "run: python scripts/insert_figures.py"


def test_it_fits_on_a_few_screens() -> None:
    assert len(README.splitlines()) < 150
