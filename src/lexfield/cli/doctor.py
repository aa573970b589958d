"""``lexfield doctor``"""

from __future__ import annotations

import locale
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from lexfield.cli.output import CommandResult
from lexfield.cli.system import describe_version, list_extras, list_missing
from lexfield.errors import InputError
from lexfield.results import JsonObject
from lexfield.search.index import Index
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs.declare import verb
from lexfield.verbs.info import verify

_SPACE = 1_000_000_000  # bytes that a small collection and its vectors may need
_EXTRAS = {
    "cjk": "words of Chinese, Japanese and Thai",
    "cluster": "several machines",
    "documents": "PDF",
    "encoder": "sentence encoders, words of 16 languages",
    "faiss": "approximate neighbours",
    "glove": "GloVe's vectors",
    "pandas": "data frames",
    "parquet": "Parquet files",
    "plots": "figures",
    "polars": "data frames",
    "serve": "the page",
    "sign": "signed indexes",
    "speech": "parts of speech",
    "taggers": "parts of speech of other languages",
    "train": "vectors trained on your texts",
}
_TEXTS = {"cat": "The cat sat on the mat. It slept.", "ship": "The ship sailed home in the storm."}


@verb(command="doctor", served="no")
def examine() -> CommandResult:
    """Check that lexfield is installed correctly and works.

    Tries the packages, the vectors, a search and the disk.

    lexfield doctor
    lexfield doctor --json
    """
    rows = [_check(name, check) for name, check in _CHECKS.items()]
    rows += [
        {
            "check": f"extra {name}",
            "state": "absent" if missing else "ok",
            "about": _EXTRAS.get(name, ""),
        }
        for name, missing in list_extras().items()
    ]
    width = max(len(row["check"]) for row in rows)
    lines = [*describe_version()[:3], ""]
    lines += (f"{row['state']:<8}{row['check']:<{width}}  {row['about']}".rstrip() for row in rows)
    if any(row["state"] == "absent" for row in rows):
        lines += ["", "Extras are optional. To add some: pip install 'lexfield[plots,serve]'"]
    failed = [row["check"] for row in rows if row["state"] == "failed"]
    result = CommandResult(rows, text=lines)
    if failed:
        result.error = InputError(
            f"Something is wrong with: {', '.join(failed)}.",
            "Reinstall lexfield into an empty environment; if that does not help, please report"
            " what this command prints.",
        )
    return result


def _check(name: str, check: Callable[[], str]) -> JsonObject:
    """Return the outcome of a check; an exception is reported, not raised."""
    try:
        return {"check": name, "state": "ok", "about": check()}
    except Exception as error:
        return {"check": name, "state": "failed", "about": f"{type(error).__name__}: {error}"}


def _check_packages() -> str:
    if missing := list_missing():
        raise InputError(f"not installed: {', '.join(missing)}")
    return ""


def _check_vectors() -> str:
    vectors = WordVectors.default()
    if vectors.nearest("book", 1)[0].word != "books":
        raise InputError("the bundled vectors are not those of this version")
    return f"{len(vectors.words):,} English words"


def _check_search() -> str:
    with tempfile.TemporaryDirectory(prefix="lexfield-doctor-") as folder:
        path = Path(folder) / "my.idx"
        Index.build(_TEXTS, path)
        found = Index.open(path).search("a vessel at sea", k=1)
        if found[0].document != "ship" or verify(path).failure:
            raise InputError("a search in a new index went wrong")
    return "an index was built, searched and verified"


def _check_disk() -> str:
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < _SPACE:
        raise InputError(f"only {free / 1e9:.1f} GB free in {tempfile.gettempdir()}")
    return f"{free / 1e9:,.0f} GB free in {tempfile.gettempdir()}"


def _check_encoding() -> str:
    encoding = (sys.stdout.encoding or locale.getpreferredencoding()).lower()
    "ä≈→".encode(encoding)
    return encoding


def _check_command() -> str:
    found = shutil.which("lexfield")
    if found and not os.path.samefile(Path(found).parent, Path(sys.executable).parent):
        raise InputError(f"the command is {found}, of another environment than {sys.executable}")
    return found or "not on the path; python -m lexfield does the same"


_CHECKS: dict[str, Callable[[], str]] = {
    "packages": _check_packages,
    "command": _check_command,
    "encoding": _check_encoding,
    "disk": _check_disk,
    "word vectors": _check_vectors,
    "search": _check_search,
}
