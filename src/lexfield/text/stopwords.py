"""Stopword lists by language: of the ``stop-words`` package, and of the language's own file."""

from __future__ import annotations

from functools import cache

from lexfield.errors import InputError
from lexfield.text.language_data import find_code, list_codes, read_language

_PACKAGE_CODES = {"cs": "cz"}  # what the package calls them


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a list."""
    from stop_words import LANGUAGE_MAPPING

    package = {find_code(code) for code in LANGUAGE_MAPPING}
    return tuple(code for code in list_codes() if code in package or read_language(code).stopwords)


@cache
def stopwords(language: str | None = "en") -> frozenset[str]:
    """Return the stopwords of a language (``"en"`` or ``"english"``); empty for None or ``"none"``,
    and for a language that has no list.

    The lists are the short classical ones (174 words for English, contractions among them).
    """
    code = check_language(language)
    if not code:
        return frozenset()
    language_data = read_language(code)
    return _read_package(code) | language_data.stopwords | frozenset(language_data.elided)


def _read_package(code: str) -> frozenset[str]:
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    name = _PACKAGE_CODES.get(code, code)
    words = get_stop_words(name) if name in LANGUAGE_MAPPING else ()
    return frozenset(word.strip().lower() for word in words)


def check_language(language: str | None) -> str:
    """Return the code of a language, empty for None or "none". Raise InputError for others."""
    if language is None or language == "none":
        return ""
    if code := find_code(language):
        return code
    raise InputError(
        f"There is no language {language!r}.", f"Choose one of {', '.join(list_codes())}, or none."
    )
