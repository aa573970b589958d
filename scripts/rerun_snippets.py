"""Rerun the commands that pages show, and write what they print now.

    python scripts/rerun_snippets.py README.md docs/howto/choose.md

Only output that a page shows is replaced. A command that fails where the page shows no error is
reported, and its page is left as it is.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests import snippets

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.S | re.M)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def rerun(page: Path, folder: Path) -> str:
    """Return the text of a page with what its commands print in ``folder``."""

    def replace(found: re.Match[str]) -> str:
        try:
            printed = snippets.run_shown(found[1], found[2], folder)
        except AssertionError as error:
            raise SystemExit(f"{page}: {error}") from None
        return f"$ {found[1]}\n{printed.rstrip()}\n" if found[2] else found[0]

    text = page.read_text("utf-8")
    return _BLOCK.sub(lambda block: f"```console\n{_COMMAND.sub(replace, block[1])}```", text)


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as made:
        indexes = Path(made) / "indexes"
        indexes.mkdir()
        snippets.prepare(indexes)
        snippets.build_indexes(indexes)
        for number, name in enumerate(names):
            page, folder = Path(name), Path(made) / str(number)
            shutil.copytree(indexes, folder, symlinks=True)
            text = rerun(page, folder)
            if text != page.read_text("utf-8"):
                page.write_text(text, "utf-8")
                print(f"changed {page}")


if __name__ == "__main__":
    main(sys.argv[1:])
