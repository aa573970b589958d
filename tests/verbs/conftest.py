from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus


@pytest.fixture(scope="session")
def sample_index(sample: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The sample texts with their metadata as an index."""
    path: Path = tmp_path_factory.mktemp("verbs") / "sample.idx"
    return Index.build(sample, path)
