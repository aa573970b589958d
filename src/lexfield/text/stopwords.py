"""Stopword lists by language, from the ``stop-words`` package, or a list of the user's own."""

from __future__ import annotations

from functools import cache

from lexfield.errors import InputError


def languages() -> list[str]:
    """Return the codes of the languages that have a list."""
    from stop_words import LANGUAGE_MAPPING

    return sorted(LANGUAGE_MAPPING)


def name_language(language: str) -> str:
    """Return the name of a language that may be given by its code: ``"english"`` for ``"en"``."""
    from stop_words import LANGUAGE_MAPPING

    return str(LANGUAGE_MAPPING.get(language, language))


@cache
def stopwords(language: str | None = "en") -> frozenset[str]:
    """Return the stopwords of a language (``"en"`` or ``"english"``); empty for None or ``"none"``.

    The lists are the short classical ones (174 words for English, contractions among them).
    """
    if language is None or language == "none":
        return frozenset()
    from stop_words import AVAILABLE_LANGUAGES, LANGUAGE_MAPPING, get_stop_words

    if language not in LANGUAGE_MAPPING and language not in AVAILABLE_LANGUAGES:
        raise InputError(
            f"There is no stopword list for {language!r}.",
            f"Choose one of {', '.join(languages())}, or 'none'.",
        )
    return frozenset(word.strip().lower() for word in get_stop_words(language))
