"""``lexfield reuse``"""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.verbs.test_reuse import PASSAGE, plant


def test_the_command_writes_pages_and_lines(tmp_path: Path, run: Run) -> None:
    evil = "<script>alert('x')</script> & "
    for name, host in (("a<b>.txt", "pell-sea"), ("b.txt", "voss-school")):
        (tmp_path / name).write_text(plant(host, evil + PASSAGE), "utf-8")
    files = [str(tmp_path / name) for name in ("a<b>.txt", "b.txt")]
    page, lines = tmp_path / "page.html", tmp_path / "reuse.jsonl"
    done = run("reuse", *files, "--html", page, "-o", lines)
    assert done.code == 0 and done.out.startswith("1. verbatim, ")
    shown = page.read_text("utf-8")
    assert "<script" not in shown and "script&gt;alert" in shown and "a&lt;b&gt;" in shown
    assert "default-src 'none'" in shown
    row = json.loads(lines.read_text("utf-8").splitlines()[0])
    assert row["kind"] == "verbatim" and row["a"]["document"] == "a<b>"
    assert run("reuse", *files, "--json").json["results"] == [row]
    assert "There is no folder" in run("reuse", *files, "-o", "/nowhere/at/all.jsonl").err
    assert run("reuse", files[0], files[0]).out.startswith("1. verbatim, ")
    assert run("reuse", *files, "--min-words", 100).code == 1
