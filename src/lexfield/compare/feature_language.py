"""Features of style in the language of the texts: its function words and its parts of speech."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from lexfield.compare.style import parse_features
from lexfield.text.document import Document
from lexfield.text.language import FIELD, UNKNOWN, choose_language, detect_text_language
from lexfield.text.language_data import find_code
from lexfield.text.speech import choose_tagged_language

_READ = 3000  # characters by which a language is known


def use_language(spec: str, languages: Counter[str]) -> str:
    """Return a spec in which ``function`` and ``pos`` name the language that most is written in.

    One that is named already stays, and English is not named. Raise InputError if parts of speech
    are asked for in a language without a tagger.
    """
    choose = {"function": lambda: choose_language(languages)[0]}
    choose["pos"] = lambda: choose_tagged_language(languages)
    features = []
    for one in parse_features(spec):
        if one.name in choose and not one.language:
            language = choose[one.name]()
            one = one if language == "en" else replace(one, language=language)
        features.append(str(one))
    return ", ".join(features)


def count_languages(documents: Iterable[Document]) -> Counter[str]:
    """Return how many characters are in documents of each language, by its code. Where a document
    does not say it, its beginning tells."""
    counted: Counter[str] = Counter()
    for one in documents:
        code = find_code(one.metadata.get(FIELD, "")) or detect_text_language(one.text[:_READ])
        if code != UNKNOWN:
            counted[code] += len(one.text)
    return counted
