"""Writing an index of one segment, and what its topics and metrics lack after a change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from lexfield.arrays import Array
from lexfield.errors import InputError, StoreError
from lexfield.index.lexicon import embed_words
from lexfield.index.metrics import derive_missing
from lexfield.index.parts import FIXED, TOPICS, segment_keys, stale_parts
from lexfield.index.segment import Segment, save_segment
from lexfield.index.topics import Topics, infer_missing
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store, next_epoch, write
from lexfield.store.owned import refuse_others
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation
from lexfield.text.stopwords import stopwords
from lexfield.vectors.wordvectors import WordVectors

Documents = Corpus | Iterable[Document | str]
KIND = "index"


def check_free(path: str | Path, replace: bool) -> None:
    """Raise InputError if there is an index already (unless ``replace``) or others' files."""
    if not replace and (Path(path) / "CURRENT").exists():
        raise InputError(
            f"There is an index at {path} already; it was left as it is.",
            "Choose another name, or replace it with --replace (in Python: replace=True).",
        )
    refuse_others(Path(path))


def to_corpus(
    documents: Documents, progress: Progress, normalisation: Normalisation | None = None
) -> Corpus:
    """Return documents as a corpus. Raise InputError if they are one text or a path."""
    if isinstance(documents, str | Path):
        raise InputError(
            f"An index needs a list of texts, not only {str(documents)[:60]!r}.",
            "Give a list of texts; read files with Corpus.read(path); open an index with"
            " Index.open(path).",
        )
    if isinstance(documents, Corpus):
        return documents
    return Corpus.of(documents, normalisation=normalisation, progress=progress)


def write_index(
    corpus: Corpus,
    path: Path,
    vectors: WordVectors | str | Path,
    language: str,
    progress: Progress,
) -> None:
    """Write an index of a corpus. Raise InputError if it holds no words."""
    if not len(corpus.tokens):
        raise InputError("The corpus holds no words; nothing was written.")
    stopwords(language)  # an unknown language is an error before any work
    embedded, about = embed_words(corpus.vocabulary, vectors, progress)
    with write(path, KIND, epoch=next_epoch(path)) as out:
        meta = save_segment(out, "s000001", corpus, embedded, language, progress)
        out.array("deleted", np.zeros(len(corpus.ids), bool))
        out.meta.update(segments=[meta], language=language, vectors=about)


def update_parts(index: Store, segments: Sequence[Segment], progress: Progress = silent) -> bool:
    """Make what topics and metrics lack since the index has changed, and keep it.

    Return whether anything was missing. Where another process is writing, or the disk is full,
    searches go on making it for themselves.
    """
    stale = stale_parts(index, segments)
    if not stale:
        return False
    made = {name: _make_missing(index.needed_part(name), segments, progress) for name in stale}
    with suppress(StoreError), write(index.path, index.kind, index.generation) as out:
        out.meta.update(index.meta)
        out.keep(index, "")
        for name in index.parts:
            old, part = index.needed_part(name), out.part(name)
            part.meta = old.meta
            for prefix in (*FIXED, *segment_keys(name, segments)):
                part.keep(old, prefix)
            for key, values in made.get(name, {}).items():
                part.array(key, values)
    return True


def _make_missing(part: Store, segments: Sequence[Segment], progress: Progress) -> dict[str, Array]:
    if part.kind == TOPICS:
        return infer_missing(Topics(part).require_model(), segments, part, progress)
    return derive_missing(part.array("words.map"), segments, part, progress)
