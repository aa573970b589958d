"""What the server's workers do: answer a verb, build an index, warm up, and read files again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from lexfield.cluster.sharded_index import open_index as open_at
from lexfield.errors import InputError, LexfieldError, list_names, shorten, suggest
from lexfield.index.build import write_index
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject
from lexfield.search.index import Index
from lexfield.serve.inputs import MOST_DOCUMENTS, MOST_ROWS, kind_of, name_sides
from lexfield.serve.pool import generation_of, hide_paths
from lexfield.serve.problems import ChangedIndexError, NotFoundError
from lexfield.store.files import private_files
from lexfield.store.folder import Store, verify
from lexfield.store.mirror import Mirror
from lexfield.store.provenance import collect, record
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.fields import Where
from lexfield.text.read import Reader
from lexfield.vectors.sources import BUILT_IN, find_imported, list_sets
from lexfield.vectors.train import AUTO, OWN
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs import list_functions
from lexfield.verbs.declare import Verb
from lexfield.verbs.documents import select_documents
from lexfield.verbs.results import Result, encode_body, encode_csv

_PASSES, _READ = 40, 1_500_000  # most passes over a text to train on, and words read in all
_CUT = {"compare"}  # verbs that take one document as it was cut when it was indexed
_ROWS, _CELL = 5, 300  # of a preview: rows, and characters of a value
# Words up to which an upload stores the nearest words of each. They take more than half of the time
# that 10 MB need, and save some 6 ms of a question: whoever uploads waits for the first answer.
_MOST_BALLS = 10_000
_PARTS = ("topics", "metrics/*", "shards/*")  # stores within that of an index


def run(
    verb: str,
    path: str | None,
    options: JsonObject,
    format: str,
    names: dict[str, str],
    request: str = "",
    generation: str | None = None,
    report: Progress = silent,
    sources: dict[str, str | None] | None = None,
) -> str:
    """Return the answer of a verb as JSON; CSV is wrapped in JSON with its provenance.

    request: the digest of what was asked, which the answer repeats. generation: the state expected
    of the index at ``path``. sources: paths of other stores that the verb reads, with the states
    expected of them. names: what callers call each path.
    """
    declared = list_functions()[verb].load()
    own = private_files() if declared.served == "own" else nullcontext()
    with TemporaryDirectory(prefix="lexfield-") as folder, own, collect(request) as provenance:
        if path is not None:
            index = open_index(path, generation)
            _check_size(index, declared, options.get("where"))
            if verb == "train_vectors":
                options = {"epochs": _choose_epochs(index), **options}
        try:
            arguments = declared.validate(_build_arguments(declared, options, Path(folder)))
            progress = {"progress": report} if declared.takes_progress else {}
            result = declared.function(**arguments, **progress)
        except LexfieldError as error:  # callers know what they sent, not where it lay
            error.message, error.hint = (
                hide_paths(text, {folder: ""}) for text in (error.message, error.hint)
            )
            raise
    _shorten(result, MOST_ROWS.get(verb))
    for source, expected in (sources or {}).items():
        check_state(source, expected)
    if format == "csv":
        wrapped = {"csv": encode_csv(result), "provenance": provenance}
        answer = msgspec.json.encode(wrapped).decode()
    else:
        answer = encode_body(declared.command, result, provenance).decode()
    return hide_paths(answer, {folder: "", **names})


def _check_size(index: Index, verb: Verb, where: Where | None) -> None:
    most = MOST_DOCUMENTS.get(verb.name)
    if most is None or len(index.documents) <= most:
        return
    count = len(select_documents(index, where)[0])
    if count > most:
        raise InputError(
            f"There are {count:,} documents; at most {most:,} can be compared in pairs here.",
            f"Choose some with where, or use the command line: lexfield {verb.command}.",
        )


def _choose_epochs(index: Index) -> int:
    """Return how often to read a text: a small one more often, or its models say nothing."""
    return max(5, min(_PASSES, _READ // max(1, len(index.corpus.tokens))))


def _shorten(result: Result[Any], most: int | None) -> None:
    if most and len(result) > most:
        result.notes.append(f"the first {most:,} of {len(result):,} lines; ask for fewer texts")
        result.results = result.results[:most]


def _build_arguments(verb: Verb, options: JsonObject, folder: Path) -> JsonObject:
    """Return the arguments with indexes, texts, vectors and files in place of what names them."""
    built = dict(options)
    for parameter in verb.parameters:
        if parameter.name not in options:
            continue
        name, value = parameter.name, options[parameter.name]
        match kind_of(verb, parameter):
            case "index":
                built[name] = open_index(value["path"], metric=options.get("metric"))
            case "text" | "side" as kind:
                single = kind == "text" and verb.name not in _CUT
                built[name] = _build_source(value, name_sides(name)[1], single=single)
            case "texts" if verb.served == "own":
                built[name] = list(value["texts"].values())  # the index gives them ids
            case "texts":
                built[name] = _build_source(value, "text")
            case "vectors":
                several = isinstance(value, list)
                found = [_find_vectors(**one) for one in (value if several else [value])]
                built[name] = found if several else found[0]
            case "file":
                built[name] = _write_files(folder / name, value)
    return built


def _write_files(path: Path, content: str | list[str]) -> Path | list[Path]:
    """Write the content of a file, or of several; return where they are."""
    if isinstance(content, list):
        places = [path.with_name(f"{path.name}-{i}") for i in range(1, len(content) + 1)]
        for place, text in zip(places, content, strict=True):
            place.write_text(text, "utf-8")
        return places
    path.write_text(content, "utf-8")
    return path


def _build_source(
    source: JsonObject, itself: str, *, single: bool = False
) -> Index | Corpus | Document:
    """Return a whole index, or the documents and texts that were chosen.

    ``itself`` is the parameter that takes a text instead of the id of a document.
    """
    index = open_index(source["path"]) if source.get("path") else None
    ids = source.get("documents", ())
    if index is not None and not single and not source.get("texts") and _can_select(index, ids):
        return index.segments[0].corpus.select([index.documents[id] for id in ids])
    chosen = [Document(name, text) for name, text in source.get("texts", {}).items()]
    if index is not None:
        chosen += [_read_document(index, id, itself) for id in ids]
        if not chosen:
            return index
    if single:
        return chosen[0]
    return Corpus.of(chosen, normalisation=index.normalisation if index else None)


def _can_select(index: Index, ids: Sequence[str]) -> bool:
    """Can documents be taken as they are cut, rather than be cut again?"""
    known = index.documents
    return bool(ids) and len(index.segments) == 1 and all(id in known for id in ids)


def _read_document(index: Index, id: str, itself: str) -> Document:
    number, rows = index.documents.get(id), index.rows("document")
    if number is None:
        close = suggest(id, index.documents)
        raise NotFoundError(
            f"The index has no document {shorten(id, 100)!r}.",
            close or f"Send the id of a document, or a text itself as {itself}.",
        )
    about = rows.describe(number)
    return Document(id, rows.text(number), about["source"], about["metadata"])


@lru_cache(64)
def _open(path: str, metric: str | None) -> Index:
    return open_at(path, metric)


def open_index(path: str, generation: str | None = None, metric: str | None = None) -> Index:
    """Return an index in its newest state, which must be ``generation`` if given."""
    index = _open(path, metric)
    index.refresh()
    index.record()
    if generation not in (None, index.state):
        raise ChangedIndexError(f"{path} was changed.")
    return index


def check_state(path: str | None, expected: str | None) -> None:
    """Raise an error, upon which the server asks again, if a store is not in this state."""
    if generation_of(path) != expected:
        raise ChangedIndexError(f"{path} was changed.")


def _find_vectors(set: str | None = None, path: str | None = None) -> WordVectors | str:
    """Return a set by its name, which is never a file; or the folder of models."""
    if set is None:
        return str(path)
    if set in (OWN, AUTO) or set in BUILT_IN:
        return set
    known = [entry.name for entry in list_sets()]
    if set not in known:
        raise NotFoundError(f"There are no vectors called {set!r}.", f"Known: {list_names(known)}.")
    found = find_imported(set)
    folder = None if found is None else str(found)
    if found is not None:
        record(Store.open(found))
    return _load_vectors(set, folder, generation_of(folder))


@lru_cache(4)
def _load_vectors(name: str, folder: str | None, state: str | None) -> WordVectors:
    """Load a set; one that was imported again has another ``state``, and is loaded again."""
    vectors = WordVectors.load(name)
    check_state(folder, state)
    return vectors


def build(
    id: str, options: JsonObject, names: dict[str, str], request: str, report: Progress = silent
) -> str:
    """Build an index of the files in a folder; return the same as ``lexfield index --json``."""
    folder = Path(options["folder"])
    fields = {name: options[name] for name in ("title_field", "id_field")}
    reader = Reader(
        [folder], text_fields=options["text_field"], language=options["language"], **fields
    )
    begin_stage(report, "reading documents")
    corpus = Corpus.of((_rename(one, options) for one in reader), progress=report)
    left_out = [*options["left_out"], *(hide_paths(note, names) for note in reader.report())]
    if not len(corpus.documents):
        raise reader.no_text_error()
    corpus.notes.extend(left_out)
    begin_stage(report, "embedding words")
    with private_files(), collect(request) as provenance:
        target, language = Path(options["target"]), options["language"]
        write_index(corpus, target, AUTO, language, None, report, most_balls=_MOST_BALLS)
        index = Index.open(target)
    found = index.info()
    notes = found.pop("notes")
    del found["path"]
    result = Result([{"id": id, **found}], notes=notes)
    return hide_paths(encode_body("index", result, provenance).decode(), names)


def _rename(document: Document, options: JsonObject) -> Document:
    """Return a document without the folder in which it lay while it was read, which means nothing
    to anybody; the field that was chosen for titles is called title."""
    metadata, chosen = dict(document.metadata), options["title_field"]
    if chosen in metadata:
        metadata = {"title": metadata.pop(chosen), **metadata}
    source = str(Path(document.source).relative_to(options["folder"]))
    return replace(document, source=source, metadata=metadata)


def preview(path_sent: str, names: dict[str, str]) -> str:
    """Return the columns of a table with their uses, and its first rows."""
    path = Path(path_sent)
    roles, records = Reader([path]).preview(_ROWS)
    shown = [{name: shorten(value, _CELL) for name, value in one.items()} for one in records]
    columns = [{"name": name, "role": role} for name, role in roles.items()]
    return msgspec.json.encode({"columns": columns, "rows": shown}).decode()


def warm(paths: list[str]) -> str:
    """Load what the first request would wait for, and what is worth it for many."""
    list_functions()["search"].load()
    for path in paths:
        index = open_index(path)
        index.search("the first of all questions", k=1, allow_unknown=True)
        index.rows("sentence")
    return ""


def scrub(path: str, names: dict[str, str], generation: str | None) -> str:
    """Read every byte of an index again; return what differs from what was written, if anything."""
    if hasattr(os, "nice"):
        os.nice(19)  # searches come first
    index = Path(path)
    if Mirror.at(index):
        return ""  # blocks that are not here yet look damaged; the others are checked when opened
    stores = [index, *(found.parent for part in _PARTS for found in index.glob(f"{part}/CURRENT"))]
    for store in stores:
        for found in verify(store):
            if found.problem:
                place = (store / found.file).relative_to(index).as_posix()
                return f"{place}: {hide_paths(found.problem, names).rstrip('.')}"
    return ""
