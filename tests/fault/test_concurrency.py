"""A sample of what ``make fault`` does for five minutes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.fault.artefacts import documents
from tests.fault.concurrency import ask, check, concurrent, keep

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the harness forks")


def test_readers_see_whole_generations(tmp_path: Path) -> None:
    found = concurrent(tmp_path, 2, readers=2)
    assert found["exit codes"] == [0, 0, 0]
    assert found["answers"] > 0 and found["examples"] == []


def test_the_harness_sees_an_answer_of_no_generation(tmp_path: Path) -> None:
    index = Index.build(Corpus.of(documents(0, 12)), tmp_path / "x.idx")
    keep(index, tmp_path)
    before = ask(index, 0)
    index.delete([index.search("the boat in the storm", k=1)[0].id.partition("#")[0]])
    keep(index, tmp_path)
    after = ask(index, 0)
    said = [("000001", "0", before), ("000002", "0", after)]
    assert check(tmp_path / "kept", said) == []
    mixed = [("000001", "0", after), ("000002", "0", before), ("000009", "0", before)]
    assert len(check(tmp_path / "kept", mixed)) == 3
