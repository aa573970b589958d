"""What holds for the command line as a whole."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from lexfield.cli.main import cli
from tests.cli.conftest import Run


def list_commands(
    group: click.Group = cli, prefix: str = ""
) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{prefix}{name}", command
        if isinstance(command, click.Group):
            yield from list_commands(command, f"{prefix}{name} ")


@pytest.mark.parametrize(("verb", "command"), [*list_commands()])
def test_every_help_has_an_example(run: Run, verb: str, command: click.Command) -> None:
    shown = run(*verb.split(), "--help")
    assert shown.code == 0
    assert shown.out.count("lexfield ") >= 2, "usage and at least one example"
    if not isinstance(command, click.Group):
        assert f"lexfield {verb}" in shown.out.split("\n", 1)[1]


WITHOUT_RESULTS = (
    "cluster", "completion", "demo", "metric", "reproduce", "serve", "study", "study run",
    "study serve", "topics", "vectors",
)  # fmt: skip


@pytest.mark.parametrize(("verb", "command"), [*list_commands()])
def test_every_verb_with_results_speaks_json(verb: str, command: click.Command) -> None:
    flags = {flag for param in command.params for flag in param.opts}
    if verb not in WITHOUT_RESULTS:
        assert {"--json", "--jsonl", "--csv"} <= flags


def test_the_page_in_docs_is_what_help_says(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[2]
    monkeypatch.syspath_prepend(str(root / "scripts"))
    page = importlib.import_module("make_cli_page")
    assert page.PAGE.read_text("utf-8") == page.page(), "run: python scripts/make_cli_page.py"


def test_help_and_version(run: Run) -> None:
    shown = run("--help")
    assert shown.code == 0
    for name, _ in list_commands():
        assert " " in name or f"\n  {name} " in shown.out
    for line in ("Find the nearest words.", "Rerun the tables and figures of the papers."):
        assert line in shown.out
    assert run("--version").out.startswith("lexfield")


def test_did_you_mean(run: Run) -> None:
    wrong = run("serch")
    assert wrong.code == 2
    assert "There is no command 'serch'" in wrong.err
    assert "Did you mean 'verify'?" in run("verifi").err
    assert run("near", "book", "--jsn").code == 2


def test_errors_have_a_hint_and_no_traceback(run: Run, tmp_path: Path) -> None:
    wrong = run("info", tmp_path / "nowhere")
    assert wrong.code == 2
    assert wrong.out == ""
    assert "error:" in wrong.err
    assert "hint:" in wrong.err
    assert "Traceback" not in wrong.err


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lexfield", "info", str(tmp_path / "nowhere"), "--debug"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Traceback" in done.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m lexfield --help | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run: Run, shell: str) -> None:
    assert "_LEXFIELD_COMPLETE" in run("completion", shell).out


@pytest.mark.parametrize(
    "words",
    [
        ("zipf", "loop"), ("speech", "loop"), ("layout", "loop"), ("index", "loop", "-o", "x"),
        ("search", "loop", "sea"), ("verify", "loop"), ("info", "loop"), ("bag", "loop"),
        ("compare", "loop", "loop"), ("pairs", "loop"), ("near", "sea", "--vectors", "loop"),
        ("topics", "show", "loop"), ("metric", "list", "loop"), ("add", "loop", "loop"),
        ("delete", "loop", "a"), ("compact", "loop"), ("kwic", "loop", "sea"),
        ("demo", "-o", "loop"),
    ],
)  # fmt: skip
def test_a_link_to_itself_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    ran = run(*words)
    assert ran.code == 2 and "fault in" not in ran.err
    assert ran.err.startswith(("error:", "Usage:"))
