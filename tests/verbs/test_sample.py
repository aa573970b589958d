"""``lexfield sample``: what it writes can be indexed, searched and measured."""

from __future__ import annotations

from pathlib import Path

import pytest

import lexfield as lx
from lexfield.errors import InputError


def test_what_is_written_can_be_searched_and_measured(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    written = lx.sample(folder)
    assert all(Path(row.path).exists() for row in written)
    built = lx.index(folder / "sentences.csv", output=tmp_path / "my.idx")[0]
    assert f"{built.documents} sentences" in repr(written)
    run = lx.run(tmp_path / "my.idx", folder / "queries.tsv", k=10)
    assert [note for note in run.notes if "queries, such as query p01: not in the index" in note]
    found = lx.evaluate(run, folder / "judged.qrels", measures="recall@10,recall_10,map")
    assert 0.5 < found.measures["recall@10"] == found.measures["recall_10"] < 1


def test_nothing_else_is_overwritten(tmp_path: Path) -> None:
    lx.sample(tmp_path)
    lx.sample(tmp_path)  # the same files
    (tmp_path / "tickets.csv").write_text("mine")
    with pytest.raises(InputError, match="tickets.csv already exists"):
        lx.sample(tmp_path)
    assert (tmp_path / "tickets.csv").read_text() == "mine"


def test_queries_are_read_the_same_way(tmp_path: Path) -> None:
    forms = {"q.txt": "harbour\n", "q.tsv": "q1\tharbour\n", "q.jsonl": '{"text": "harbour"}\n'}
    index = lx.Index(["The harbour was quiet.", "A dog barked."])
    for name, text in forms.items():
        path = tmp_path / name
        path.write_text(text)
        near = lx.near(queries=path, k=1)[0].word
        found = lx.search(index, queries=path, k=1, unit="document")[0].id
        ran = lx.run(index, path, k=1).to_dicts()[0]["id"]
        assert (near, found, ran) == ("harbours", "0", "0"), name
