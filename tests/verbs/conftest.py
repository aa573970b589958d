from __future__ import annotations

from pathlib import Path

import pytest

import lexfield as lx

TEXTS = {
    "sea": "The ship left the harbour. A storm rose over the cold sea.",
    "farm": "A grey cow stood by the barn. Rain fell on the field.",
    "home": "The sailors came home. Bread was warm in the kitchen.",
}


@pytest.fixture
def index(tmp_path: Path) -> lx.Index:
    """A small index at my.idx, with the metadata that metrics and lists need."""
    documents = [
        lx.Document(name, text, metadata={"place": "water" if name == "sea" else "land"})
        for name, text in TEXTS.items()
    ]
    return lx.Index.build(lx.Corpus.of(documents), tmp_path / "my.idx")


@pytest.fixture(scope="session")
def sample_index(sample: lx.Corpus, tmp_path_factory: pytest.TempPathFactory) -> lx.Index:
    """The sample texts with their metadata as an index."""
    return lx.Index.build(sample, tmp_path_factory.mktemp("verbs") / "sample.idx")
