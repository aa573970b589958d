"""Texts, collections, indexes and vectors as arguments of a verb.

One rule for every function: a text can be a string, a path, a Document, a Corpus, an Index, or the
id of a document in the index that is given as ``index``. A string that names a file or folder is
read; one that looks like a path but names nothing is an error, and so is the id of a document
beside its index; any other string is the text itself.
The command line passes paths only and the server objects only, so neither guesses.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from lexfield.cluster.sharded_index import open_index as open_at
from lexfield.errors import InputError, check, shorten
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject
from lexfield.search.index import Index
from lexfield.store.manifest import CURRENT
from lexfield.store.mirror import name_path
from lexfield.text.corpus import Corpus, read_table
from lexfield.text.cut import Cutter
from lexfield.text.document import Document, read_mapping
from lexfield.text.fields import Condition, choose_documents, fill_field, read_where
from lexfield.text.frames import is_table
from lexfield.text.language import FIELD
from lexfield.text.normalise import Normalisation
from lexfield.text.read import Reader
from lexfield.text.readers import looks_like_file, map_suffixes
from lexfield.text.source import names_file
from lexfield.text.stopwords import check_language
from lexfield.verbs.declare import Default, Flags, Help, Input
from lexfield.verbs.file_options import FileOptions, get_file_options
from lexfield.verbs.options import Where

Source = str | Path | Document | Corpus | Index
Sources = Source | Sequence[str | Path | Document]
TextInput = Annotated[Source, Input("text")]
CorpusInput = Annotated[Sources, Input("texts")]
TextsInput = Annotated[Sources, Input("texts", many=True), Flags(metavar="PATH...")]
CollectionsInput = Annotated[
    Source | Sequence[Source], Input("collections", many=True), Flags(metavar="CORPUS...")
]
IndexInput = Annotated[Sources, Input("index"), Flags(metavar="IDX")]
_TABLES = ("csv", "tsv", "jsonl")  # a text in question is one text, even if it looks like these


class TextOptions(FileOptions, total=False):
    """Options for reading texts."""

    index: Annotated[
        Index | str | Path | None,
        Input("index"),
        Flags(metavar="IDX", served=False),
        Default(None),
        Help("Take documents from this index, by id, instead of files."),
    ]
    where: Annotated[Where, Default(())]


def read_texts(
    source: Sources,
    options: FileOptions | None = None,
    progress: Progress = silent,
    normalisation: Normalisation | None = None,
    by: str | None = None,
    choose_tokenizer: bool | None = None,
) -> Corpus:
    """Return the documents that an argument stands for, as one corpus.

    ``normalisation`` and ``choose_tokenizer`` say how new texts are cut into words (see
    ``Corpus.of``); a corpus and an index are cut already.
    ``by`` is a metadata field that the texts need: if none can have it, an error says so before
    they are read.
    """
    how: JsonObject = {"normalisation": normalisation, "choose_tokenizer": choose_tokenizer}
    corpus = _read_corpus(source, options, progress, how, by)
    where = _get_where(options)
    if not where:
        return corpus
    rows = range(len(corpus))
    chosen, notes = choose_documents(corpus.ids, [corpus.metadata(row) for row in rows], where)
    kept = corpus.select(chosen)
    kept.notes += notes
    return kept


def _get_where(options: FileOptions | None) -> list[Condition]:
    given: JsonObject = {**options} if options else {}
    return read_where(given.get("where"))


def _read_corpus(
    source: Sources,
    options: FileOptions | None,
    progress: Progress,
    how: JsonObject,
    by: str | None = None,
) -> Corpus:
    """Return all documents that an argument stands for; ``how`` are options of ``Corpus.of``."""
    reading = get_file_options(options)
    if isinstance(source, Corpus | Index):
        _refuse_options(name_source(source), reading)
    if isinstance(source, Corpus):
        return _set_language(source, reading)
    if isinstance(source, Index):
        source.record()
        return _set_language(_drop_notes(source.corpus), reading)
    items = _find_by_id(_list_items(source), options)
    paths = find_paths(items)
    if not paths:
        texts = [item for item in items if not isinstance(item, Path)]
        is_cut = reading.get("split") is not None or reading.get("chunk") is not None
        cut = _cut(texts, reading) if is_cut else texts
        return Corpus.of(cut, language=reading.get("language"), **how)
    if len(paths) == 1 and is_store(paths[0]):
        _refuse_options(paths[0], reading)
        return _set_language(_drop_notes(open_at(paths[0]).corpus), reading)
    if by is not None:
        Reader(paths, **reading).check_field(by)
    begin_stage(progress, "reading")
    return Corpus.read(paths, progress=progress, **how, **reading)


def _drop_notes(corpus: Corpus) -> Corpus:
    """Return the texts of an index without the notes on how it was built, which are known."""
    corpus = copy(corpus)
    corpus.notes = []
    return corpus


def _set_language(corpus: Corpus, reading: JsonObject) -> Corpus:
    """Return a corpus, split again if a language is given for its texts."""
    language = reading.get("language")
    if language is None:
        return corpus
    return Corpus.of(corpus.documents, normalisation=corpus.normalisation, language=language)


def _refuse_options(name: str, reading: JsonObject) -> None:
    """Raise InputError if options of reading are given for what has been read."""
    for option in ("metadata", "name_pattern", "split", "chunk", "sample_chunks"):
        if reading.get(option) is not None:
            flag = option.replace("_", "-")
            raise InputError(
                f"{name} has metadata and documents of its own.", f"Leave out --{flag}."
            )


def _cut(texts: Sequence[str | Document], reading: JsonObject) -> Iterable[Document]:
    """Return texts as documents, in the parts that the options ask for."""
    names = ("split", "chunk", "sample_chunks")
    cutter = Cutter(**{name: reading.get(name) for name in names}, join_lines="never")
    code = check_language(reading.get("language"))
    documents = (
        text if isinstance(text, Document) else Document(str(number), text)
        for number, text in enumerate(texts)
    )
    return cutter.cut(
        replace(one, metadata={**one.metadata, FIELD: code}) if code else one for one in documents
    )


def _find_by_id(
    items: list[str | Path | Document], options: FileOptions | None
) -> list[str | Path | Document]:
    """Return the documents of ``index`` that are named by their ids; files stay as they are."""
    given: JsonObject = {**options} if options else {}
    if given.get("index") is None:
        return items
    index = open_index(given["index"])
    found: list[str | Path | Document] = []
    for item in items:
        is_file = str(item) not in index.documents and names_file(str(item))
        found.append(item if isinstance(item, Document) or is_file else index[str(item)])
    return found


def list_plain_texts(source: object) -> list[str | Document] | None:
    """Return texts that were given themselves, one or a list of them; None for anything else."""
    if not isinstance(source, str | list | tuple):
        return None
    items = _list_items(source)
    return None if find_paths(items) else [item for item in items if not isinstance(item, Path)]


def _list_items(source: Any) -> list[str | Path | Document]:
    """Return texts or paths as a list. Raise InputError if they are neither."""
    items = [source] if isinstance(source, str | Path | Document) else source
    if isinstance(items, Mapping):
        items = read_mapping(items)
    elif is_table(items):
        items = read_table(items)
    if not isinstance(items, Iterable) or isinstance(items, bytes):
        items = [items]
    found = list(items)
    for item in found:
        if isinstance(item, Corpus | Index):
            raise InputError(
                "A list of texts can hold strings, paths and Documents. Got one with"
                f" {'an Index' if isinstance(item, Index) else 'a Corpus'} instead.",
                f"Pass the {'index' if isinstance(item, Index) else 'corpus'} alone, and name the"
                " other arguments.",
            )
        if not isinstance(item, str | Path | Document):
            raise InputError(
                "A text is a string, a path, a Document, a Corpus or an Index, or a list of the"
                f" first three. Got {type(item).__name__} instead."
            )
    return found


def find_paths(items: Iterable[str | Path | Document]) -> list[str]:
    """Return the items if they are paths, or nothing if they are texts."""
    every = list(items)
    paths = [str(item) for item in every if not isinstance(item, Document) and is_path(item)]
    if 0 < len(paths) < len(every):
        raise InputError("Give either texts or paths, not both.")
    return paths


def read_documents(
    source: Sources, options: FileOptions | None = None, needs: str | None = None
) -> tuple[Sequence[Document], list[str]]:
    """Return the documents that an argument stands for, not cut into words, and notes.

    Raise InputError early if no document can have the metadata field ``needs``.
    """
    documents, notes = _read_all(source, options, needs)
    documents, taken = fill_field(needs, documents) if needs else (documents, [])
    notes, where = [*notes, *taken], _get_where(options)
    if not where:
        return documents, notes
    metadata = [document.metadata for document in documents]
    chosen, more = choose_documents([document.id for document in documents], metadata, where)
    return [documents[row] for row in chosen], [*notes, *more]


def _read_all(
    source: Sources, options: FileOptions | None, needs: str | None
) -> tuple[Sequence[Document], list[str]]:
    if not isinstance(source, Corpus | Index):
        items = _find_by_id(_list_items(source), options)
        paths = find_paths(items)
        if not paths:
            names = ["text"] if len(items) == 1 else [str(number) for number in range(len(items))]
            documents = [
                item if isinstance(item, Document) else Document(name, str(item))
                for name, item in zip(names, items, strict=True)
            ]
            return list(_cut(documents, get_file_options(options))), []
        if not (len(paths) == 1 and is_store(paths[0])):
            return _read_files(paths, options, needs)
    corpus = _read_corpus(source, options, silent, {})
    return corpus.documents, list(corpus.notes)


def _read_files(
    paths: list[str], options: FileOptions | None, needs: str | None
) -> tuple[Sequence[Document], list[str]]:
    reader = Reader(paths, **get_file_options(options))
    if needs is not None:
        reader.check_field(needs)
    documents = list(reader)
    if not documents:
        raise reader.no_text_error()
    return documents, reader.report()


def join_texts(documents: Iterable[Document]) -> str:
    """Return documents as one text, with an empty line between them."""
    return "\n\n".join(document.text for document in documents)


def choose_text(source: Source, corpus: Corpus) -> Document:
    """Return a text in question: one of the documents, named by its id, or a new one.

    A new one is a file, a string or a Document.
    """
    if isinstance(source, Document):
        return source
    given = str(source)
    if given in corpus.ids:
        return corpus.documents[corpus.ids.index(given)]
    if not isinstance(source, Path) or given == "-":
        return Document("the text", join_texts(read_documents(source)[0]))
    if not source.is_file():
        raise InputError(
            f"There is no document and no file {given!r}.",
            "Name a file, or one of the documents by its id.",
        )
    is_table = map_suffixes().get(source.suffix.lower()) in _TABLES
    options: FileOptions = {"format": "text"} if is_table else {}
    return Document(given, join_texts(read_documents(source, options)[0]))


def open_index(source: Index | Sources, metric: str | None = None) -> Index:
    """Return an index that is open already, open the one at a path, or index texts in memory."""
    if isinstance(source, Index):
        source.record()
        return source if metric is None else Index.open(source.path, metric)
    if isinstance(source, str) and len(source.split()) > 1 and not names_file(source):
        hint = "Check the path; the index comes before the text."
        raise InputError(f"There is no index {shorten(source, 80)!r}.", hint)
    if isinstance(source, str | Path):
        return open_at(source, metric)
    check(isinstance(source, Iterable | Document), "index", "an Index, its path, or texts", source)
    return Index(read_texts(source))


def name_source(source: object) -> str:
    """Return what to call an argument in a result."""
    match source:
        case Path():
            return "standard input" if str(source) == "-" else str(source)
        case Document():
            return source.id
        case Index():
            return "index" if source.is_in_memory else name_path(source.path)
        case Corpus() if len(source.ids) == 1:
            return source.ids[0]
        case str():
            return source if len(source) <= 80 else f"{source[:79]}…"
    return "texts"


def name_briefly(source: object) -> str:
    """Return the name of a source without folder and suffix."""
    name = name_source(source)
    is_path = isinstance(source, Path | Index) or (isinstance(source, str) and names_file(source))
    if is_path and name != "standard input":
        return Path(os.path.abspath(name)).name.split(".")[0] or name
    return name


def is_path(item: str | Path) -> bool:
    """Is this a path, or a string that names a file? Raise InputError if it only looks like one."""
    if isinstance(item, Path) or names_file(item):
        return True
    start, rest = _split_path(item)
    if start or looks_like_file(item):
        raise InputError(
            f"There is no file {item!r}.",
            f"{start!r} is an index: pass the id {rest!r} with --index (index={start!r})."
            if is_store(start)
            else f"To use these words themselves as a text, pass lx.Document('text', {item!r}).",
        )
    return False


def _split_path(text: str) -> tuple[str, str]:
    """Return the file or folder that a word such as ``my.idx#emma`` begins with, and the rest."""
    for mark in re.finditer(r"[/\\:#]", text) if len(text.split()) == 1 else ():
        start, rest = text[: mark.start()], text[mark.end() :]
        if rest and start and (os.path.isfile(start) or is_store(start)):
            return start, rest
    return "", text


def is_store(path: str | Path) -> bool:
    """Is there an index at a path?"""
    return os.path.isfile(os.path.join(path, CURRENT))  # False for a text of any length


def refuse_ids(sources: Sequence[object], options: TextOptions) -> None:
    """Raise InputError if a string beside an index is the id of one of its documents.

    Without ``index`` it would be taken as the text itself.
    """
    if options.get("index") is not None:
        return
    texts = [one for one in sources if isinstance(one, str) and not names_file(one)]
    for source in sources if texts else ():
        is_index = isinstance(source, Index)
        if is_index or (isinstance(source, str | Path) and is_store(source)):
            found = [text for text in texts if text in open_index(source).documents]  # type: ignore[arg-type]
            if found:
                raise InputError(
                    f"{found[0]!r} is the id of a document in the index beside it.",
                    "To use that document, add --index (index=…); to use the word itself, pass"
                    f" lx.Document('text', {found[0]!r}).",
                )
