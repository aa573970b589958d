"""A task to try a cluster with: it takes a while and leaves a file that everybody can see."""

from __future__ import annotations

import time
from pathlib import Path

from lexfield.errors import InputError, check


def wait_and_write(folder: str, number: int, seconds: float) -> int:
    """Wait, write ``number`` to a file of that name in ``folder``, and give its square."""
    from lexfield.store.files import replace_file

    check(0 <= seconds <= 60, "seconds", "from 0 to 60", seconds)
    where = Path(folder)
    if not where.is_dir():
        raise InputError(f"{folder} cannot be seen.", "A cluster needs a folder that all see.")
    time.sleep(seconds)
    replace_file(where / f"{number}.txt", f"{number}\n".encode())
    return number * number
