from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.study.database import Study, create
from lexfield.study.design import Design, StudyQuery

METHODS = ("setcover", "mean", "wmd", "jaccard", "edit")


def make(path: Path, kind: str = "choose3", queries: int = 12, seed: int = 0) -> Study:
    """A small study; the texts say what they are, so that tests can see behind the blind."""
    asked = [StudyQuery(f"Query number {q}?") for q in range(queries)]
    lists = [
        {m: [f"{m} says {i} of query {q}." for i in range(5)] for m in METHODS}
        for q in range(queries)
    ]
    return create(path, Design(kind, METHODS[:1], METHODS[1:], seed), asked, lists, {"source": "t"})


@pytest.fixture
def choose3(tmp_path: Path) -> Study:
    return make(tmp_path / "choose3.db")


@pytest.fixture
def head2head(tmp_path: Path) -> Study:
    return make(tmp_path / "head2head.db", "head2head")
