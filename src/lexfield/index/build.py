"""Writing an index of one segment, and what its topics and metrics lack after a change."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from lexfield.arrays import Array
from lexfield.errors import InputError, StoreError, check, refuse_unknown, shorten
from lexfield.index.encoding_job import update_encodings
from lexfield.index.lexicon import embed_words
from lexfield.index.metrics import derive_missing, read_maps
from lexfield.index.parts import (
    ENCODER,
    FIXED,
    NEXT_ENCODER,
    TOPICS,
    segment_keys,
    stale_parts,
)
from lexfield.index.segment import Segment, save_segment
from lexfield.index.topics import Topics, infer_missing
from lexfield.progress import Progress, begin_stage, silent
from lexfield.store.folder import Store, next_epoch, write
from lexfield.store.mirror import name_path
from lexfield.store.owned import refuse_others
from lexfield.text.corpus import Corpus, Text, Texts, read_table
from lexfield.text.document import Document, read_mapping
from lexfield.text.folder import walk
from lexfield.text.frames import is_table
from lexfield.text.language import choose_language
from lexfield.text.normalise import TOKENIZERS, Normalisation, Tokenizer
from lexfield.text.readers import looks_like_file
from lexfield.text.source import names_file
from lexfield.text.stopwords import stopwords
from lexfield.vectors.train import OWN, choose_vectors
from lexfield.vectors.wordvectors import WordEmbeddings, WordVectors

Documents = Corpus | Texts
KIND = "index"
_TOKEN, _ROW = 6, 400  # bytes of a word in order and in postings; of a row, and to compute it
_PLAIN = frozenset((".txt", ".jsonl", ".ndjson", ".csv", ".tsv"))  # what they hold is stored
_GROWTH = 4  # bytes of an index per byte of such a file, about
_FUNCTION = "function_"  # begins the names of tokenizers that were not registered


def check_free(path: str | Path, replace: bool) -> None:
    """Raise InputError if there is an index already (unless ``replace``) or others' files."""
    if not replace and (to_path(path) / "CURRENT").exists():
        raise InputError(
            f"There is an index at {name_path(to_path(path))} already; it was left as it is.",
            "Choose another name, or replace it with --replace (in Python: replace=True).",
        )
    refuse_others(to_path(path))


def to_path(path: str | Path) -> Path:
    """Return the path of an index. Raise InputError if it is not a path."""
    check(isinstance(path, str | Path), "path", "a string or a Path", path)
    return Path(path)


def check_documents(documents: Any, hint: str = "", progress: Progress = silent) -> Documents:
    """Return documents; files, folders and tables are read.

    Raise InputError if they are the name of a missing file, one word, or no texts at all.
    """
    paths = documents if isinstance(documents, list | tuple) else [documents]
    if paths and all(isinstance(p, Path) or (isinstance(p, str) and names_file(p)) for p in paths):
        return Corpus.read(paths, progress=progress)
    if is_table(documents):
        return read_table(documents)
    if isinstance(documents, str) and len(documents.split()) > 1 and not looks_like_file(documents):
        return [documents]
    is_one = isinstance(documents, str | bytes)
    if is_one or not isinstance(documents, Iterable | Document):
        raise InputError(
            f"An index needs a list of texts{', not a word or a name' if is_one else ''}."
            f" Got {shorten(repr(documents), 60)} instead.",
            f"Read files with Corpus.read(path){hint}.",
        )
    return documents


def to_corpus(
    documents: Documents | None,
    progress: Progress,
    normalisation: Normalisation | None = None,
    tokenize: str | Tokenizer | None = None,
    language: str | None = None,
) -> Corpus:
    """Return documents as a corpus. Raise InputError if they are one text or a path."""
    documents = check_documents(documents, "; open an index with Index.open(path)", progress)
    if isinstance(documents, Corpus):
        if tokenize in (None, documents.normalisation.tokenizer):
            return documents
        normalisation = documents.normalisation
        documents = documents.documents
    return Corpus.of(
        documents, tokenize=tokenize, normalisation=normalisation, language=language,
        progress=progress,
    )  # fmt: skip


