"""The part of speech of a word by itself, as its Penn Treebank tag or as one of a few classes.

Each distinct word gets one tag: a word that is sometimes a noun and sometimes a verb counts as what
it mostly is. The default tagger is TextBlob's (the extra ``speech``): a lexicon of 94,000 English
words, and rules for the endings of others. Any callable that maps a word to a Penn Treebank tag, or
to the name of a class, can replace it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, need
from lexfield.text.language_data import name_language

CLASSES = ("noun", "verb", "adjective", "adverb", "pronoun", "other")
Tagger = Callable[[str], str]
# Prefixes of Penn Treebank tags; all others, such as digits and punctuation, are "other".
_PENN = {
    "NN": "noun",
    "VB": "verb",
    "MD": "verb",
    "JJ": "adjective",
    "RB": "adverb",
    "WRB": "adverb",
    "PRP": "pronoun",
    "WP": "pronoun",
}


def default_tagger() -> Tagger:
    """Return TextBlob's tagger, for one word at a time."""
    parser = need("textblob.en", "speech").parser
    return lambda word: str(parser.find_tags([word])[0][1])


def require_english(languages: Counter[str]) -> None:
    """Raise InputError if most of a text is in a language that has no tagger here.

    ``languages`` has its sizes by code; a text whose language is unknown passes.
    """
    if languages and (language := languages.most_common(1)[0][0]) != "en":
        name = name_language(language).title()
        raise InputError(
            f"Parts of speech are known for English only; these texts are in {name}.",
            "In Python, pass a tagger: lexfield.ranks.speech.speech(texts, tagger=function). Zipf,"
            " keyness, kwic, topics and search work in any language.",
        )


def class_of(tag: str) -> str:
    """Return the class of a Penn Treebank tag, or of the name of a class."""
    if tag in CLASSES:
        return tag
    return next((name for start, name in _PENN.items() if tag.startswith(start)), "other")


def tag_words(words: Sequence[str], tagger: Tagger | None = None) -> NDArray[np.uint8]:
    """Return the class of every word, as its index in ``CLASSES``."""
    tag = tagger or default_tagger()
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
