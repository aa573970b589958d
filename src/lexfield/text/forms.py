"""Base forms of words: what two inflected forms of one word have in common.

English irregular forms are looked up (rose: rise), then the Snowball stemmer of the language
removes endings. ``data/irregular.txt`` is made by ``scripts/make_opposites.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lexfield.text.normalise import find_stemmer, stem_words


def find_base_forms(words: Sequence[str], language: str) -> list[str]:
    """Return the base forms of words in lower case; the words if the language has no stemmer."""
    if is_english(language):
        irregular = _irregular()
        words = [irregular.get(word, word) for word in words]
    return stem_words(words, find_stemmer(language))


def is_english(language: str) -> bool:
    return language in ("en", "english")


def read_table(name: str) -> list[list[str]]:
    """Return the words of each line of a table in ``data``."""
    text = (Path(__file__).parent / "data" / f"{name}.txt").read_text("ascii")
    return [line.split() for line in text.splitlines()]


@cache
def _irregular() -> dict[str, str]:
    return dict(read_table("irregular"))
