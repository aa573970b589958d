"""An index: documents, the vectors of their words, and everything search needs, kept on disk.

It consists of segments that never change. ``add`` writes a new one, ``delete`` a mark, ``compact``
makes one of all; each is a new generation of the store, so readers and crashes see the old index or
the new one. Small segments are merged as they gather, so that there are never many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import Engine
from lexfield.errors import ChangedError, InputError, check
from lexfield.progress import Progress, silent
from lexfield.search.about import describe_index
from lexfield.search.embedding import VectorSource, embed_words
from lexfield.search.filter import allowed_rows, where_notes
from lexfield.search.lexicon import Lexicon
from lexfield.search.method import Method, format_method
from lexfield.search.parts import replacing, write_next
from lexfield.search.query import Query, look_up
from lexfield.search.ranking import Ranking, noted
from lexfield.search.registry import DEFAULT, parse, read_query
from lexfield.search.rows import Rows
from lexfield.search.segment import UNITS, Segment, save_segment
from lexfield.search.similar import search_similar
from lexfield.search.topics import fit_topics
from lexfield.search.upkeep import update_parts
from lexfield.search.whole import is_sharded, open_sharded
from lexfield.store.folder import Store, Writer, next_epoch, write
from lexfield.store.owned import refuse_others
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation
from lexfield.text.stopwords import stopwords
from lexfield.topics.lda import TopicModel
from lexfield.vectors.coverage import Coverage
from lexfield.vectors.wordvectors import WordEmbeddings, WordVectors

T = TypeVar("T")
KIND = "index"


class Index:
    """``Index.build(corpus, "idx")`` writes one, ``Index.open("idx")`` maps it."""

    metric: str | None = None  # under which its vectors are seen

    def __init__(self, path: Path) -> None:
        self.path = path
        self._load()

    def _load(self) -> None:
        self._store = Store.open(self.path, KIND)
        self.state = self._store.state  # differs even if another index takes this one's place
        self._meta: dict[str, Any] = self._store.meta
        for name in ("segments", "lexicon", "documents", "_rows", "_source"):
            self.__dict__.pop(name, None)

    @classmethod
    def build(
        cls,
        corpus: Corpus,
        path: str | Path,
        *,
        vectors: WordVectors | str | Path = "default",
        language: str = "en",
        replace: bool = False,
        progress: Progress = silent,
    ) -> Index:
        """Embed the words of a corpus and keep both, with what search needs, at ``path``.

        ``language`` names the stopwords that searching leaves out (``"none"`` for none).
        """
        cls.check_free(path, replace)
        if not len(corpus.tokens):
            raise InputError("The corpus holds no words; nothing was written.")
        stopwords(language)  # an unknown language is an error before any work
        embedded, about = embed_words(corpus.vocabulary, vectors, progress)
        with replacing(path), write(path, KIND, epoch=next_epoch(path)) as out:
            meta = save_segment(out, "s000001", corpus, embedded, language, progress)
            out.array("deleted", np.zeros(len(corpus.ids), bool))
            out.meta.update(segments=[meta], language=language, vectors=about)
        return cls(Path(path))

    @staticmethod
    def check_free(path: str | Path, replace: bool) -> None:
        """Refuse to build over an index unless that is wanted, or into a folder of others."""
        if not replace and (Path(path) / "CURRENT").exists():
            raise InputError(
                f"There is an index at {path} already; it was left as it is.",
                "Choose another name, or replace it with --replace (in Python: replace=True).",
            )
        refuse_others(Path(path))

    @classmethod
    def open(cls, path: str | Path, metric: str | None = None) -> Index:
        """Open an index; with ``metric``, as it is under one that was learned for it."""
        if is_sharded(path):
            return open_sharded(path, metric)
        if metric is not None:
            from lexfield.search.metric_index import MetricIndex

            return MetricIndex(Path(path), metric)
        return cls(Path(path))

    def add(
        self,
        documents: Corpus | Iterable[Document | str],
        *,
        vectors: WordVectors | None = None,
        progress: Progress = silent,
    ) -> int:
        """Add documents without rebuilding; gives their number. Ids must be new.

        Words that the index does not know get vectors from the set it was built with, or from
        ``vectors``.
        """
        items = documents.documents if isinstance(documents, Corpus) else documents
        new = Corpus.of(items, normalisation=self.normalisation, progress=progress)
        added = self._changing(lambda: self._add(new, vectors, progress)) if len(new.ids) else 0
        update_parts(self, progress)
        return added

    def _add(self, new: Corpus, vectors: WordVectors | None, progress: Progress) -> int:
        taken = [identity for identity in new.ids if identity in self.documents]
        if taken:
            raise InputError(
                f"The index holds {taken[0]!r} already"
                + (f" (and {len(taken) - 1} more of these ids)." if len(taken) > 1 else "."),
                "Delete it first, or give the new document another id.",
            )
        added = len(new.ids)
        kept, absorbed = self._split(len(new.tokens))
        if absorbed:
            old = [document for number in absorbed for document in self._live_documents(number)]
            new = Corpus.of([*old, *new.documents], normalisation=self.normalisation)
        embedded = self._embed(new, vectors)
        with write_next(self) as out:
            self._keep(out, kept)
            numbers = [int(meta["name"][1:]) for meta in self._meta["segments"]]
            name = f"s{max(numbers) + 1:06d}"
            meta = save_segment(out, name, new, embedded, self.language, progress)
            before = self._deleted[: sum(len(self.segments[number].corpus.ids) for number in kept)]
            out.array("deleted", np.append(before, np.zeros(len(new.ids), bool)))
            out.meta["segments"].append(meta)
        return added

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents by id; gives their number. With an unknown id none is deleted."""
        wanted = list(dict.fromkeys([ids] if isinstance(ids, str) else ids))
        return self._changing(lambda: self._delete(wanted))

    def _delete(self, wanted: list[str]) -> int:
        missing = [identity for identity in wanted if identity not in self.documents]
        if missing:
            raise InputError(
                f"The index holds no document {missing[0]!r}"
                + (f" (nor {len(missing) - 1} more of these)." if len(missing) > 1 else "."),
                "Nothing was deleted. Ids are those of documents, without the #number.",
            )
        deleted = self._deleted.copy()
        deleted[[self.documents[identity] for identity in wanted]] = True
        with write_next(self) as out:
            self._keep(out, range(len(self.segments)))
            out.array("deleted", deleted)
        return len(wanted)

    def compact(self, progress: Progress = silent) -> None:
        """Make one segment of all; what was deleted is gone for good.

        The result is the index that ``build`` would make of the remaining documents.
        """
        self._changing(lambda: self._compact(progress))
        update_parts(self, progress)

    def _compact(self, progress: Progress) -> None:
        corpus = self.corpus
        if not len(corpus.tokens):
            raise InputError("No document is left; an index cannot be empty. Delete its folder.")
        embedded = self._embed(corpus, None)
        with write_next(self) as out:
            meta = save_segment(out, "s000001", corpus, embedded, self.language, progress)
            out.array("deleted", np.zeros(len(corpus.ids), bool))
            coverage = embedded.coverage(corpus.vocabulary.counts)
            vectors = {**self._meta["vectors"], "coverage": coverage}
            out.meta.update(segments=[meta], language=self.language, vectors=vectors)

    def _changing(self, work: Callable[[], T]) -> T:
        """Do work that writes a new generation; again, on top of it, if another came between."""
        while True:
            self.refresh()
            with suppress(ChangedError):
                result = work()
                self.refresh()
                return result

    def refresh(self) -> None:
        """Go on with the newest generation, if another process has written one."""
        if not self._store.is_current():
            self._load()

    def search(
        self,
        text: str,
        method: str | Method = DEFAULT,
        k: int = 5,
        *,
        unit: str = "sentence",
        where: Mapping[str, str | Sequence[str]] | None = None,
        algebra: bool = False,
        allow_unknown: bool = False,
    ) -> Ranking:
        """The ``k`` best sentences (or documents) for a text, each with its reasons.

        where: only documents with these metadata, decided before ranking; several values of one
            field are alternatives.
        algebra: read the text as sums of words and phrases, as in ``3*storm - "at sea"`` (count,
            frequency, bm25, lm, translation); by default it is plain text.
        allow_unknown: search by vectors though most words of the index have none.
        """
        chosen = parse(method)
        rows = self.rows(unit)
        check(isinstance(k, int | np.integer) and k >= 1, "k", "a whole number of at least 1", k)
        query = read_query(self, chosen, text, algebra=algebra, allow_unknown=allow_unknown)
        allowed = allowed_rows(rows, where)
        found = chosen.search(rows, query, min(int(k), len(rows)), allowed)
        return Ranking(
            noted(found, query, where_notes(rows, where)), rows, format_method(chosen), text
        )

    def like(
        self, identity: str, method: str | Method = "topic", k: int = 5, **options: Any
    ) -> Ranking:
        """More like this document (or sentence, ``document#number``); options: ``where`` and
        ``allow_unknown``, as in ``search``."""
        return search_similar(self, identity, parse(method), k, **options)

    def fit_topics(self, topics: int = 50, **options: Any) -> TopicModel:
        """Fit topics to the documents and keep them here; options as ``TopicModel.fit``."""
        return fit_topics(self, topics, **options).needed_model()

    def search_many(
        self,
        texts: Sequence[str],
        method: str | Method = DEFAULT,
        k: int = 5,
        *,
        unit: str = "sentence",
        where: Mapping[str, str | Sequence[str]] | None = None,
        algebra: bool = False,
        allow_unknown: bool = False,
        names: Sequence[str] = (),
        progress: Progress = silent,
        engine: Engine | None = None,
    ) -> Iterator[Ranking]:
        """``search`` for many texts, in order, on all cores; or on those of a cluster.

        names: what the queries are called in errors; by default their numbers.
        """
        from lexfield.search.batch import SearchOptions, search_many

        options = SearchOptions(method, k, unit, where, algebra, allow_unknown)
        return search_many(self, texts, options, names, progress, engine)

    def rows(self, unit: str = "sentence") -> Rows:
        """All sentences or documents, as search methods see them."""
        check(unit in UNITS, "unit", "'sentence' or 'document'", unit)
        cached: dict[str, Rows] = self.__dict__.setdefault("_rows", {})
        if unit not in cached:
            cached[unit] = Rows(self.segments, self.lexicon, unit, self._deleted)
        return cached[unit]

    def query(self, text: str) -> Query:
        """Cut a text as the index's own were, and look its words up."""
        return look_up(self, text)

    @cached_property
    def segments(self) -> list[Segment]:
        return [Segment(self._store, meta) for meta in self._meta["segments"]]

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(self.segments, stopwords(self.language), self._deleted)

    @property
    def coverage(self) -> Coverage:
        """How many words of the index have a vector."""
        name = f"the index {self.path.name}"
        return Coverage(*self.lexicon.covered, self._meta["vectors"]["name"], name)

    @property
    def corpus(self) -> Corpus:
        """The documents that were not deleted; cut anew where there is more than one segment."""
        if len(self.segments) == 1 and not self._deleted.any():
            return self.segments[0].corpus
        numbers = range(len(self.segments))
        documents = [document for number in numbers for document in self._live_documents(number)]
        return Corpus.of(documents, normalisation=self.normalisation)

    @property
    def language(self) -> str:
        return str(self._meta["language"])

    @property
    def normalisation(self) -> Normalisation:
        return self.segments[0].corpus.normalisation

    @property
    def generation(self) -> str:
        """Which state of the index this is; every change, of topics or metrics too, makes one."""
        return self._store.generation

    @property
    def _deleted(self) -> NDArray[np.bool_]:
        return self._store.array("deleted")

    @cached_property
    def documents(self) -> dict[str, int]:
        """Id → number over all segments, of documents that were not deleted."""
        identities = [identity for segment in self.segments for identity in segment.corpus.ids]
        return {
            identity: number
            for number, (identity, gone) in enumerate(zip(identities, self._deleted, strict=True))
            if not gone
        }

    @cached_property
    def _source(self) -> VectorSource:
        """Where words that the index does not hold get their vectors."""
        return VectorSource(self._meta["vectors"])

    def _embed(self, corpus: Corpus, vectors: WordVectors | None) -> WordEmbeddings:
        """Vectors of a corpus's words: the index's own, and for new words from their set."""
        words = list(corpus.vocabulary)
        ids = np.array([self.lexicon.ids.get(word, -1) for word in words], np.int64)
        matrix = np.zeros((len(words), self.lexicon.vectors.shape[1]), np.float32)
        how = np.zeros(len(words), np.uint8)
        inside, outside = ids >= 0, np.flatnonzero(ids < 0)
        matrix[inside] = self.lexicon.vectors[ids[inside]]
        how[inside] = self.lexicon.how[ids[inside]]
        if len(outside):
            new = (vectors or self._source).embed([words[i] for i in outside])
            matrix[outside], how[outside] = new.matrix, new.matches
        return WordEmbeddings.from_matrix(matrix, how)

    def _split(self, tokens: int) -> tuple[range, range]:
        """Segments that stay, and the last ones, small beside ``tokens``, that are merged."""
        first = len(self.segments)
        while first > 0 and len(self.segments[first - 1].corpus.tokens) <= tokens:
            first -= 1
            tokens += len(self.segments[first].corpus.tokens)
        return range(first), range(first, len(self.segments))

    def _live_documents(self, number: int) -> list[Document]:
        first = sum(len(segment.corpus.ids) for segment in self.segments[:number])
        documents = self.segments[number].corpus.documents
        return [d for i, d in enumerate(documents, first) if not self._deleted[i]]

    def _keep(self, out: Writer, numbers: Iterable[int]) -> None:
        """Take segments over into a new generation."""
        out.meta.update(self._meta)
        out.meta["segments"] = [self._meta["segments"][number] for number in numbers]
        for meta in out.meta["segments"]:
            out.keep(self._store, f"{meta['name']}.")

    def info(self) -> dict[str, Any]:
        """What is inside: sizes, metadata fields with their values, coverage, notes."""
        return describe_index(self)

    def __repr__(self) -> str:
        sentences = sum(len(segment.corpus.sentences) for segment in self.segments)
        return (
            f"<Index {str(self.path)!r}: {len(self.documents):,} documents, {sentences:,}"
            f" sentences, {len(self.lexicon):,} distinct words>"
        )
