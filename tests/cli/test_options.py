"""An option name means one thing in every command, and former names still work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import lexfield as lx
from lexfield.cli.main import cli
from lexfield.sample import TEXTS
from lexfield.verbs import list_functions
from tests.cli.conftest import Run

SEA, GARDEN = TEXTS / "pell-sea.txt", TEXTS / "pell-garden.txt"
# One meaning, of which a command offers only some values.
CHOICES = {"--features", "--kind", "--measure", "--rule", "--sort", "--step"}


def list_options(command: click.Command, path: str = "") -> Iterator[tuple[str, str, click.Option]]:
    """Yield the command, the name and the declaration of every option that is not hidden."""
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            assert inner is not None
            yield from list_options(inner, f"{path} {name}".strip())
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            for name in parameter.opts:
                yield path, name, parameter


def test_an_option_takes_the_same_kind_of_value_everywhere() -> None:
    kinds: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path, name, option in list_options(cli):
        kinds[name]["flag" if option.is_flag else option.type.name].append(path)
    differing = {name: dict(found) for name, found in kinds.items() if len(found) > 1}
    assert not {name: found for name, found in differing.items() if name not in CHOICES}


def test_k_is_the_number_of_results() -> None:
    for path, name, option in list_options(cli):
        if name == "-k":
            assert option.help, path
            assert "cluster" not in option.help and "neighbour" not in option.help, path


@pytest.mark.parametrize(
    ("command", "old", "new"),
    [
        (("compare", SEA, GARDEN, "--resamples", 20), ("--p",), ("--test",)),
        (("compare", SEA, GARDEN, "--measure", "renyi"), ("--alpha", 2), ("--order", 2)),
        (("keyness", SEA, GARDEN), ("--p", 0.9), ("--max-p", 0.9)),
        (("clusters", SEA, "--seeds", 1), ("-k", 5), ("--clusters", 5)),
        (
            ("bag", SEA, "-k", 3),
            ("--name", "{author}-{topic}"),
            ("--name-pattern", "{author}-{topic}"),
        ),
    ],
)
def test_former_names_work_with_a_note(
    run: Run, command: tuple[object, ...], old: tuple[object, ...], new: tuple[object, ...]
) -> None:
    before, after = run(*command, *old), run(*command, *new)
    assert before.code == after.code == 0, before.err
    assert before.out == after.out
    assert f"note: {old[0]} is now {new[0]}; the old name works until 0.3" in before.err
    assert "is now" not in after.err


def test_former_names_warn_in_python() -> None:
    with pytest.warns(DeprecationWarning, match="p is now max_p"):
        before = lx.keyness(SEA, GARDEN, p=0.9)  # type: ignore[call-arg]
    assert list(before) == list(lx.keyness(SEA, GARDEN, max_p=0.9))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("words.txt", "sea\n\nboat\n"),
        ("words.tsv", "1\tsea\n3\tboat\n"),
        ("words.jsonl", '{"id": "1", "text": "sea"}\n{"id": 3, "text": "boat"}\n'),
    ],
)
def test_search_run_and_near_read_the_same_queries(
    run: Run, tmp_path: Path, name: str, content: str
) -> None:
    """A line is numbered where it has no id."""
    queries, index = tmp_path / name, tmp_path / "i.idx"
    queries.write_text(content, "utf-8")
    lx.index(SEA, output=index)
    searched = run("search", index, "--queries", queries, "--run", "-k", 1).out
    assert [line.split()[0] for line in searched.splitlines()] == ["1", "3"]
    ranked = run("run", index, queries, "--unit", "sentence", "-k", 1).out
    assert ranked == searched
    near = run("near", "--queries", queries, "-k", 1, "--json").json["results"]
    assert [row["query"] for row in near] == ["sea", "boat"]


def test_the_api_takes_former_names() -> None:
    from lexfield.serve.inputs import read_request

    zipf = list_functions()["zipf"].load()
    given = read_request(zipf, {"latent": "true", "k": "20"}, lax=True)
    assert given.values == {"latent": True, "clusters": 20}
