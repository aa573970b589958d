"""The tasks that build an index in shards: pure functions of stores at a place and parameters.

What a task writes is named after everything that it depends on, so a task that runs twice, or again
in a later run, finds its work done.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import numpy as np

from lexfield.cluster.shard_names import NAME, SHARD
from lexfield.index.basis import Basis
from lexfield.index.lists import count_holding
from lexfield.index.segment import BALL, content_words, number_stems, save_rows
from lexfield.index.units import UNITS, text_rows, token_starts
from lexfield.results import JsonObject
from lexfield.store.folder import Store, Writer, manifest_sum, write
from lexfield.store.manifest import root_of
from lexfield.store.place import Place, place_of
from lexfield.store.scratch import Spool, release, spool_beside
from lexfield.store.strings import StringArray
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import NONE, Normalisation
from lexfield.vectors.nearest import nearest_rows, prepare_rows
from lexfield.vectors.wordvectors import WordEmbeddings

_STEP = 1 << 22  # tokens that are renumbered at a time


def cut_documents(
    place: str, out: str, chunks: list[str], first: int, count: int, normalisation: JsonObject
) -> JsonObject:
    """Cut ``count`` documents of spooled chunks, from the ``first`` on, into a corpus."""
    where = place_of(place)
    if not where.has(out):
        lines = (line for chunk in chunks for line in where.read(chunk).splitlines())
        documents = (Document(**json.loads(line)) for line in islice(lines, first, first + count))
        with (
            where.writing(out) as folder,
            spool_beside(folder),
            write(folder, "cut corpus") as writer,
        ):
            corpus = Corpus.of(documents, normalisation=Normalisation(**normalisation))
            writer.meta["corpus"] = corpus.save(writer)
            writer.meta["about"] = {
                "documents": len(corpus.ids),
                "sentence": len(corpus.sentence_spans),
                "document": len(corpus.ids),
                "tokens": len(corpus.tokens),
                "fields": sorted({n for i in range(len(corpus.ids)) for n in corpus.metadata(i)}),
                "empty": int((np.diff(corpus.sentence_offsets) == 0).sum()),
            }
    about: JsonObject = Store.open(where.store(out), "cut corpus").meta["about"]
    return about


def sample_rows(
    place: str,
    out: str,
    cut: str,
    words: str,
    language: str,
    rows: dict[str, int],
    first: dict[str, int],
) -> str:
    """Store a cut corpus's part of the sample of rows from which the common axes are computed."""
    where = place_of(place)
    if not where.has(out):
        with where.writing(out) as folder, spool_beside(folder), write(folder, "sample") as writer:
            corpus, shared, own = _renumber(where, cut, words)
            content = content_words(corpus.vocabulary, language)
            embedded = _take_words(shared, own)
            for unit in UNITS:
                texts = text_rows(corpus, unit, content, embedded)
                offsets, some, weights = texts.sample(rows[unit], first[unit])
                writer.array(f"{unit}.offsets", offsets)
                writer.array(f"{unit}.words", own[some])
                writer.array(f"{unit}.shares", weights)
    return out


def nearest_words(place: str, out: str, words: str, first: int, last: int) -> str:
    """Store the balls of some words, numbered among those that have a vector."""
    where = place_of(place)
    if not where.has(out):
        shared = Store.open(where.store(words), "words")
        vectors = shared.array("vectors")[np.flatnonzero(shared.array("how"))]
        found = nearest_rows(
            vectors[first:last],
            prepare_rows(vectors, euclidean=True),
            k=min(BALL, len(vectors) - 1),
            skip=np.arange(first, last),
        )
        with where.writing(out) as folder, write(folder, "balls") as writer:
            writer.array("rows", found.rows.reshape(last - first, -1))
    return out


def make_shard(place: str, out: str, cut: str, words: str, basis: str, language: str) -> JsonObject:
    """Write the shard of a cut corpus and return its entry for the manifest."""
    where = place_of(place)
    if not where.has(out):
        with where.writing(out) as folder, spool_beside(folder), write(folder, SHARD) as writer:
            corpus, shared, own = _renumber(where, cut, words)
            bases = _read_bases(Store.open(where.store(basis), "basis"), shared, own)
            embedded = _take_words(shared, own)
            meta = save_rows(writer, NAME, corpus, embedded, language, bases)
            writer.meta["corpus"] = meta["corpus"]
            writer.array("own", own)
            _save_holding(writer, corpus)
    made = where.store(out)
    return {"name": out.rpartition("/")[2], "manifest": manifest_sum(made), "root": root_of(made)}


def _read_bases(axes: Store, shared: Store, own: Any) -> dict[str, Basis]:
    """Return the common axes, with the coordinates of a shard's own words on them."""
    known = shared.array("how")[own] > 0
    turned = (np.cumsum(shared.array("how") > 0) - 1)[own[known]]
    return {
        unit: Basis(
            axes.array(f"{unit}.center"),
            axes.array(f"{unit}.rotation"),
            axes.array(f"{unit}.turned")[turned],
        )
        for unit in UNITS
    }


def _save_holding(writer: Writer, corpus: Corpus) -> None:
    """Write how many rows hold each word, and each stem if there is a stemmer."""
    stemmer = corpus.normalisation.stemmer
    numbers: list[str] = []
    terms = np.empty(0, np.int32)
    if stemmer != NONE:
        numbers, terms = number_stems(list(corpus.vocabulary), stemmer)
        writer.strings("stems", numbers)
    words = np.arange(len(corpus.vocabulary), dtype=np.int32)
    for unit in UNITS:
        starts = token_starts(corpus, unit)
        holding = count_holding(corpus, starts, words)
        writer.array(f"{unit}.holding", holding.astype(np.int64))
        if numbers:
            holding = count_holding(corpus, starts, terms)
            writer.array(f"{unit}.term_holding", holding.astype(np.int64))


def _take_words(shared: Store, own: Any) -> WordEmbeddings:
    """Return the vectors of some of all words."""
    known = own[shared.array("how")[own] > 0]
    matches = shared.array("how")[own]
    contributions = shared.array("contributions")[known]
    return WordEmbeddings(shared.array("vectors")[known], matches, contributions)


def _renumber(where: Place, cut: str, words: str) -> tuple[Corpus, Store, Any]:
    """Return a cut corpus with words in the order of all words, these, and the number of each."""
    store = Store.open(where.store(cut), "cut corpus")
    shared = Store.open(where.store(words), "words")
    corpus = Corpus.load(store, store.meta["corpus"])
    ids = {word: number for number, word in enumerate(shared.strings("words"))}
    mine = list(corpus.vocabulary)
    numbers = np.array([ids[word] for word in mine], np.int32)
    order = np.argsort(numbers)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    tokens, old = Spool("i"), corpus.arrays["tokens"]
    for first in range(0, len(old), _STEP):
        tokens.add(place[old[first : first + _STEP]])
        release()
    arrays = {
        **corpus.arrays,
        "tokens": tokens.view(),
        "counts": corpus.vocabulary.counts[order],
    }
    strings = {**corpus.strings, "words": StringArray.pack(mine[i] for i in order.tolist())}
    again = Corpus(arrays, strings, corpus.normalisation, corpus.notes)
    return again, shared, numbers[order]
