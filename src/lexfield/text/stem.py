"""Stems of words, by Snowball (Porter 2001; the package PyStemmer)."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cache
from typing import Any

from lexfield.errors import InputError

NONE = "none"


def stem_words(words: Sequence[str], stemmer: str) -> list[str]:
    """Return the stem of every word by a Snowball stemmer; the words themselves for "none"."""
    if stemmer == NONE:
        return list(words)
    stems: list[str] = _stemmer(stemmer).stemWords(list(words))
    return stems


def stemmers() -> list[str]:
    """Return the names of all stemmers, mostly languages: english, german, porter, …"""
    import Stemmer

    return sorted(Stemmer.algorithms())


def check_stemmer(name: str) -> None:
    """Raise InputError if there is no stemmer of this name."""
    if name != NONE and name not in stemmers():
        close = difflib.get_close_matches(name, stemmers(), 1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise InputError(
            f"There is no stemmer {name!r}.", f"{hint}There are: none, {', '.join(stemmers())}."
        )


@cache
def _stemmer(name: str) -> Any:
    import Stemmer

    check_stemmer(name)
    return Stemmer.Stemmer(name)
