"""A collection: documents, the vectors of their words, and everything search needs, kept on disk.

It consists of segments that never change. ``add`` writes a new one, ``delete`` a mark, ``compact``
makes one of all; each is a new generation of the store, so readers and crashes see the old state or
the new one. Small segments are merged as they gather, so that there are never many.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Never, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import ChangedError, InputError, check
from lexfield.index.about import describe_collection
from lexfield.index.build import (
    KIND,
    Documents,
    add_numbers,
    check_arguments,
    check_free,
    check_tokenizer,
    choose_merged,
    refuse_taken,
    register_function,
    to_corpus,
    to_path,
    update_parts,
    write_index,
)
from lexfield.index.lexicon import Lexicon, VectorSource, embed_with, weigh_again
from lexfield.index.metrics import Metric
from lexfield.index.names import MEMORY, is_in_memory
from lexfield.index.parts import discard_replaced, write_next, write_part
from lexfield.index.query import Query, look_up
from lexfield.index.reading import find_text
from lexfield.index.rows import Rows
from lexfield.index.segment import Segment, save_segment
from lexfield.index.units import UNITS
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject, pluralise
from lexfield.store.folder import Store, Writer, next_epoch, write
from lexfield.store.mirror import find_folder, name_path
from lexfield.store.provenance import IN_MEMORY, record
from lexfield.store.scratch import spool_beside
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation, Tokenizer
from lexfield.text.stopwords import stopwords
from lexfield.vectors.coverage import Coverage
from lexfield.vectors.wordvectors import WordEmbeddings, WordVectors

T = TypeVar("T")


class Collection:
    """What is stored about documents: ``Collection(texts)`` in memory, ``build`` and ``open`` on
    disk. ``len``, iteration and ``collection[id]`` are over documents that were not deleted."""

    def __init__(
        self,
        documents: Documents | None = None,  # optional so that omitting it raises a clear error
        *others: object,
        vectors: WordVectors | str | Path = "auto",
        language: str | None = None,
        stemmer: str | None = None,
        tokenize: str | Tokenizer | None = None,
        progress: Progress = silent,
        **unknown: Never,
    ) -> None:
        """Index documents in a temporary folder, which is removed with this object.

        Arguments are those of ``build``, and ``tokenize`` may be any function that returns the
        words of a sentence; ``save`` keeps the result.
        """
        check_arguments(type(self), others, tuple(unknown))
        folder = tempfile.mkdtemp(prefix=MEMORY)
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        path = Path(folder) / "index"
        corpus = register_function(to_corpus(documents, progress, None, tokenize, language), self)
        write_index(corpus, path, vectors, language, stemmer, progress)
        self._attach(path)

    @classmethod
    def open(cls, path: str | Path, metric: str | None = None) -> Self:
        """Open an index on disk; with ``metric``, as it is under one that was learned for it."""
        self = cls.__new__(cls)
        self._attach(to_path(find_folder(path)), metric)
        return self

    def _attach(self, path: Path, metric: str | None = None) -> None:
        self.path = path
        self.metric = metric
        self._load()

    def _load(self) -> None:
        self._store = self._open_store()
        self.record()
        self.state = self._store.state  # differs even if another index takes this one's place
        self._meta: JsonObject = self._store.meta
        for name in ("segments", "lexicon", "documents", "_rows", "_source", "_metric"):
            self.__dict__.pop(name, None)

    def record(self) -> None:
        """Name this state of the index in the provenance of the answer that is being computed."""
        record(self._store, IN_MEMORY if self.is_in_memory else "")

    def _open_store(self) -> Store:
        return Store.open(self.path, KIND)

    @classmethod
    def build(
        cls,
        documents: Documents,
        path: str | Path,
        *,
        vectors: WordVectors | str | Path = "auto",
        language: str | None = None,
        stemmer: str | None = None,
        tokenize: str | Tokenizer | None = None,
        replace: bool = False,
        progress: Progress = silent,
    ) -> Self:
        """Write an index of documents, a corpus or plain texts at ``path``, and open it.

        ``vectors``: a set, its name or file, or ``"own"``, trained on the texts. ``language``: of
        all texts, detected by default; ``"none"`` has no stopwords.
        """
        path = find_folder(path, new=True)
        check_free(path, replace)
        with spool_beside(path), discard_replaced(path):
            corpus = to_corpus(documents, progress, tokenize=tokenize, language=language)
            write_index(corpus, Path(path), vectors, language, stemmer, progress)
        return cls.open(path)

    def save(self, path: str | Path, *, replace: bool = False) -> Self:
        """Write the index, with its topics and metrics, to ``path``; return it as it is there."""
        check_tokenizer(self.normalisation)
        path = find_folder(path, new=True)
        check_free(path, replace)
        with discard_replaced(path), write(path, KIND, epoch=next_epoch(path)) as out:
            out.meta.update(self._meta)
            out.keep(self._store, "")
            out.keep_parts(self._store)
        return self.open(path)

    def add(
        self,
        documents: Documents,
        *,
        vectors: WordVectors | None = None,
        progress: Progress = silent,
    ) -> int:
        """Add documents without rebuilding; return their number. Ids must be new.

        Plain texts are numbered on from the largest number that is an id. Words that the index does
        not know get vectors from the set it was built with, or from ``vectors``.
        """
        self.refresh()
        ids = (identity for segment in self.segments for identity in segment.corpus.ids)
        with spool_beside(self.path):
            new = add_numbers(documents, ids, progress, self.normalisation)
        added = self._change(lambda: self._add(new, vectors, progress)) if len(new.ids) else 0
        self._update_parts(progress)
        return added

    def _add(self, new: Corpus, vectors: WordVectors | None, progress: Progress) -> int:
        refuse_taken(new.ids, self.documents)
        added = len(new.ids)
        kept, absorbed = self._choose_merged(len(new.tokens))
        if absorbed:
            old = (document for number in absorbed for document in self._live_documents(number))
            new = Corpus.of(chain(old, new.documents), normalisation=self.normalisation)
        embedded = self._embed(new, vectors)
        with write_next(self._store, self.segments) as out:
            self._keep(out, kept)
            last = max(int(meta["name"][1:] or 0) for meta in self._meta["segments"])
            meta = save_segment(out, f"s{last + 1:06d}", new, embedded, self.language, progress)
            before = self._deleted[: sum(len(self.segments[number].corpus.ids) for number in kept)]
            out.array("deleted", np.append(before, np.zeros(len(new.ids), bool)))
            out.meta["segments"].append(meta)
        return added

    def _choose_merged(self, tokens: int) -> tuple[range, range]:
        return choose_merged(self.segments, tokens)

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents by id; return their number. With an unknown id none is deleted."""
        check(isinstance(ids, Iterable), "ids", "an id or a list of ids", ids)
        wanted = list(dict.fromkeys([ids] if isinstance(ids, str) else ids))
        return self._change(lambda: self._delete(wanted))

    def _delete(self, wanted: list[str]) -> int:
        if missing := [identity for identity in wanted if identity not in self.documents]:
            raise InputError(
                f"The index has no document {missing[0]!r}"
                + (f" (nor {len(missing) - 1} more of these)." if len(missing) > 1 else "."),
                "Nothing was deleted. Ids are those of documents, without the #number.",
            )
        deleted = self._deleted.copy()
        deleted[[self.documents[identity] for identity in wanted]] = True
        with write_next(self._store, self.segments) as out:
            self._keep(out, range(len(self.segments)))
            out.array("deleted", deleted)
        return len(wanted)

    def compact(self, progress: Progress = silent) -> None:
        """Make one segment of all; what was deleted is gone for good.

        The result is the index that ``build`` would make of the remaining documents.
        """
        self._change(lambda: self._compact(progress))
        self._update_parts(progress)

    def _compact(self, progress: Progress) -> None:
        corpus = self.corpus
        if not len(corpus.tokens):
            raise InputError("No document is left; an index cannot be empty. Delete its folder.")
        counts = corpus.vocabulary.counts
        embedded = weigh_again(self._embed(corpus, None), self._meta["vectors"], counts)
        with write_next(self._store, self.segments) as out:
            meta = save_segment(out, "s000001", corpus, embedded, self.language, progress)
            out.array("deleted", np.zeros(len(corpus.ids), bool))
            vectors = {**self._meta["vectors"], "coverage": embedded.coverage(counts)}
            out.meta.update(segments=[meta], language=self.language, vectors=vectors)

    def _change(self, work: Callable[[], T]) -> T:
        """Write a new generation; retry if another process wrote one in the meantime."""
        if self.metric is not None:
            hint = "Open it without a metric to change it."
            raise InputError(f"The index is open under the metric {self.metric!r}.", hint)
        for _ in range(100):
            self.refresh()
            with suppress(ChangedError), spool_beside(self.path):
                result = work()
                self.refresh()
                return result
        raise ChangedError(f"Other processes keep changing {self.address}.", "Try again.")

    def write_part(self, name: str) -> AbstractContextManager[Writer]:
        """Write topics or a metric as a part of the index; call ``refresh`` afterwards."""
        return write_part(self._store, self.segments, name)

    def _update_parts(self, progress: Progress) -> None:
        if update_parts(self._store, self.segments, progress):
            self.refresh()

    def refresh(self) -> None:
        """Move to the newest generation, if another process has written one."""
        if not self._store.is_current():
            self._load()

    def rows(self, unit: str = "sentence") -> Rows:
        """All sentences or documents, as search methods see them."""
        check(unit in UNITS, "unit", "'sentence' or 'document'", unit)
        cached: dict[str, Rows] = self.__dict__.setdefault("_rows", {})
        if unit not in cached:
            cached[unit] = self._make_rows(unit)
        return cached[unit]

    def _make_rows(self, unit: str) -> Rows:
        return Rows(self.segments, self.lexicon, unit, self._deleted)

    def query(self, text: str) -> Query:
        """Cut a text as the index's own were, and look its words up."""
        return look_up(text, self.lexicon, self.normalisation, self.language, self._source)

    @cached_property
    def segments(self) -> list[Segment]:
        plain = [Segment(self._store, meta) for meta in self._meta["segments"]]
        return plain if self._metric is None else self._metric.map_segments(plain)

    @cached_property
    def _metric(self) -> Metric | None:
        return None if self.metric is None else Metric(self._store, self.metric)

    @cached_property
    def _source(self) -> VectorSource:
        """Where words that the index does not hold get their vectors."""
        maps = None if self._metric is None else self._metric.maps
        return VectorSource(self._meta["vectors"], maps)

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(self.segments, stopwords(self.language), self._deleted)

    @property
    def coverage(self) -> Coverage:
        """How many words of the index have a vector."""
        vectors = self._meta["vectors"]["name"]
        return Coverage(*self.lexicon.covered, vectors, f"the index {self.path.name}")

    @property
    def corpus(self) -> Corpus:
        """The documents that were not deleted; split again if there is more than one segment."""
        if len(self.segments) == 1 and not self._deleted.any():
            return self.segments[0].corpus
        return Corpus.of(self, normalisation=self.normalisation)

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
    def address(self) -> str:
        """Where another process opens this index."""
        return name_path(self.path.resolve())

    @cached_property
    def is_in_memory(self) -> bool:
        """Is the index in a temporary folder, which is removed with it?"""
        return is_in_memory(self.path)

    @property
    def _deleted(self) -> NDArray[np.bool_]:
        return self._store.array("deleted")

    @cached_property
    def documents(self) -> dict[str, int]:
        """Id → number over all segments, of documents that were not deleted."""
        every = (identity for segment in self.segments for identity in segment.corpus.ids)
        numbered = enumerate(zip(every, self._deleted, strict=True))
        return {identity: number for number, (identity, gone) in numbered if not gone}

    def __len__(self) -> int:
        return len(self.documents)

    def __bool__(self) -> bool:
        """Return True: an index is truthy even if all its documents were deleted."""
        return True

    def __contains__(self, identity: object) -> bool:
        return identity in self.documents

    def __iter__(self) -> Iterator[Document]:
        return (d for number in range(len(self.segments)) for d in self._live_documents(number))

    @overload
    def __getitem__(self, identity: str | int) -> Document: ...
    @overload
    def __getitem__(self, identity: slice) -> list[Document]: ...
    def __getitem__(self, identity: str | int | slice) -> Document | list[Document]:
        """Return a document by its id or its place, or several by a slice."""
        if isinstance(identity, slice):
            return [self[one] for one in list(self.documents)[identity]]
        if isinstance(identity, int):
            if not -len(self) <= identity < len(self):
                count = pluralise(len(self), "document")
                raise InputError(f"The index has {count}, none at {identity}.")
            identity = list(self.documents)[identity]
        check(isinstance(identity, str), "id", "an id, a number or a slice", identity)
        corpus, row = find_text(self.segments, self.documents, identity)
        return corpus.documents[row]

    def _embed(self, corpus: Corpus, vectors: WordVectors | None) -> WordEmbeddings:
        """Vectors of a corpus's words: the index's own, and for new words from their set."""
        return embed_with(list(corpus.vocabulary), self.lexicon, vectors or self._source)

    def _live_documents(self, number: int) -> Iterator[Document]:
        first = sum(len(segment.corpus.ids) for segment in self.segments[:number])
        documents = self.segments[number].corpus.documents
        return (d for i, d in enumerate(documents, first) if not self._deleted[i])

    def _keep(self, out: Writer, numbers: Iterable[int]) -> None:
        """Take segments over into a new generation."""
        out.meta.update(self._meta)
        out.meta["segments"] = [self._meta["segments"][number] for number in numbers]
        for meta in out.meta["segments"]:
            out.keep(self._store, f"{meta['name']}.")

    def info(self) -> JsonObject:
        """What is inside: sizes, metadata fields with their values, coverage, notes."""
        parts = self._store, self.segments, self.lexicon, self._deleted, self.coverage
        return describe_collection(*parts)

    def __repr__(self) -> str:
        sentences = sum(len(segment.corpus.sentences) for segment in self.segments)
        where = "in memory" if self.is_in_memory else repr(name_path(self.path))
        return (
            f"<{type(self).__name__} {where}: {pluralise(len(self), 'document')},"
            f" {pluralise(sentences, 'sentence')}, {pluralise(len(self.lexicon), 'distinct word')}>"
        )
