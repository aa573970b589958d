"""lexfield compares, searches and measures texts as clouds of word vectors.

    import lexfield as lx
    vectors = lx.WordVectors.default()
    vectors.nearest("book", 10)

Names are imported when they are first used, so ``import lexfield`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lexfield.plottable import Plottable

if TYPE_CHECKING:
    from lexfield.bags.bag import Bag
    from lexfield.bags.keyness import keyness
    from lexfield.bags.matrix import BagMatrix
    from lexfield.cluster.build_shards import build_sharded
    from lexfield.cluster.dask_engine import open_engine
    from lexfield.diverge.between import divergence, knn_divergence
    from lexfield.diverge.labeler import DivergenceLabeler
    from lexfield.diverge.pairs import pairs
    from lexfield.errors import LexfieldError
    from lexfield.evaluate.fusion import fuse
    from lexfield.metric.distortion import MinimumDistortion
    from lexfield.ranks.layout import layout
    from lexfield.ranks.speech import speech
    from lexfield.ranks.zipf import zipf
    from lexfield.search.index import Index
    from lexfield.search.registry import register
    from lexfield.text.corpus import Corpus, Sentence
    from lexfield.text.document import Document
    from lexfield.text.kwic import kwic
    from lexfield.text.normalise import Normalisation
    from lexfield.text.stopwords import stopwords
    from lexfield.text.vocabulary import Vocabulary
    from lexfield.topics import simplex
    from lexfield.topics.lda import TopicModel
    from lexfield.vectors.threshold import threshold
    from lexfield.vectors.wordvectors import WordVectors

__version__ = "0.1.0"

_HOMES = {
    "Bag": "bags.bag",
    "BagMatrix": "bags.matrix",
    "Corpus": "text.corpus",
    "DivergenceLabeler": "diverge.labeler",
    "Document": "text.document",
    "Index": "search.index",
    "LexfieldError": "errors",
    "MinimumDistortion": "metric.distortion",
    "Normalisation": "text.normalise",
    "Sentence": "text.corpus",
    "TopicModel": "topics.lda",
    "Vocabulary": "text.vocabulary",
    "WordVectors": "vectors.wordvectors",
    "build_sharded": "cluster.build_shards",
    "divergence": "diverge.between",
    "fuse": "evaluate.fusion",
    "keyness": "bags.keyness",
    "knn_divergence": "diverge.between",
    "kwic": "text.kwic",
    "layout": "ranks.layout",
    "open_engine": "cluster.dask_engine",
    "pairs": "diverge.pairs",
    "register": "search.registry",
    "simplex": "topics.simplex",
    "speech": "ranks.speech",
    "stopwords": "text.stopwords",
    "threshold": "vectors.threshold",
    "zipf": "ranks.zipf",
}

__all__ = [
    "Bag",
    "BagMatrix",
    "Corpus",
    "DivergenceLabeler",
    "Document",
    "Index",
    "LexfieldError",
    "MinimumDistortion",
    "Normalisation",
    "Sentence",
    "TopicModel",
    "Vocabulary",
    "WordVectors",
    "build_sharded",
    "divergence",
    "fuse",
    "keyness",
    "knn_divergence",
    "kwic",
    "layout",
    "open_engine",
    "pairs",
    "register",
    "simplex",
    "speech",
    "stopwords",
    "threshold",
    "zipf",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lexfield' has no attribute {name!r}")
    home = import_module(f"lexfield.{_HOMES[name]}")
    value = getattr(home, name, home)  # simplex is a module
    globals()[name] = value
    return value


def _draw(result: Plottable, *arguments: Any, **options: Any) -> Any:
    """Draw a result; the plots are imported when the first one is drawn."""
    from lexfield.plots.draw import draw

    return draw(result, *arguments, **options)


Plottable.draw = _draw


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
