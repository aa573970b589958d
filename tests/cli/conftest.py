from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from lexfield.cli.start import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Type a command: ``run("near", "book", stdin=b"…")``."""

    def ran(*arguments: object, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        code = ended.value.code
        return Ran(code if isinstance(code, int) else 0, captured.out, captured.err)

    return ran
