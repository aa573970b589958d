"""README's quickstart runs as it is printed, and its commands print what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import snippets

README = (snippets.ROOT / "README.md").read_text("utf-8")


def test_quickstart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(snippets.blocks(README, "python")) == 1
    snippets.check_python(README, tmp_path, "README")
    shown = capsys.readouterr().out
    assert "books" in shown
    assert "It slept. 0" in shown
    assert "8 4 5" in shown
    assert "0#1" in shown


def test_commands(tmp_path: Path) -> None:
    snippets.prepare(tmp_path)
    assert snippets.check_commands(README, tmp_path) > 8
