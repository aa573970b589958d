"""Building and changing an index: ``index``, ``encode``, ``add``, ``delete`` and ``compact``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, Unpack

from msgspec import Meta

from lexfield.cluster.build_shards import build_sharded
from lexfield.errors import InputError
from lexfield.index.build import check_files, check_free
from lexfield.index.encodings import need_encodings
from lexfield.index.names import name_encoding
from lexfield.index.units import UNITS
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, pluralise
from lexfield.search.index import Index
from lexfield.store.folder import Store
from lexfield.store.mirror import find_folder
from lexfield.store.scratch import spool_beside
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.language import choose_language
from lexfield.text.normalise import DEFAULT_TOKENIZER, Normalisation
from lexfield.text.read import Reader
from lexfield.vectors.encoders import open_encoder
from lexfield.vectors.train import AUTO, note_unknown_language
from lexfield.verbs.declare import Flags, Help, Input, verb
from lexfield.verbs.file_options import FileOptions, get_file_options
from lexfield.verbs.info import IndexInfo, describe_index
from lexfield.verbs.input import (
    IndexInput,
    Sources,
    TextsInput,
    find_paths,
    list_plain_texts,
    open_index,
    read_texts,
)
from lexfield.verbs.options import ClusterAddress, Target, VectorsInput, use_engine
from lexfield.verbs.results import Result, hidden

_FIRST = 200  # documents that tell the language of an index in shards
Stemmer = Annotated[
    str | None,
    Meta(max_length=20),
    Flags(metavar="NAME", old="stem"),
    Help(
        "Let word-based searches find all forms of a word, by its Snowball stem: english, "
        "german, … By default the stemmer of the language; none matches words exactly."
    ),
]
TokenizerName = Annotated[
    str | None,
    Meta(max_length=100),
    Flags(metavar="NAME"),
    Help(
        "Tokenizer that splits sentences into words: words, cjk (needs the extra cjk), or a"
        " registered one. By default words, and cjk for Chinese, Japanese and Thai."
    ),
]
EncoderInput = Annotated[
    Any,
    Input("encoder"),
    Flags(metavar="NAME"),
    Help(
        "Also encode every text with a sentence encoder, for the methods best, encoder, late and"
        " fitted: minilm (English) or multilingual (16 languages), which need the extra encoder,"
        " or in Python a model or a function."
    ),
]
IndexVectors = Annotated[
    VectorsInput,
    Flags(metavar="NAME|FILE|own|encoder"),
    Help(
        "Word vectors: a name from `lexfield vectors list`, a file, own (trained on the texts), or"
        " encoder (any words of 16 languages; needs the extra encoder). By default the built-in"
        " English ones, and encoder for texts in its other languages."
    ),
]
Shards = Annotated[
    int | None,
    Meta(ge=1, le=10_000),
    Help(
        "Build this many parts, each small enough for the memory of one machine. To resume after an"
        " interruption, run the same command again."
    ),
]


@dataclass(repr=False)
class BuiltIndex(Result[IndexInfo]):
    """What was written; ``index`` is the index itself, open."""

    index: Index = hidden()

    def lines(self) -> Iterable[str]:
        row = self.results[0]
        counts = [pluralise(row.documents, "document"), pluralise(row.sentences, "sentence")]
        counts.append(f"{row.words:,} distinct words")
        if row.shards:
            counts.append(pluralise(len(row.shards), "shard"))
        return [f"wrote {row.path}: {', '.join(counts)}"]


@verb(served="no")
def index(
    texts: TextsInput,
    *,
    output: Annotated[
        Target,
        Flags(("-o",), "IDX"),
        Help("Folder to write the index to, or an address such as s3://bucket/my.idx."),
    ],
    replace: Annotated[bool, Help("Replace an existing index.")] = False,
    keep_case: Annotated[bool, Help("Do not convert words to lower case.")] = False,
    stemmer: Stemmer = None,
    tokenize: TokenizerName = None,
    shards: Shards = None,
    cluster: ClusterAddress = None,
    vectors: IndexVectors = "auto",
    encoder: EncoderInput = None,
    progress: Progress = silent,
    **options: Unpack[FileOptions],
) -> BuiltIndex:
    """Build an index from files, folders or tables.

    Folders and archives are read recursively; - reads standard input. PDF, DOCX, ODT, EPUB, HTML,
    RTF, Markdown, e-mail, subtitles and TEI are read as well as plain text; files in a folder that
    cannot be read are skipped, with the reason. A record is indexed with its title at the beginning
    of its text. Word-based searches find all forms of a word if the language has a stemmer. The
    language of each text becomes its metadata field language; stopwords, stems and vectors are
    those of the language with the most text, or of --language (none: no stopwords and no stems).

        lexfield index novel.txt letters/ -o my.idx
        lexfield index papers.zip report.pdf -o papers.idx
        lexfield index tickets.csv --title-field subject --text-field message -o tickets.idx
        lexfield index texts/ --metadata authors.csv --stemmer none -o texts.idx
        zcat log.gz | lexfield index - --format lines -o log.idx
        lexfield index abstracts.jsonl --encoder minilm -o abstracts.idx
        lexfield index romans/ --language fr --vectors own -o romans.idx
        lexfield index news/ --encoder multilingual -o news.idx
        lexfield index library/ --shards 16 --cluster tcp://10.0.0.5:8786 -o /shared/library.idx
    """
    normalisation = Normalisation(
        lower=not keep_case, stem=stemmer, tokenizer=tokenize or DEFAULT_TOKENIZER
    )
    cut: JsonObject = {"normalisation": normalisation, "choose_tokenizer": tokenize is None}
    is_sharded = shards is not None
    _check_encoder(encoder, is_sharded)
    how: JsonObject = {
        "vectors": vectors, "language": options.get("language"), "replace": replace
    }  # fmt: skip
    if is_sharded:
        built = _build_shards(texts, options, output, shards, cut, cluster, progress, how)
    else:
        output = Path(find_folder(output, new=True))
        check_free(output, replace)
        corpus = _read(texts, options, output, cut, progress)
        begin_stage(progress, "embedding words")
        built = Index.build(corpus, output, stemmer=stemmer, progress=progress, **how)
    failures = [] if encoder is None else _encode(built, encoder, False, progress)
    row, notes = describe_index(built)
    return BuiltIndex([row], index=built, notes=[*notes, *failures])


def _read(
    texts: Sources, options: FileOptions, output: Path, cut: JsonObject, progress: Progress
) -> Corpus:
    """Return texts that are cut; large collections are kept on the disk of the index."""
    given = texts if isinstance(texts, list | tuple) else [texts]
    check_files([one for one in given if isinstance(one, str | Path)], output)
    with spool_beside(output):
        corpus = read_texts(texts, options, progress, **cut)
        wanted = cut["normalisation"]
        if wanted in (Normalisation(stem=wanted.stem), corpus.normalisation):
            return corpus
        return Corpus.of(corpus.documents, **cut)


def _build_shards(
    texts: Sources,
    options: FileOptions,
    output: str | Path,
    shards: int | None,
    cut: JsonObject,
    cluster: str | None,
    progress: Progress,
    how: JsonObject,
) -> Index:
    documents, list_notes = _stream(texts, options, progress)
    every = iter(documents)
    first = list(islice(every, _FIRST))
    sample = Corpus.of(first, **cut)
    notes: list[str] = []
    if how["language"] is None:
        how["language"], notes = choose_language(sample.count_languages())
    if how["vectors"] == AUTO:
        how["vectors"] = "default"
    with use_engine(cluster) as engine:
        begin_stage(progress, "building")
        return build_sharded(
            chain(first, every),
            output,
            shards=shards or 1,
            normalisation=sample.normalisation,
            engine=engine,
            notes=lambda: [*notes, *list_notes()],
            progress=progress,
            **how,
        )


def _check_encoder(encoder: Any, is_sharded: bool) -> None:
    """Raise an error, before any work, if an encoder is not installed or cannot be used."""
    if encoder is not None:
        if is_sharded:
            raise InputError(
                "An index in shards cannot be encoded.",
                "Leave out --shards and write to a folder, or leave out --encoder.",
            )
        open_encoder(encoder)


def _stream(
    texts: Sources, options: FileOptions, progress: Progress
) -> tuple[Iterable[Document | str], Callable[[], list[str]]]:
    """Return documents that may exceed the memory, and a function that lists notes about them."""
    if not isinstance(texts, Corpus | Index | Document):
        paths = find_paths([texts] if isinstance(texts, str | Path) else texts)
        if paths:
            reader = Reader(paths, **get_file_options(options))
            return reader, reader.report
    corpus = read_texts(texts, options, progress)
    return corpus.documents, lambda: corpus.notes


@dataclass(kw_only=True)
class EncodedRow:
    """What was encoded: the encoder, the rows of the index, and on how many texts it failed."""

    encoder: str
    dims: int
    sentences: int
    documents: int
    failed: int


@verb(served="own")
def encode(
    index: IndexInput,
    *,
    encoder: Annotated[
        EncoderInput,
        Help(
            "The encoder: minilm (English) or multilingual (16 languages), which need the extra"
            " encoder, or in Python a model or a function. By default the encoder of the index, or"
            " minilm."
        ),
    ] = None,
    replace: Annotated[bool, Help("Encode all texts again.")] = False,
    progress: Progress = silent,
) -> Result[EncodedRow]:
    """Encode the texts of an index with a sentence encoder.

    The method best then uses the vectors; encoder, late, fitted and wmd(tokens=true) need them.
    Texts that are already encoded are left as they are: to resume after an interruption, run the
    same command again. `lexfield add` encodes what it adds.

        lexfield encode my.idx
        lexfield search my.idx "a quiet harbour" --explain
    """
    opened = open_index(index)
    notes = _encode(opened, encoder, replace, progress)
    found = need_encodings(Store.open(opened.path))
    sentences, documents = (len(opened.rows(unit)) for unit in UNITS)
    failed = len(found.meta["failed"])
    row = EncodedRow(
        encoder=found.name, dims=found.dims, sentences=sentences, documents=documents, failed=failed
    )
    return Result([row], notes=notes)


def _encode(index: Index, encoder: Any, replace: bool, progress: Progress) -> list[str]:
    """Encode the texts of an index; return notes on what the encoder failed on or does not know."""
    try:
        notes = index.encode(encoder, replace=replace, progress=progress)
    except KeyboardInterrupt as stop:
        step = name_encoding(index.path)
        raise KeyboardInterrupt(f"finished vectors are kept; continue with: {step}") from stop
    is_multilingual = need_encodings(Store.open(index.path)).name == "multilingual"
    return [*notes, *(note_unknown_language(index.language) if is_multilingual else [])]


@dataclass(kw_only=True)
class AddedRow:
    """How many documents were added, and how many the index has now."""

    added: int
    documents: int


@verb(served="own")
def add(
    index: IndexInput,
    texts: TextsInput,
    *,
    progress: Progress = silent,
    **options: Unpack[FileOptions],
) -> Result[AddedRow]:
    """Add documents to an index.

    The index is not rebuilt. The ids of the documents must be new.

        lexfield add my.idx letters/ diary.txt
        lexfield add tickets.idx new.csv --title-field subject --text-field message
    """
    opened = open_index(index)
    plain = texts if isinstance(texts, Mapping) else list_plain_texts(texts)
    if plain is not None:
        added, notes = opened.add(plain, progress=progress), _note_empty(plain)  # free ids
    else:
        corpus = read_texts(texts, options, progress, opened.normalisation)
        begin_stage(progress, "embedding words")
        added, notes = opened.add(corpus, progress=progress), corpus.notes
    return Result([AddedRow(added=added, documents=len(opened.documents))], notes=notes)


def _note_empty(texts: Mapping[str, str] | Sequence[str | Document]) -> list[str]:
    """Return a note on texts without a word."""
    every = texts.values() if isinstance(texts, Mapping) else texts
    plain = (one.text if isinstance(one, Document) else one for one in every)
    empty = sum(not any(map(str.isalnum, text)) for text in plain)
    return [f"documents without words: {empty:,}"] if empty else []


@dataclass(kw_only=True)
class DeletedRow:
    """How many documents were deleted, and how many are left."""

    deleted: int
    documents: int


@verb(served="own")
def delete(
    index: IndexInput,
    ids: Annotated[
        Sequence[str], Flags(metavar="ID...", dash="lines"), Help("Ids of documents to delete.")
    ],
) -> Result[DeletedRow]:
    """Delete documents from an index.

    Documents are named by their ids; - reads one id per line from standard input. If an id is
    unknown, nothing is deleted. `lexfield compact` frees the space.

        lexfield delete my.idx letters/march diary
        cut -d, -f1 closed.csv | lexfield delete tickets.idx -
    """
    opened = open_index(index)
    deleted = opened.delete(ids)
    return Result([DeletedRow(deleted=deleted, documents=len(opened.documents))])


@dataclass(kw_only=True)
class CompactedRow:
    """The size of an index before and after."""

    documents: int
    segments_before: int
    bytes_before: int
    bytes: int


@verb(served="own")
def compact(index: IndexInput, *, progress: Progress = silent) -> Result[CompactedRow]:
    """Tidy an index after many additions and deletions.

    All segments become one, and the texts of deleted documents are removed for good.

        lexfield compact my.idx
    """
    opened = open_index(index)
    before = opened.info()
    begin_stage(progress, "embedding words")
    opened.compact(progress=progress)
    after = opened.info()
    row = CompactedRow(
        documents=after["documents"],
        segments_before=before["segments"],
        bytes_before=before["bytes"],
        bytes=after["bytes"],
    )
    return Result([row])
