"""Hooks of the documentation site: pages may show pictures and link to files of the repository.

Links that leave ``docs`` (``../reproduce/results/zipf.json``) work on disk and on forges. On the
site pictures and data they name are copied beside the pages; other links become plain text.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(((?:\.\./)+[^)#\s]+)(#[^)\s]*)?\)")
_COPIED = (".png", ".json")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Point links that leave the docs folder at copies of their files."""
    folder = Path("docs") / Path(page.file.src_uri).parent

    def pointed(match: re.Match[str]) -> str:
        mark, text, target, anchor = match.groups()
        path = Path(os.path.normpath(folder / target))
        if path.parts[0] == "docs":
            return match[0]
        if path.suffix not in _COPIED or not (ROOT / path).is_file():
            return text
        _copy(path, files, config)
        link = posixpath.relpath(path.as_posix(), Path(page.file.src_uri).parent.as_posix() or ".")
        return f"{mark}[{text}]({link}{anchor or ''})"

    return _LINK.sub(pointed, markdown)


def _copy(path: Path, files: Any, config: Any) -> None:
    from mkdocs.structure.files import File

    if files.get_file_from_path(path.as_posix()) is None:
        files.append(File(path.as_posix(), str(ROOT), config["site_dir"], False))
