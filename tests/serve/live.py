"""A server as a user starts it, on a port that is free; and a browser that looks at it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUERY = "The fishing boat came home before the storm."
ASK = f"/search?index=sample&q={QUERY.replace(' ', '+')}"
Open = Callable[..., "Page"]
AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"


@contextmanager
def served(*arguments: str | Path) -> Iterator[str]:
    """``lexfield serve …`` in a process of its own; gives its address without the last slash.

    It asks for no token, unless one is given.
    """
    token = [] if "--token" in arguments else ["--no-token"]
    process = subprocess.Popen(
        [sys.executable, "-m", "lexfield", "serve", "--port", "0", "--no-browser", *token,
         *map(str, arguments)],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        assert process.stdout
        address = process.stdout.readline().strip()
        assert address.startswith("http://"), f"the server said {address!r}"
        yield address.rstrip("/")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)


def missing(what: str, hint: str) -> None:
    """Skip with a reason; where everything has to be there (CI), fail."""
    message = f"{what} is not here: {hint}"
    if os.environ.get("LEXFIELD_BROWSER") == "required":
        pytest.fail(message)
    pytest.skip(message)


def text_file(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": data}


def find_violations(page: Page, run: str) -> list[tuple[str, list[str]]]:
    return [
        (one["id"], [node["html"][:200] for node in one["nodes"]][:3])
        for one in page.evaluate(run)["violations"]
        if one["impact"] in ("serious", "critical")
    ]
