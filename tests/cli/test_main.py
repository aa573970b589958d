"""What holds for the command line as a whole."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import lexfield as lx
from lexfield.cli.build import Location
from lexfield.cli.guide import GROUPS, TOPICS, read_help
from lexfield.cli.main import cli, list_declared
from lexfield.cli.output import Bar
from lexfield.engine.compiled import kernel
from lexfield.errors import InputError
from lexfield.progress import listen_to_waits
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
GROUPED_BELOW = {name.partition(" ")[0] for name in list_declared() if " " in name}


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
    "cluster", "completion", "demo", "help", "metric", "reproduce", "serve", "study", "study run",
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
    declared = {name: listed for name, listed in list_declared().items() if " " not in name}
    summaries = {name: listed.summary for name, listed in declared.items()}
    summaries["help"] = "Explain a command, or a topic such as scores."
    for name, summary in summaries.items():
        assert f"{name} {summary}" in text
    assert "topics Fit, show and infer the topics of an index." in text
    assert set(summaries) | set(GROUPED_BELOW) == {n for names in GROUPS.values() for n in names}
    version = run("--version").out
    assert version.startswith(f"lexfield {lx.__version__}\nPython 3.")
    assert "numpy" in version and "extras: " in version


def test_alone_it_lists_what_one_can_do(run: Run) -> None:
    shown = run()
    assert shown.code == 0 and "What do you want to do?" in shown.out
    named = set(re.findall(r"lexfield (\w+)", shown.out)) - {"finds"}
    assert len(named) > 8 and named <= set(COMMANDS)


def test_stored_help_is_what_the_command_says(run: Run) -> None:
    for words in ([], ["search"], ["topics", "fit"], ["study"]):
        stored = read_help(words)
        shown: Any = {"terminal_width": 80, "help_option_names": ["-h", "--help"]}
        context = click.Context(cli, info_name="lexfield", **shown)
        for word in words:
            command = context.command
            assert isinstance(command, click.Group)
            found = command.get_command(context, word)
            assert found is not None
            context = click.Context(found, context, info_name=word, **shown)
        assert context.get_help() == stored
        assert run(*words, "--help").out == f"{stored}\n"
        if words:
            assert run("help", *words).out == f"{stored}\n"


@pytest.mark.parametrize("words", ["['--help']", "['search', '--help']"])
def test_help_imports_no_command(words: str) -> None:
    code = f"import sys; from lexfield.cli.start import main\ntry: main({words})\n"
    code += "finally: assert not {'click', 'msgspec', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_topics(run: Run) -> None:
    for topic in (*TOPICS, "scores"):
        assert run("help", topic).code == 0
    wrong = run("help", "nothing")
    assert wrong.code == 2 and "Topics are: filters, measures" in wrong.err


def test_asides_are_shown_on_request(run: Run, tmp_path: Path) -> None:
    lx.Index.build(["The cat sat.", "A dog barked."], tmp_path / "my.idx")
    words = ("search", tmp_path / "my.idx", "a kitten", "--method", "wmd")
    assert "solved" not in run(*words).err
    assert "rows exactly" in run(*words, "--verbose").err
    assert "rows exactly" in run(*words, "--json").json["notes"][0]


def test_the_doctor_finds_nothing_wrong(run: Run) -> None:
    found = run("doctor", "--json")
    assert found.code == 0
    states = {row["check"]: row["state"] for row in found.json["results"]}
    assert states["search"] == states["word vectors"] == states["packages"] == "ok"


def test_the_doctor_reports_what_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexfield.cli.doctor.list_missing", lambda: ["numpy"])
    found = run("doctor")
    assert found.code == 2
    assert "failed  packages" in found.out and "wrong with: packages" in found.err


def test_the_bar_shows_totals_and_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 0.0, 10.0, 100.0])
    monkeypatch.setattr("lexfield.cli.output.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    bar = Bar()
    bar.stage("reading")
    bar(100, 1_000)
    bar(10_000, 100_000)
    shown = capsys.readouterr().err
    assert "reading: 100 of 1,000 (10%), about 1 min 30 s left" in shown
    assert "about 15 min 0 s left" in shown


def double(number: float) -> float:
    return 2 * number


def test_the_bar_says_that_code_is_being_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lexfield.engine.compiled.load", lambda name: None)
    monkeypatch.setattr("lexfield.engine.compiled.keep", lambda name, compiled: None)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    twice = kernel(double)
    with Bar() as bar, listen_to_waits(bar.explain_wait):
        assert twice(2) == 4
    assert twice(2.0) == 4.0  # compiled as well, but nobody listens any more
    shown = capsys.readouterr().err
    assert shown.count("preparing for this computer") == 1
    assert shown.endswith("\r\033[K")  # and it is gone when the work is done


def test_did_you_mean(run: Run) -> None:
    wrong = run("serch")
    assert wrong.code == 2
    assert "There is no command 'serch'" in wrong.err
    assert "Did you mean 'verify'?" in run("verifi").err
    assert "Did you mean 'compare'?" in run("COMPARE").err
    assert run("near", "book", "--jsn").code == 2


def test_a_text_without_quotes_is_told_to_have_some(run: Run) -> None:
    assert "hint: Put quotes around a text of several words. As in: lexfield search" in (
        run("search", "my.idx", "a", "storm").err
    )


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
def test_completion(run: Run, shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "_LEXFIELD_COMPLETE" in run("completion", shell).out
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert run("completion", "--install").code == run("completion", "--install").code == 0
    if shell == "fish":
        assert (tmp_path / ".config" / "fish" / "completions" / "lexfield.fish").is_file()
        return
    start = (tmp_path / f".{shell}rc").read_text()
    assert start.count("# completion of lexfield") == 1
    if shutil.which(shell):
        code = ". ~/.*rc; complete -p lexfield" if shell == "bash" else ". ~/.zshrc"
        subprocess.run([shell, "-c", code], check=True, capture_output=True)


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
