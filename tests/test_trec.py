from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.errors import InputError, ReadError
from lexfield.trec import Run, read_qrels, read_queries, read_run, run_lines, write_run


def test_a_run_there_and_back(tmp_path: Path) -> None:
    run = Run.of("my run", {"1": [("b", 1.0), ("a", 2.5)], "2": [("c", -0.125)]})
    assert run.queries["1"] == [("a", 2.5), ("b", 1.0)]
    assert next(run_lines(run)) == "1 Q0 a 1 2.5 my_run"
    write_run(tmp_path / "x.run", run)
    again = read_run(tmp_path / "x.run")
    assert again.queries == run.queries and again.name == "my_run"


def test_scores_decide_and_then_ranks(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_text("1 Q0 low 1 1.0 t\n1 Q0 tie 3 2.0 t\n1 Q0 high 2 2.0 t\n\n")
    assert [document for document, _ in read_run(path).queries["1"]] == ["high", "tie", "low"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 Q0 a 1\n", "line 1: .* is no line of a TREC run"),
        ("1 Q0 a 1 x t\n", "line 1"),
        ("1 Q0 a 1 nan t\n", "not a finite number"),
        ("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n", "line 2: query 1 has a twice"),
        ("", "holds no results"),
        ("x" * 20_000, "over 10,000 characters"),
    ],
)
def test_bad_runs(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.run").write_text(text)
    with pytest.raises(ReadError, match=message):
        read_run(tmp_path / "x.run")


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "x.run").write_bytes(b"1 Q0 \xff\xfe 1 2 t\n")
    with pytest.raises(ReadError, match="not UTF-8"):
        read_run(tmp_path / "x.run")
    with pytest.raises(ReadError, match="No such file"):
        read_run(tmp_path / "none")
    with pytest.raises(InputError, match="cannot stand in a TREC file"):
        list(run_lines(Run("x", {"1": [("a b", 1.0)]})))


def test_qrels_in_both_forms(tmp_path: Path) -> None:
    path = tmp_path / "q"
    path.write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n")
    assert read_qrels(path) == {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
    path.write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    assert read_qrels(path) == {"1": {"a": 1}}
    for text, message in (
        ("1 0 a x\n1 0 b y\n", "line 2"),
        ("1 a\n2 3\n", "line 2"),
        ("", "no judg"),
    ):
        path.write_text(text)
        with pytest.raises(ReadError, match=message):
            read_qrels(path)


def test_queries_from_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(
        '{"_id": 7, "text": "a b"}\n\n{"id": "x", "text": "c", "q": "d"}\n{"text": "e"}\n'
    )
    assert read_queries(file) == {"7": "a b", "x": "c", "4": "e"}
    file.write_text('{"n": 1, "q": "d"}')
    assert read_queries(file, "n", "q") == {"1": "d"}
    with pytest.raises(ReadError, match="Its fields are: n, q. Name another with --text-field"):
        read_queries(file)
