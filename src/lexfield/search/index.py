"""An index: a corpus and the vectors of its words, kept together on disk."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store, write
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors

KIND = "index"
_MOST_VALUES = 50


class Index:
    """``Index.build(corpus, "idx")`` writes one, ``Index.open("idx")`` maps it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.path = store.path

    @classmethod
    def build(
        cls,
        corpus: Corpus,
        path: str | Path,
        *,
        vectors: WordVectors | str | Path = "default",
        replace: bool = False,
        progress: Progress = silent,
    ) -> Index:
        """Embed the words of a corpus and keep both at ``path``."""
        cls.check_free(path, replace)
        if not len(corpus.tokens):
            raise InputError("The corpus holds no words; nothing was written.")
        if vectors == "encoder":
            from lexfield.vectors.encoder import encoded

            vectors = encoded(corpus.vocabulary.words, progress=progress)
        elif not isinstance(vectors, WordVectors):
            vectors = WordVectors.load(vectors, progress=progress)
        embedded = vectors.embed(corpus.vocabulary)
        with write(path, KIND) as out:
            corpus.save(out)
            out.array("vectors", embedded.matrix)
            out.array("how", embedded.how)
            out.meta["vectors"] = {
                "name": vectors.name,
                "dims": vectors.dims,
                "coverage": embedded.coverage(corpus.vocabulary.counts),
            }
        return cls.open(path)

    @staticmethod
    def check_free(path: str | Path, replace: bool) -> None:
        """Refuse to build over an index unless that is wanted."""
        if not replace and (Path(path) / "CURRENT").exists():
            raise InputError(
                f"There is an index at {path} already; it was left as it is.",
                "Choose another name, or replace it with --replace (in Python: replace=True).",
            )

    @classmethod
    def open(cls, path: str | Path) -> Index:
        return cls(Store.open(path, KIND))

    @cached_property
    def corpus(self) -> Corpus:
        return Corpus.load(self._store)

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """One row a word of the corpus's vocabulary; zero where no vector was found."""
        return self._store.array("vectors")

    def info(self) -> dict[str, Any]:
        """What is inside: sizes, metadata fields with their values, coverage, notes."""
        corpus = self.corpus
        return {
            "path": str(self.path),
            "generation": int(self._store.generation),
            "bytes": self._store.size,
            "documents": len(corpus.documents),
            "sentences": len(corpus.sentences),
            "tokens": len(corpus.tokens),
            "words": len(corpus.vocabulary),
            "normalisation": self._store.meta["corpus"]["normalisation"],
            "vectors": self._store.meta["vectors"],
            "metadata": self._metadata_fields(),
            "notes": corpus.notes,
        }

    def _metadata_fields(self) -> dict[str, dict[str, int]]:
        """For each field its most frequent values with the number of documents."""
        counters: dict[str, Counter[str]] = {}
        for row in range(len(self.corpus.ids)):
            for name, value in self.corpus.metadata(row).items():
                counters.setdefault(name, Counter())[value] += 1
        return {name: dict(c.most_common(_MOST_VALUES)) for name, c in sorted(counters.items())}

    def __repr__(self) -> str:
        return f"<Index {str(self.path)!r}: {self.corpus!r}>"
