"""Long texts that people paste, kept under short ids so that a link can name them.

A text is a file named by its hash, readable by its owner only. Files are bounded in number of bytes
and deleted some time after they were last asked for, the oldest first.
"""

from __future__ import annotations

import hashlib
import re
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from lexfield.errors import InputError
from lexfield.serve.inputs import VerbRequest
from lexfield.serve.problems import NotFoundError
from lexfield.store.files import private_files, replace_file

LONGEST = 5_000_000  # characters of a text
_KEPT, _DAYS = 200_000_000, 90  # bytes of all texts, and for how long
_ID = re.compile(r"[0-9a-f]{16}")
_REFERENCE = re.compile(rf"paste:({_ID.pattern})")


class Paste(msgspec.Struct):
    """A text that was pasted; wherever a text can be sent, ``paste:ID`` stands for it."""

    id: str
    characters: int
    text: str | msgspec.UnsetType = msgspec.UNSET


@dataclass(frozen=True)
class Pastes:
    """The texts in a folder."""

    folder: Path

    def keep(self, text: str) -> Paste:
        """Keep a text and return its id, the same for the same text."""
        if not text.strip():
            raise InputError("There is no text in what was pasted.")
        data = text.encode("utf-8", "replace")
        id = hashlib.sha256(data).hexdigest()[:16]
        with private_files():
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_file(self.folder / f"{id}.txt", data)
        self._tidy()
        return Paste(id, len(text))

    def read(self, id: str) -> Paste:
        """Return a text by its id. Raise NotFoundError if it is gone."""
        path = self.folder / f"{id}.txt"
        if _ID.fullmatch(id):
            with suppress(OSError):
                text = path.read_bytes().decode("utf-8", "replace")
                path.touch()
                return Paste(id, len(text), text)
        raise NotFoundError(
            f"There is no pasted text {id[:20]!r} any more.",
            f"Texts are kept for {_DAYS} days after they were last used; paste it again.",
        )

    def expand(self, request: VerbRequest) -> VerbRequest:
        """Return a request with texts in place of ``paste:ID``."""
        return replace(request, values={n: self._expand(v) for n, v in request.values.items()})

    def _expand(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._expand(one) for one in value]
        found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
        return value if found is None else self.read(found[1]).text

    def _tidy(self) -> None:
        """Delete texts that have been unused for long, and the oldest ones above the limit."""
        known = []
        for path in self.folder.glob("*.txt"):
            with suppress(OSError):
                about = path.stat()
                known.append((about.st_mtime, about.st_size, path))
        oldest, total = time.time() - _DAYS * 86_400, 0
        for used, size, path in sorted(known, reverse=True):
            total += size
            if (used < oldest or total > _KEPT) and _ID.fullmatch(path.stem):
                path.unlink(missing_ok=True)
