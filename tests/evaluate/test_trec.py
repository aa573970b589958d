from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexfield.errors import InputError, ReadError
from lexfield.evaluate import trec
from lexfield.evaluate.trec import Run, read_qrels, read_queries, read_run, run_lines, write_run


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
        ("1 Q0 a 1\n", "line 1: .* is not a line of a TREC run"),
        ("1 Q0 a 1 x t\n", "line 1"),
        ("1 Q0 a 1 nan t\n", "not a finite number"),
        ("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n", "line 2: query 1 has a twice"),
        ("", "contains no results"),
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
    with pytest.raises(ReadError, match="does not exist"):
        read_run(tmp_path / "none")
    with pytest.raises(InputError, match="cannot be written to a TREC file"):
        list(run_lines(Run("x", {"1": [("a b", 1.0)]})))


NAMES = st.text(alphabet="abé", min_size=1, max_size=2)
ROWS = st.dictionaries(
    st.tuples(NAMES, NAMES), st.tuples(st.integers(-3, 3), st.sampled_from([0.5, -1.0, 2.0]))
)


@given(ROWS.filter(bool))
def test_runs_and_qrels_hold_what_plain_dictionaries_would(
    rows: dict[tuple[str, str], tuple[int, float]],
) -> None:
    ranked: dict[str, list[tuple[float, int, str]]] = {}
    judged: dict[str, dict[str, int]] = {}
    for (query, document), (rank, score) in rows.items():
        ranked.setdefault(query, []).append((-score, rank, document))
        judged.setdefault(query, {})[document] = rank
    with TemporaryDirectory() as folder:
        path = Path(folder, "x")
        path.write_text("".join(f"{q} Q0 {d} {r} {s} t\n" for (q, d), (r, s) in rows.items()))
        run = read_run(path)
        path.write_text("".join(f"{q} 0 {d} {r}\n" for (q, d), (r, _) in rows.items()))
        qrels = read_qrels(path)
    assert list(run.queries) == list(qrels) == list(judged)
    assert {q: [(d, -s) for s, _, d in sorted(some)] for q, some in ranked.items()} == run.queries
    assert qrels == judged
    assert "c" not in qrels and "a" * 9 not in run.queries and len(qrels) == len(judged)
    with pytest.raises(KeyError):
        qrels["c"]


def test_the_line_where_a_document_comes_again_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    lines = [f"q{i % 50} Q0 d{i} 1 2.5 r" for i in range(1000)]
    path.write_text("\n".join([*lines, "q7 Q0 d57 9 1 r", *lines[:3]]))
    with pytest.raises(ReadError, match="line 1001: query q7 has d57 twice"):
        read_run(path)


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
    with pytest.raises(ReadError, match="Its fields are: n, q. Name another as text_field"):
        read_queries(file)


def test_lines_with_and_without_ids(tmp_path: Path) -> None:
    file = tmp_path / "q.tsv"
    file.write_bytes("\ufeffq1\ta storm\tat sea\r\n\n bread \nnot an id\tbut text\n".encode())
    assert read_queries(file) == {"q1": "a storm\tat sea", "3": "bread", "4": "not an id\tbut text"}
    file.write_text("{not json\n")
    with pytest.raises(ReadError, match="line 1: not JSON"):
        read_queries(file)
    file.write_text("a\tone\na\ttwo\n")
    with pytest.raises(ReadError, match="line 2: the id 'a' is used twice"):
        read_queries(file)
    file.write_text("2\tone\ntwo\n")
    with pytest.raises(ReadError, match="line 2: the id '2' is used twice"):
        read_queries(file)


def test_json_lines_need_no_suffix(tmp_path: Path) -> None:
    (tmp_path / "queries").write_text('\n{"id": "a", "text": "one"}\n{"id": "b", "text": "{two"}\n')
    assert read_queries(tmp_path / "queries") == {"a": "one", "b": "{two"}
    (tmp_path / "q.jsonl").write_text("a plain line\n")
    with pytest.raises(ReadError, match="not JSON"):
        read_queries(tmp_path / "q.jsonl")


def test_binary_and_oversized_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "queries.txt"
    path.write_bytes(b"%PDF-1.7\nstorm")
    with pytest.raises(ReadError, match="is a PDF document, not text"):
        read_queries(path)
    path.write_text("storm\nboat\n")
    monkeypatch.setattr(trec, "MOST_BYTES", 8)
    with pytest.raises(ReadError, match="is larger than"):
        read_queries(path)
