"""A whole server on the embedded sample, in this process, for tests that ask it over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.cli.conftest import run

__all__ = ["run"]

Client = Any


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with twelve topics."""
    path = tmp_path_factory.mktemp("serve") / "sample.idx"
    index = Index.build(Corpus.read(TEXTS, metadata=METADATA), path)
    index.fit_topics(12, passes=3)
    return path


@pytest.fixture(scope="session")
def client_for(
    sample_index: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Client]]:
    """``client_for(limits=…)`` starts a server and gives a client of it."""
    pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")
    from fastapi.testclient import TestClient

    from lexfield.serve.app import make_app

    opened: list[TestClient] = []

    def make(**options: Any) -> TestClient:
        folder = tmp_path_factory.mktemp("uploads")
        app = make_app([sample_index], folder=folder, workers=1, **options)
        client = TestClient(app, base_url="http://127.0.0.1:8000", follow_redirects=False)
        client.__enter__()
        opened.append(client)
        return client

    yield make
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture(scope="session")
def client(client_for: Callable[..., Client]) -> Client:
    return client_for()
