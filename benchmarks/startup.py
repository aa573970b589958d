"""How long ``import lexfield``, ``lexfield --help`` and ``lexfield near book`` take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from harness import rounded, seconds


def run(data: Path) -> dict[str, Any]:
    bare = _time("-c", "pass")
    return {
        "import_lexfield_seconds": rounded(_time("-c", "import lexfield") - bare),
        "help_seconds": rounded(_time("-m", "lexfield", "--help")),
        "near_book_seconds": rounded(_time("-m", "lexfield", "near", "book")),
        "bare_python_seconds": rounded(bare),
    }


def _time(*arguments: str) -> float:
    command = [sys.executable, *arguments]
    return seconds(lambda: subprocess.run(command, check=True, capture_output=True), 5)
