"""What holds for the command line as a whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

import lexfield as lx
from lexfield.cli.build import Location
from lexfield.cli.main import _OTHERS, cli
from lexfield.errors import InputError
from lexfield.verbs import list_verbs
from tests.cli.conftest import Run


def commands(group: click.Group = cli, prefix: str = "") -> dict[str, click.Command]:
    """Return every command and every group of commands, by what users type."""
    found: dict[str, click.Command] = {}
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        found[f"{prefix}{name}"] = command
        if isinstance(command, click.Group):
            found |= commands(command, f"{prefix}{name} ")
    return found


COMMANDS = commands()


def test_every_verb_is_a_command() -> None:
    assert set(list_verbs()) <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_an_example(run: Run, name: str) -> None:
    shown = run(*name.split(), "--help")
    assert shown.code == 0
    assert shown.out.count("lexfield ") >= 2, "usage and at least one example"
    if not isinstance(COMMANDS[name], click.Group):
        assert f"lexfield {name}" in shown.out.split("\n", 1)[1]


WITHOUT_RESULTS = (
    "cluster", "completion", "demo", "metric", "reproduce", "serve", "study", "study run",
    "study serve", "topics", "vectors",
)  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_every_verb_with_results_speaks_json(name: str) -> None:
    flags = {flag for param in COMMANDS[name].params for flag in param.opts}
    if name not in WITHOUT_RESULTS:
        assert {"--json", "--jsonl", "--csv"} <= flags


def test_help_and_version(run: Run) -> None:
    shown = run("--help")
    assert shown.code == 0
    text = " ".join(shown.out.split())
    summaries = {name: listed.summary for name, listed in list_verbs().items() if " " not in name}
    summaries |= {name: summary for name, (_, summary) in _OTHERS.items()}
    for name, summary in summaries.items():
        assert f"{name} {summary}" in text
    assert "topics Fit, show and infer the topics of an index." in text
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
    assert ran.err.startswith("error:")


@pytest.mark.parametrize(
    "words",
    [("near", "sea", "--kk", 3), ("near", "sea", "-k", 0), ("serach",), ("topics", "fot"),
     ("search",), ("layout", "x", "--method", "y"), ("study", "new"), ("serve", "--port", "x")],
)  # fmt: skip
def test_every_error_looks_the_same(run: Run, words: tuple[object, ...]) -> None:
    ran = run(*words)
    assert ran.code == 2 and ran.err.startswith("error: ") and "Usage" not in ran.err
    assert ran.err.count("\n") <= 2


def test_errors_spell_options_as_they_are_typed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "q.run").write_text("")
    assert (
        "Give either --against or --by-query."
        in run(
            "evaluate", tmp_path / "q.run", tmp_path / "q.run", "--against", "x", "--by-query"
        ).err
    )
    with pytest.raises(InputError, match="Give either against or by_query."):
        lx.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, against={}, by_query=True)


def test_addresses_are_not_taken_for_paths() -> None:
    assert Location().convert("s3://bucket/my.idx", None, None) == "s3://bucket/my.idx"
    assert Location().convert("folder/my.idx", None, None) == Path("folder/my.idx")


def test_what_is_missing_is_named_as_it_is_typed(run: Run) -> None:
    missing = run("index", "texts")
    assert missing.code == 2
    assert "index needs --output." in missing.err and "As in: lexfield index " in missing.err


def test_help_shows_limits_and_variables(run: Run) -> None:
    assert "From 1 to 100." in run("bag", "--help").out
    assert "[env var: LEXFIELD_CLUSTER]" in " ".join(run("run", "--help").out.split())
