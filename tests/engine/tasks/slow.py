"""A slow task for tests of engines, imported by workers as ``lexfield.slow``."""

from __future__ import annotations

import time
from pathlib import Path

from lexfield.errors import check
from lexfield.store.files import replace_file


def wait_and_write(folder: str, number: int, seconds: float) -> int:
    """Wait, write ``number`` to a file of that name in ``folder``, and return its square."""
    check(0 <= seconds <= 60, "seconds", "from 0 to 60", seconds)
    time.sleep(seconds)
    replace_file(Path(folder, f"{number}.txt"), f"{number}\n".encode())
    return number * number