def add_numbers(
    documents: Documents, taken: Iterable[str], progress: Progress, normalisation: Normalisation
) -> Corpus:
    """Return new documents as a corpus, with numbers for plain texts that are not ``taken``."""
    return to_corpus(number_texts(check_documents(documents), taken), progress, normalisation)


def check_arguments(owner: Callable[..., object], others: object, unknown: Sequence[str]) -> None:
    """Raise InputError if an index was made with arguments that it does not have."""
    check(not others, "texts", "the only unnamed argument: Index.build(texts, path)", others)
    hint = "Use lx.Document(id, text, metadata={…})."
    if "encoder" in unknown:
        hint = "Encode the texts afterwards: index.encode(encoder)."
    refuse_unknown(owner, unknown, hint)


def refuse_taken(ids: Iterable[str], known: Container[str]) -> None:
    """Raise InputError if some ids of new documents are known."""
    if taken := [identity for identity in ids if identity in known]:
        raise InputError(
            f"The index already has a document with the id {taken[0]!r}"
            + (f" (and with {len(taken) - 1} more of these ids)." if len(taken) > 1 else "."),
            "Delete it first, or give the new document another id.",
        )


def number_texts(items: Documents, taken: Iterable[str]) -> Iterator[Text]:
    """Give plain texts the numbers after the largest of the ids that are taken."""
    if isinstance(items, Mapping):
        items = read_mapping(items)
    elif isinstance(items, Document):
        items = [items]
    used = [int(identity) for identity in taken if identity.isascii() and identity.isdecimal()]
    number, seen = max(used, default=-1) + 1, set()
    for item in items:
        if isinstance(item, str):
            while str(number) in seen:
                number += 1
            item = Document(str(number), item)
        if isinstance(item, Document):
            seen.add(item.id)
        yield item


def register_function(corpus: Corpus, owner: object) -> Corpus:
    """Return a corpus whose tokenizer has a name, which an index needs to split queries.

    A function is registered under a name of its own for as long as ``owner`` lives.
    """
    tokenizer = corpus.normalisation.tokenizer
    if isinstance(tokenizer, str):
        return corpus
    name = f"{_FUNCTION}{uuid4().hex}"
    TOKENIZERS.register(name, tokenizer)
    weakref.finalize(owner, TOKENIZERS.forget, name)
    named = copy(corpus)
    named.normalisation = replace(corpus.normalisation, tokenizer=name)
    return named


def choose_stemmer(corpus: Corpus, language: str, stemmer: str | None) -> Corpus:
    """Return a corpus whose bags have a stemmer, by default that of the language."""
    chosen = copy(corpus)
    chosen.normalisation = corpus.normalisation.choose_stemmer(language, stemmer)
    return chosen


def check_tokenizer(normalisation: Normalisation) -> None:
    """Raise InputError if an index could not be opened later, as its tokenizer has no name."""
    if str(normalisation.tokenizer).startswith(_FUNCTION):
        raise InputError(
            "An index whose texts were split by a function cannot be saved: queries could not be"
            " split in the same way later.",
            "Register the function with lexfield.register, and pass its name as tokenize.",
        )


def write_index(
    corpus: Corpus,
    path: Path,
    vectors: WordVectors | str | Path,
    language: str | None,
    stemmer: str | None,
    progress: Progress,
    most_balls: int | None = None,
) -> None:
    """Write an index of a corpus. Raise InputError if it contains no words.

    The nearest words of every word are stored for at most ``most_balls`` words; see ``find_balls``.
    """
    if not len(corpus.tokens):
        raise InputError("There are no words to index.")
    stopwords(language)  # an unknown language is an error before any work
    notes: list[str] = []
    if language is None:
        language, notes = choose_language(corpus.count_languages())
    corpus = choose_stemmer(corpus, language, stemmer)
    is_own = str(vectors) == OWN
    if is_own:
        begin_stage(progress, "training vectors")
    vectors, more = choose_vectors(vectors, corpus, language)
    if is_own:
        begin_stage(progress, "comparing words")  # takes far longer than training
    corpus.notes = [*corpus.notes, *notes, *more]
    embedded, about = embed_words(corpus.vocabulary, vectors, progress)
    _check_room(path, corpus, embedded)
    with write(path, KIND, epoch=next_epoch(path)) as out:
        meta = save_segment(out, "s000001", corpus, embedded, language, progress, most_balls)
        out.array("deleted", np.zeros(len(corpus.ids), bool))
        out.meta.update(segments=[meta], language=language, vectors=about)


