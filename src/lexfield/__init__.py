"""lexfield compares, searches and measures texts as clouds of word vectors.

    import lexfield as lx
    vectors = lx.WordVectors.default()
    vectors.nearest("book", 10)

Names are imported when they are first used, so ``import lexfield`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lexfield.bags.bag import Bag
    from lexfield.bags.matrix import BagMatrix
    from lexfield.errors import LexfieldError
    from lexfield.ranks.layout import layout
    from lexfield.ranks.speech import speech
    from lexfield.ranks.zipf import zipf
    from lexfield.search.index import Index
    from lexfield.text.corpus import Corpus, Sentence
    from lexfield.text.document import Document
    from lexfield.text.normalise import Normalisation
    from lexfield.text.stopwords import stopwords
    from lexfield.text.vocabulary import Vocabulary
    from lexfield.vectors.wordvectors import WordVectors

__version__ = "0.1.0"

_HOMES = {
    "Bag": "bags.bag",
    "BagMatrix": "bags.matrix",
    "Corpus": "text.corpus",
    "Document": "text.document",
    "Index": "search.index",
    "LexfieldError": "errors",
    "Normalisation": "text.normalise",
    "Sentence": "text.corpus",
    "Vocabulary": "text.vocabulary",
    "WordVectors": "vectors.wordvectors",
    "layout": "ranks.layout",
    "speech": "ranks.speech",
    "stopwords": "text.stopwords",
    "zipf": "ranks.zipf",
}

__all__ = [
    "Bag",
    "BagMatrix",
    "Corpus",
    "Document",
    "Index",
    "LexfieldError",
    "Normalisation",
    "Sentence",
    "Vocabulary",
    "WordVectors",
    "layout",
    "speech",
    "stopwords",
    "zipf",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lexfield' has no attribute {name!r}")
    value = getattr(import_module(f"lexfield.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
