"""Writing an index in shards, here or on a cluster.

Documents are read once and spooled in chunks; then every step is a task for each shard, with what
all shards share made between them: words → vectors → axes → shards → statistics. Every result is a
store named after what it was made from, so an interrupted run continues where it stopped.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import xxhash
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from lexfield.arrays import Array
from lexfield.cluster.shard_names import NAME, SHARD
from lexfield.engine import Engine, Local, single_thread
from lexfield.errors import InputError, LockedError, check
from lexfield.index.basis import Basis
from lexfield.index.segment import BALL, find_balls
from lexfield.index.units import UNITS
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.store.folder import SHARDS, Store, Writer, write
from lexfield.store.owned import claim
from lexfield.store.place import Place, RemotePlace, is_address
from lexfield.store.strings import StringArray
from lexfield.text.corpus import Vocabulary
from lexfield.text.document import Document
from lexfield.text.normalise import NONE, Normalisation, stem_words
from lexfield.vectors.wordvectors import WordEmbeddings

_CHUNK = 4_000_000  # characters of text in a spooled file
_BLOCK = 4096  # words whose balls are one task
_OURS = re.compile(  # what a build writes into the folder of shards, finished or not
    r"\.?([0-9]{4}|cut|words|sample|basis|balls|spool)-[0-9a-f]{32}(\.jsonl)?(\.[0-9a-f]{32}\.tmp)?"
)
EMPTY = "documents without words"  # begins a note
_TASKS = "lexfield.cluster.build_tasks:"


Embed = Callable[[Vocabulary], tuple[WordEmbeddings, JsonObject]]  # words → vectors, their set


def write_shards(
    documents: Iterable[Document | str],
    place: Place,
    shards: int,
    *,
    embed: Embed,
    language: str,
    normalisation: Normalisation,
    commit: Callable[[], AbstractContextManager[Writer]],
    engine: Engine | None = None,
    notes: Callable[[], list[str]] = list,
    progress: Progress = silent,
) -> None:
    """Write an index of documents in ``shards`` parts, and then delete the shards it does not use.

    ``commit`` gives the writer of what all shards share, which makes them the index.
    """
    with _lock(place):
        build = _Build(place, engine or Local(), language, notes, progress)
        kept = build.run(documents, shards, embed, normalisation, commit)
        if isinstance(place, RemotePlace):  # others may still read them
            kept |= {one["name"] for meta in place.list_recent() for one in meta["shards"]}
        for name in place.names(SHARDS):
            if name not in kept and _OURS.fullmatch(name):
                place.remove(f"{SHARDS}/{name}")


@contextmanager
def _lock(place: Place) -> Iterator[None]:
    """Let one process build at a time, where there are locks."""
    if is_address(place.path):
        yield
        return
    folder = place.store(SHARDS)
    claim(place.store())
    folder.mkdir(exist_ok=True)
    try:
        with FileLock(folder.parent / ".building", timeout=0):
            yield
    except Timeout as error:
        raise LockedError(
            f"{place.path} is being built by another process.", "Wait for it and try again."
        ) from error


class _Build:
    def __init__(
        self,
        place: Place,
        engine: Engine,
        language: str,
        notes: Callable[[], list[str]],
        progress: Progress,
    ) -> None:
        self._place, self._engine = place, engine
        self._language, self._notes, self._progress = language, notes, progress

    def run(
        self,
        documents: Iterable[Document | str],
        shards: int,
        embed: Embed,
        normalisation: Normalisation,
        commit: Callable[[], AbstractContextManager[Writer]],
    ) -> set[str]:
        """Build, and return the names of the shards."""
        cuts, about = self._cut(self._spool(documents, shards), normalisation)
        words, embedded, known = self._words(cuts, embed)
        basis = self._basis(cuts, about, words)
        common = {"words": words, "basis": basis, "language": self._language}
        items = [
            {"out": _name(f"{number:04d}", cut, words, basis), "cut": cut, **common}
            for number, cut in enumerate(cuts)
        ]
        made = self._map("make_shard", items)
        entries = [{**entry, **one} for entry, one in zip(made, about, strict=True)]
        balls = self._balls(words, embedded)
        empty = sum(one["empty"] for one in about)
        with commit() as out:
            self._statistics(out, words, normalisation.stemmer, entries)
            out.array("balls", balls)
            corpus = {"normalisation": normalisation.to_dict(), "notes": []}
            out.meta.update(
                shards=entries,
                segments=[{"name": NAME, "corpus": corpus}],
                language=self._language,
                vectors=known,
                rows={unit: sum(one[unit] for one in about) for unit in UNITS},
                tokens=sum(one["tokens"] for one in about),
                notes=[*([f"{EMPTY}: {empty:,}"] if empty else []), *self._notes()],
            )
        return {entry["name"] for entry in entries}

    def _open(self, name: str, kind: str) -> Store:
        return Store.open(self._place.store(name), kind)

    def _map(self, task: str, items: list[JsonObject]) -> list[Any]:
        placed = [{"place": self._place.path, **item} for item in items]
        return list(self._engine.map(_TASKS + task, placed, progress=self._progress))

    def _spool(self, documents: Iterable[Document | str], shards: int) -> list[JsonObject]:
        """Write the documents in chunks, and return for each shard where its own are.

        Shards have about the same length of text.
        """
        chunks: list[tuple[str, int]] = []  # name, documents
        sizes: list[int] = []
        lines: list[bytes] = []
        seen: set[str] = set()
        room = _CHUNK
        for number, item in enumerate(documents):
            document = item if isinstance(item, Document) else Document(str(number), item)
            if document.id in seen:
                raise InputError(
                    f"The id {document.id!r} is used twice, the second time by"
                    f" {document.source or 'a later document'}.",
                    "Give every document an id of its own, or name another --id-field.",
                )
            seen.add(document.id)
            lines.append(_line(document))
            sizes.append(len(document.text) + 1)
            room -= sizes[-1]
            if room <= 0:
                chunks.append(self._chunk(lines))
                lines, room = [], _CHUNK
            self._progress(number + 1, None)
        if lines:
            chunks.append(self._chunk(lines))
        check(
            shards <= len(sizes),
            "shards",
            f"at most the number of documents, {len(sizes):,}",
            shards,
        )
        return _parts(chunks, _bounds(sizes, shards))

    def _chunk(self, lines: list[bytes]) -> tuple[str, int]:
        data = b"".join(lines)
        name = f"{SHARDS}/spool-{xxhash.xxh3_128_hexdigest(data)}.jsonl"
        if not self._place.holds(name):
            self._place.write(name, data)
        return name, len(lines)

    def _cut(
        self, parts: list[JsonObject], normalisation: Normalisation
    ) -> tuple[list[str], list[JsonObject]]:
        how = normalisation.to_dict()
        items = [{"out": _name("cut", part, how), **part, "normalisation": how} for part in parts]
        about = self._map("cut_documents", items)
        if not sum(one["tokens"] for one in about):
            raise InputError("The documents contain no words; no index was written.")
        return [item["out"] for item in items], about

    def _words(self, cuts: list[str], embed: Embed) -> tuple[str, WordEmbeddings, JsonObject]:
        """Store the words of all cut corpora, numbered as in a corpus of all, with vectors."""
        counts: Counter[str] = Counter()
        for cut in cuts:
            store = self._open(cut, "cut corpus")
            own = zip(store.strings("words"), store.array("counts").tolist(), strict=True)
            counts.update(dict(own))
        order = sorted(counts, key=lambda word: (-counts[word], word))
        numbers = np.array([counts[word] for word in order], np.int64)
        vocabulary = Vocabulary(StringArray.pack(order), numbers)
        embedded, known = embed(vocabulary)
        parts: dict[str, Array] = {"vectors": embedded.matrix, "how": embedded.matches}
        if embedded.contributions is not None:
            parts["contributions"] = embedded.spread(embedded.contributions)
        sums = [_checksum(array) for array in parts.values()]
        name = _name("words", order, numbers.tolist(), *sums)
        if not self._place.has(name):
            with self._place.writing(name) as folder, write(folder, "words") as out:
                out.strings("words", vocabulary.words)
                out.array("counts", numbers)
                for part, values in parts.items():
                    out.array(part, values)
        return name, embedded, known

    def _basis(self, cuts: list[str], about: list[JsonObject], words: str) -> str:
        """Store the axes of mean vectors, from a sample of all rows."""
        rows = {unit: sum(one[unit] for one in about) for unit in UNITS}
        common = {"words": words, "rows": rows, "language": self._language}
        items: list[JsonObject] = []
        first = dict.fromkeys(UNITS, 0)
        for cut, one in zip(cuts, about, strict=True):
            part = {"cut": cut, "first": first, **common}
            items.append({"out": _name("sample", part), **part})
            first = {unit: first[unit] + one[unit] for unit in UNITS}
        samples = self._map("sample_rows", items)
        name = _name("basis", samples)
        if self._place.has(name):
            return name
        stores = [self._open(sample, "sample") for sample in samples]
        shared = self._open(words, "words")
        parts = ("vectors", "how", "contributions")
        embedded = WordEmbeddings.from_matrix(*map(shared.array, parts))
        with self._place.writing(name) as folder, write(folder, "basis") as out, single_thread():
            for unit in UNITS:
                some, shares = (
                    np.concatenate([store.array(f"{unit}.{part}") for store in stores])
                    for part in ("words", "shares")
                )
                sizes = [np.diff(store.array(f"{unit}.offsets")) for store in stores]
                offsets = np.append(0, np.cumsum(np.concatenate(sizes))).astype(np.int64)
                basis = Basis.of(offsets, some, shares, embedded.places, embedded.added)
                out.array(f"{unit}.center", basis.center)
                out.array(f"{unit}.rotation", basis.rotation)
                out.array(f"{unit}.turned", basis.turned)
        return name

    def _balls(self, words: str, embedded: WordEmbeddings) -> NDArray[np.int32]:
        """Return the nearest words of each word, computed in blocks on a cluster."""
        known = np.flatnonzero(embedded.matches)
        if isinstance(self._engine, Local) or len(known) < 2:
            return find_balls(embedded, self._progress)
        items = [
            {
                "out": _name("balls", words, first),
                "words": words,
                "first": first,
                "last": min(first + _BLOCK, len(known)),
            }
            for first in range(0, len(known), _BLOCK)
        ]
        stores = [self._open(name, "balls") for name in self._map("nearest_words", items)]
        rows = np.concatenate([store.array("rows") for store in stores])
        balls = np.full((len(embedded.matches), BALL), -1, np.int32)
        balls[known, : rows.shape[1]] = known[rows]
        return balls

    def _statistics(self, out: Writer, words: str, stemmer: str, entries: list[JsonObject]) -> None:
        """Write words with their vectors, and in how many rows of all shards each occurs."""
        shared = self._open(words, "words")
        names = list(shared.strings("words"))
        out.strings("words", shared.strings("words"))
        for part in ("counts", "vectors", "how", "contributions"):
            out.array(part, shared.array(part))
        numbers: dict[str, int] = {}
        if stemmer != NONE:
            stems = stem_words(names, stemmer)
            for stem in stems:
                numbers.setdefault(stem, len(numbers))
            terms = np.array([numbers[stem] for stem in stems])
            totals = np.zeros(len(numbers), np.int64)
            np.add.at(totals, terms, shared.array("counts"))
            out.array("term_totals", totals)
        holding = {unit: np.zeros(len(names), np.int64) for unit in UNITS}
        term_holding = {unit: np.zeros(len(numbers), np.int64) for unit in UNITS}
        for entry in entries:
            store = self._open(f"{SHARDS}/{entry['name']}", SHARD)
            own = store.array("own")
            mine = [numbers[stem] for stem in store.strings("stems")] if numbers else []
            for unit in UNITS:
                holding[unit][own] += store.array(f"{unit}.holding")
                if numbers:
                    term_holding[unit][mine] += store.array(f"{unit}.term_holding")
        for unit in UNITS:
            out.array(f"{unit}.holding", holding[unit])
            if numbers:
                out.array(f"{unit}.term_holding", term_holding[unit])


def _line(document: Document) -> bytes:
    record = {
        "id": document.id,
        "text": document.text,
        "source": document.source,
        "metadata": dict(document.metadata),
    }
    return json.dumps(record).encode() + b"\n"


def _bounds(sizes: list[int], shards: int) -> list[int]:
    """Return the first document of each shard, and the number of all; no shard is empty."""
    ends = np.cumsum(sizes)
    wanted = np.arange(1, shards) * (int(ends[-1]) / shards)
    inner = np.searchsorted(ends, wanted).tolist()
    bounds = [0]
    for number, place in enumerate(inner, 1):
        low, high = bounds[-1] + 1, len(sizes) - (shards - number)
        bounds.append(min(max(place, low), high))
    return [*bounds, len(sizes)]


def _parts(chunks: list[tuple[str, int]], bounds: list[int]) -> list[JsonObject]:
    """Return for each shard the chunks that hold its documents, and which of them."""
    starts = np.append(0, np.cumsum([count for _, count in chunks])).tolist()
    parts = []
    for first, last in pairwise(bounds):
        held = [i for i in range(len(chunks)) if starts[i] < last and starts[i + 1] > first]
        names = [chunks[i][0] for i in held]
        parts.append({"chunks": names, "first": first - starts[held[0]], "count": last - first})
    return parts


def _name(kind: str, *inputs: Any) -> str:
    """Return the name of a store: its kind, and a checksum of what it is made from."""
    data = json.dumps(inputs, sort_keys=True).encode()
    return f"{SHARDS}/{kind}-{xxhash.xxh3_128_hexdigest(data)}"


def _checksum(array: Array) -> str:
    return xxhash.xxh3_128_hexdigest(np.ascontiguousarray(array).data)
