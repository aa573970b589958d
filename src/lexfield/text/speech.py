"""The part of speech of a word by itself, as one of a few classes.

Each distinct word gets one: a word that is sometimes a noun and sometimes a verb counts as what it
mostly is. ``taggers.py`` says which packages know those of which language. Any callable that maps a
word to a Penn Treebank tag, or to the name of a class, can replace them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.text.language_data import name_language
from lexfield.text.taggers import CLASSES, TAGGED, Tagger, find_class, find_tagger


def choose_tagger(languages: Counter[str]) -> Tagger:
    """Return the tagger of the language that most of a text is in.

    Raise InputError if that language has none, and MissingExtraError if its package is missing.
    """
    return find_tagger(choose_tagged_language(languages))


def choose_tagged_language(languages: Counter[str]) -> str:
    """Return the language that most of a text is in; English if it is unknown.

    ``languages`` has its sizes by code. Raise InputError if that language has no tagger.
    """
    language = languages.most_common(1)[0][0] if languages else "en"
    if language not in TAGGED:
        name = name_language(language).title()
        *known, last = (name_language(code).title() for code in TAGGED)
        raise InputError(
            f"Parts of speech are known for {', '.join(known)} and {last}; these texts are in"
            f" {name}.",
            "In Python, pass a tagger: lexfield.ranks.speech.speech(texts, tagger=function). Zipf,"
            " keyness, kwic, topics and search work in any language.",
        )
    return language


def class_of(tag: str) -> str:
    """Return the class of a Penn Treebank tag, or of the name of a class."""
    return tag if tag in CLASSES else find_class(tag)


def tag_words(words: Sequence[str], tagger: Tagger | None = None) -> NDArray[np.uint8]:
    """Return the class of every word, as its index in ``CLASSES``; by default of English words."""
    tag = tagger or find_tagger("en")
    classes = np.empty(len(words), np.uint8)
    for number, word in enumerate(words):
        name = tag(word)
        if not isinstance(name, str):
            raise InputError(
                f"The tagger returned {name!r} for {word!r}.",
                f"It must return a Penn Treebank tag or one of: {', '.join(CLASSES)}.",
            )
        classes[number] = CLASSES.index(class_of(name))
    return classes
