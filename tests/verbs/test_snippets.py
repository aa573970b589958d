"""A question written as a command and as Python asks the same."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from lexfield.verbs import list_functions
from lexfield.verbs.snippets import write_command, write_python
from tests.cli.conftest import Run, run

__all__ = ["run"]

INDEX = {"path": "sample.idx"}
CASES: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "an index and options": (
        "search",
        {"index": INDEX, "query": "a 'storm'", "method": ["mean"], "k": 3, "explain": True},
        """lexfield search sample.idx 'a '"'"'storm'"'"'' --method mean -k 3 --explain""",
        """lx.search('sample.idx', "a 'storm'", method='mean', k=3, explain=True)""",
    ),
    "a place that is skipped": (
        "search",
        {"index": INDEX, "like": "doc", "where": ["a=b", "c=d"]},
        "lexfield search sample.idx --like doc --where a=b --where c=d",
        "lx.search('sample.idx', like='doc', where=['a=b', 'c=d'])",
    ),
    "documents and texts": (
        "compare",
        {
            "a": {"path": "sample.idx", "documents": ["pell sea"]},
            "b": {"texts": {"text B": "It's calm."}},
            "vectors": {"set": "default"},
        },
        """python -c 'import lexfield as lx; print(lx.open('"'"'sample.idx'"'"')"""
        """['"'"'pell sea'"'"'].text)' > lexfield-pell-sea.txt\n"""
        """printf '%s\\n' 'It'"'"'s calm.' > lexfield-text-b.txt\n"""
        "lexfield compare lexfield-pell-sea.txt lexfield-text-b.txt",
        """lx.compare(lx.open('sample.idx')['pell sea'], "It's calm.")""",
    ),
    "documents of an index": (
        "compare",
        {
            "a": {"path": "sample.idx", "documents": ["pell sea"]},
            "b": {"path": "sample.idx", "documents": ["voss-sea"]},
        },
        "lexfield compare 'pell sea' voss-sea --index sample.idx",
        "lx.compare(lx.open('sample.idx')['pell sea'], lx.open('sample.idx')['voss-sea'])",
    ),
    "words that the command line accepts": (
        "inspire",
        {"index": INDEX, "draft": {"texts": {"the text": "It was late."}}},
        "lexfield inspire sample.idx 'It was late.'",
        "lx.inspire('sample.idx', 'It was late.')",
    ),
    "what looks like an option": (
        "near",
        {"word": ["-sea"], "models": [{"path": "models"}]},
        "lexfield near --models models -- -sea",
        "lx.near('-sea', models='models')",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_call_is_written_as_users_write_it(name: str) -> None:
    verb, arguments, command, python = CASES[name]
    declared = list_functions()[verb].load()
    assert write_command(declared, arguments) == command
    assert write_python(declared, arguments) == f"import lexfield as lx\n\n{python}"


def test_both_forms_run_and_agree(run: Run) -> None:
    declared = list_functions()["near"].load()
    arguments = {"word": ["sea"], "k": 3}
    ran = run(*shlex.split(write_command(declared, arguments))[1:], "--csv")
    scope: dict[str, Any] = {}
    exec(write_python(declared, arguments).replace("lx.near", "found = lx.near"), scope)  # noqa: S102
    words = [row.word for row in scope["found"]]
    assert words and all(f"\n{word}," in ran.out for word in words)