def _check_room(path: Path, corpus: Corpus, embedded: WordEmbeddings) -> None:
    """Raise StoreError, before anything is written, if the disk has no room for an index."""
    rows, words = len(corpus.sentences) + len(corpus.ids), len(corpus.vocabulary)
    each = embedded.vectors.itemsize + embedded.added.itemsize
    needed = len(corpus.texts.data) + _TOKEN * len(corpus.tokens) + _ROW * rows
    needed += words * each * embedded.vectors.shape[1]
    _refuse_small_disk(path, needed, needed)


def check_files(names: Iterable[str | Path], path: Path) -> None:
    """Raise StoreError, before anything is read, if the disk of ``path`` has no room for an index
    of some files and folders; names of anything else are left alone."""
    named = (Path(name) for name in names if isinstance(name, Path) or names_file(name))
    found = (file for one in named for file in (walk(one, []) if one.is_dir() else [one]))
    plain = (file for file in found if file.suffix.lower() in _PLAIN and file.is_file())
    size = sum(file.stat().st_size for file in plain)
    _refuse_small_disk(path, size, _GROWTH * size)


def _refuse_small_disk(path: Path, least: int, needed: int) -> None:
    """Raise StoreError if a disk has less room than the ``least`` that an index can need."""
    there = next(folder for folder in path.absolute().parents if folder.exists())
    if least > (free := shutil.disk_usage(there).free):
        raise StoreError(
            f"The index needs about {needed / 1e6:,.0f} MB; {there} has room for"
            f" {free / 1e6:,.0f} MB.",
            "Write it to a larger disk, or make room; nothing was written.",
        )


def choose_merged(segments: Sequence[Segment], tokens: int) -> tuple[range, range]:
    """Return the segments that stay, and the last ones, which are merged with new texts.

    Those are merged that are small beside ``tokens``, the number of new words.
    """
    first = len(segments)
    while first > 0 and len(segments[first - 1].corpus.tokens) <= tokens:
        first -= 1
        tokens += len(segments[first].corpus.tokens)
    return range(first), range(first, len(segments))


def update_parts(index: Store, segments: Sequence[Segment], progress: Progress = silent) -> bool:
    """Make what topics and metrics lack since the index has changed, and keep it.

    Return whether anything was missing. Where another process is writing, or the disk is full,
    searches go on making it for themselves.
    """
    stale = stale_parts(index, segments)
    if ENCODER in stale:
        stale.remove(ENCODER)
        update_encodings(index, segments, progress)
        index = Store.open(index.path)
    elif not stale:
        return False
    if not stale:
        return True
    made = {name: _make_missing(index.needed_part(name), segments, progress) for name in stale}
    with suppress(StoreError), write(index.path, index.kind, index.generation) as out:
        out.meta.update(index.meta)
        out.keep(index, "")
        for name in index.parts:
            old, part = index.needed_part(name), out.part(name)
            part.meta = old.meta
            own = (
                ("",)
                if name in (ENCODER, NEXT_ENCODER)
                else (*FIXED, *segment_keys(name, segments))
            )
            for prefix in own:
                part.keep(old, prefix)
            for key, values in made.get(name, {}).items():
                part.array(key, values)
    return True


def _make_missing(part: Store, segments: Sequence[Segment], progress: Progress) -> dict[str, Array]:
    if part.kind == TOPICS:
        return infer_missing(Topics(part).require_model(), segments, part, progress)
    return derive_missing(read_maps(part), segments, part, progress)
