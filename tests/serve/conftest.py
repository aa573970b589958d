"""A whole server on the embedded sample, in this process, for tests that ask it over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from tests.cli.conftest import run
from tests.serve.live import CHROMIUM, Open, missing, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

__all__ = ["run"]

Client = Any


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with twelve topics."""
    path = tmp_path_factory.mktemp("serve") / "sample.idx"
    index = Index.build(Corpus.read(TEXTS, metadata=METADATA), path)
    index.fit_topics(12, passes=3)
    return path


@pytest.fixture(scope="module")  # so that no module sees what another has uploaded
def client_for(
    sample_index: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Client]]:
    """``client_for(limits=…)`` starts a server and gives a client of it."""
    pytest.importorskip("starlette", reason="the extra 'serve' is not installed")
    from starlette.testclient import TestClient

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


@pytest.fixture(scope="module")
def client(client_for: Callable[..., Client]) -> Client:
    return client_for()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        missing("chromium", "apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def address(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(sample_index, "--folder", tmp_path_factory.mktemp("uploads")) as at:
        yield at


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Open]:
    """``visit("/search?…", color_scheme="dark")`` opens a page; none may log an error."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def heard(said: ConsoleMessage) -> None:
        if said.type == "error":
            faults.append(f"{said.text} ({said.location['url']})")

    def opened(path: str, quiet: bool = False, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        contexts.append(context)
        context.set_default_timeout(30_000)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        if not quiet:
            page.on("console", heard)
        page.goto(address + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []
