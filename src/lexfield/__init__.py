"""lexfield finds, compares and explains texts.

    import lexfield as lx
    lx.compare("emma.txt", "ulysses.txt")
    lx.near("book")
    lx.open("my.idx").search("a storm at sea")

Every command of the command line is a function here. Names are imported when they are first used,
so that ``import lexfield`` is quick.
"""

from __future__ import annotations

import io
import sys
import warnings
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lexfield.plottable import Plottable

if TYPE_CHECKING:  # every public name
    from lexfield.bags.bag import Bag as Bag
    from lexfield.bags.matrix import BagMatrix as BagMatrix
    from lexfield.compare.classifier import Delta as Delta
    from lexfield.compare.classifier import DivergenceLabeler as DivergenceLabeler
    from lexfield.compare.estimate import Estimate as Estimate
    from lexfield.errors import LexfieldError as LexfieldError
    from lexfield.explain import Explanation as Explanation
    from lexfield.index.query import Query as Query
    from lexfield.index.ranking import Hit as Hit
    from lexfield.index.ranking import Ranking as Ranking
    from lexfield.metric.distortion import MinimumDistortion as MinimumDistortion
    from lexfield.results import Table as Table
    from lexfield.search.index import Index as Index
    from lexfield.shortcuts import embed as embed
    from lexfield.shortcuts import open as open
    from lexfield.shortcuts import register as register
    from lexfield.text.corpus import Corpus as Corpus
    from lexfield.text.corpus import Sentence as Sentence
    from lexfield.text.corpus import Vocabulary as Vocabulary
    from lexfield.text.document import Document as Document
    from lexfield.text.normalise import Normalisation as Normalisation
    from lexfield.topics.lda import TopicModel as TopicModel
    from lexfield.vectors.wordvectors import WordVectors as WordVectors
    from lexfield.verbs.align import align as align
    from lexfield.verbs.attribute import attribute as attribute
    from lexfield.verbs.compare import compare as compare
    from lexfield.verbs.compare import duplicates as duplicates
    from lexfield.verbs.counts import bag as bag
    from lexfield.verbs.counts import keyness as keyness
    from lexfield.verbs.counts import kwic as kwic
    from lexfield.verbs.documents import documents as documents
    from lexfield.verbs.documents import facets as facets
    from lexfield.verbs.index import add as add
    from lexfield.verbs.index import compact as compact
    from lexfield.verbs.index import delete as delete
    from lexfield.verbs.index import encode as encode
    from lexfield.verbs.index import index as index
    from lexfield.verbs.info import info as info
    from lexfield.verbs.info import sign as sign
    from lexfield.verbs.info import verify as verify
    from lexfield.verbs.inspire import balls as balls
    from lexfield.verbs.inspire import inspire as inspire
    from lexfield.verbs.label import label as label
    from lexfield.verbs.map import map as map
    from lexfield.verbs.methods import methods as methods
    from lexfield.verbs.metric import evaluate_metric as evaluate_metric
    from lexfield.verbs.metric import learn_metric as learn_metric
    from lexfield.verbs.metric import list_metrics as list_metrics
    from lexfield.verbs.metric import remove_metric as remove_metric
    from lexfield.verbs.overview import overview as overview
    from lexfield.verbs.pairs import pairs as pairs
    from lexfield.verbs.predict import predict as predict
    from lexfield.verbs.ranks import clusters as clusters
    from lexfield.verbs.ranks import layout as layout
    from lexfield.verbs.ranks import speech as speech
    from lexfield.verbs.ranks import zipf as zipf
    from lexfield.verbs.results import Result as Result
    from lexfield.verbs.reuse import reuse as reuse
    from lexfield.verbs.rolling import rolling as rolling
    from lexfield.verbs.run import run as run
    from lexfield.verbs.runs import evaluate as evaluate
    from lexfield.verbs.runs import fuse as fuse
    from lexfield.verbs.sample import sample as sample
    from lexfield.verbs.search import bags as bags
    from lexfield.verbs.search import search as search
    from lexfield.verbs.text import show as show
    from lexfield.verbs.text import text as text
    from lexfield.verbs.topic_neighbours import find_topic_neighbours as find_topic_neighbours
    from lexfield.verbs.topic_shares import topic_shares as topic_shares
    from lexfield.verbs.topics import fit_topics as fit_topics
    from lexfield.verbs.topics import infer as infer
    from lexfield.verbs.topics import topics as topics
    from lexfield.verbs.trend import trend as trend
    from lexfield.verbs.vectors import describe_vectors as describe_vectors
    from lexfield.verbs.vectors import import_vectors as import_vectors
    from lexfield.verbs.vectors import list_vectors as list_vectors
    from lexfield.verbs.vectors import measure_uncertainty as measure_uncertainty
    from lexfield.verbs.vectors import train_vectors as train_vectors
    from lexfield.verbs.warm import warm as warm
    from lexfield.verbs.words import near as near
    from lexfield.verbs.words import threshold as threshold

__version__ = "0.2.0"

# Names of version 0.1, which work for one more version: where they are, and what to use instead.
_RENAMED = {
    "build_sharded": ("cluster.build_shards:build_sharded", "lexfield.index(…, shards=N)"),
    "divergence": ("compare.pair:divergence", "lexfield.compare(a, b)"),
    "knn_divergence": (
        "compare.pair:knn_divergence",
        "from lexfield.compare.pair import knn_divergence",
    ),
    "open_engine": ("cluster.dask_engine:open_engine", "lexfield.cluster.dask_engine.open_engine"),
    "simplex": ("topics.simplex:", "from lexfield.topics import simplex"),
    "stopwords": ("text.stopwords:stopwords", "from lexfield.text.stopwords import stopwords"),
}

# What people look for under another name.
_INSTEAD = {"search_many": "lexfield.search(index, [text, …])"}

# The imports above are the only list of public names; here they are read, not executed.
with io.open_code(__file__) as _source:
    _LINES = [line.split() for line in _source.read().decode().splitlines()]
_HOMES = {line[5]: line[1] for line in _LINES if line[:1] == ["from"] and line[4:5] == ["as"]}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        return _find_renamed(name)
    home = _HOMES.get(name)
    if home is None and not name.startswith("_"):  # a verb that was added
        verb = import_module("lexfield.verbs").list_functions().get(name)
        home = verb and verb.module
    if home is None:
        hint = f"; use {_INSTEAD[name]}" if name in _INSTEAD else ""
        raise AttributeError(f"module 'lexfield' has no attribute {name!r}{hint}")
    found = globals()[name] = getattr(import_module(home), name)
    if hasattr(found, "verb"):
        import_module("lexfield.verbs.python_help").document(found)
    if package := sys.modules.get(f"{__name__}.{name}"):
        # ``import lexfield.search.bm25 as m`` looks for bm25 in the function ``lexfield.search``
        vars(package).update(vars(found))
        found.__dict__ = vars(package)
    return found


def _find_renamed(name: str) -> Any:
    """Return what a name of an earlier version stands for, and warn."""
    home, instead = _RENAMED[name]
    warnings.warn(f"lexfield.{name} is deprecated: use {instead}", DeprecationWarning, stacklevel=3)
    path, _, attribute = home.partition(":")
    module = import_module(f"lexfield.{path}")
    return getattr(module, attribute) if attribute else module


class _Package(ModuleType):
    """This package. Importing a subpackage such as ``lexfield.search`` binds it as an attribute of
    the package, which would replace the function of the same name; the function stays."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in __all__):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def _draw(result: Plottable, *arguments: Any, **options: Any) -> Any:
    """Draw a result; the plots are imported when the first one is drawn, as names are."""
    return import_module("lexfield.plots.draw").draw(result, *arguments, **options)


Plottable.draw = _draw


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
