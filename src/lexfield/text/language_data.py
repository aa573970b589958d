"""What is known about each language, from ``data/languages``; its README says what the fields are.

Languages are named by their two-letter codes. ``find_code`` understands what files and users write.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "data" / "languages"
# Languages without a file, which are known by their stopwords or by their script.
_OTHER_NAMES = {
    "bg": "bulgarian", "ca": "catalan", "hi": "hindi", "id": "indonesian",
    "he": "hebrew", "ka": "georgian", "hy": "armenian", "ta": "tamil",
    "bn": "bengali",
}  # fmt: skip
_OTHER_CODES = {"iw": "he", "in": "id"}


@dataclass(frozen=True)
class Language:
    """The file of one language."""

    name: str
    aliases: tuple[str, ...] = ()
    letters: str = ""
    endings: tuple[str, ...] = ()
    titles: frozenset[str] = frozenset()
    abbreviations: frozenset[str] = frozenset()
    before_number: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    ordinals: bool = False
    dotless: bool = False
    unmarked: bool = False
    stopwords: frozenset[str] = frozenset()
    particles: tuple[str, ...] = ()
    elided: tuple[str, ...] = ()
    months: tuple[str, ...] = ()


@cache
def read_language(code: str) -> Language:
    """Return the file of a language; one without a file has a name only."""
    import tomllib  # every command imports this module; few need it

    path = _FOLDER / f"{code}.toml"
    if code not in list_codes() or not path.is_file():
        return Language(_OTHER_NAMES.get(code, code))
    fields = tomllib.loads(path.read_text("utf-8"))
    kinds = dict.fromkeys(("aliases", "endings", "particles", "elided", "months"), tuple)
    for name, value in fields.items():
        if name not in ("name", "letters", "ordinals", "dotless", "unmarked"):
            fields[name] = kinds.get(name, frozenset)(value.split())
    return Language(**fields)


@cache
def list_codes() -> tuple[str, ...]:
    """Return the codes of all languages that are known by name."""
    files = {path.stem for path in _FOLDER.glob("*.toml")}
    return tuple(sorted(files.union(_OTHER_NAMES)))


@cache
def find_code(written: str) -> str:
    """Return the code of a language that is written "fr", "fr-FR", "fra" or "French"; else ""."""
    start = written.strip().lower().replace("_", "-").partition("-")[0]
    return _codes().get(start, "")


def name_language(language: str) -> str:
    """Return the name of a language that may be given by its code: ``"english"`` for ``"en"``."""
    code = find_code(language)
    return read_language(code).name if code else language


@cache
def _codes() -> dict[str, str]:
    known = dict(_OTHER_CODES)
    for code in list_codes():
        language = read_language(code)
        known |= dict.fromkeys((code, language.name, *language.aliases), code)
    return known
