"""``lexfield near``"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from lexfield.engine import Engine
from lexfield.errors import InputError, UnknownWordError
from lexfield.evaluate.trec import MOST_BYTES, read_lines
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, format_rows
from lexfield.vectors.models import Models, is_models
from lexfield.vectors.sources import make_absolute
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.options import ClusterAddress, Hits, use_engine
from lexfield.verbs.results import Paint, Result, hidden, plain
from lexfield.verbs.vector_input import FileInput, ModelsInput, Vectors, VectorsInput, load_vectors

_LONGEST_WORD = 10_000  # characters
_BATCH = 500  # words per task
_NOTES = 10


@dataclass(kw_only=True)
class NearWord:
    """A near word; with several models, also how far they agree."""

    query: str | UnsetType = UNSET  # if several words were looked up
    word: str
    similarity: float
    distance: float
    deviation: float | UnsetType = UNSET
    share: float | UnsetType = UNSET
    best_rank: int | UnsetType = UNSET
    worst_rank: int | UnsetType = UNSET


@dataclass(repr=False)
class NearWords(Result[NearWord]):
    """The nearest words of one or more words."""

    models: int = hidden(default=1)

    def lines(self, paint: Paint = plain) -> Iterable[str]:
        if self.models == 1:
            return super().lines(paint)
        rows = [
            {
                **({} if row.query is UNSET else {"query": row.query}),
                "word": row.word,
                "similarity": f"{row.similarity:.2f} ± {row.deviation:.2f}",
                "near in": f"{round(float(row.share or 0) * self.models)} of {self.models} models",
                "ranks": f"{row.best_rank:,} to {row.worst_rank:,}",
            }
            for row in self.results
        ]
        return format_rows(rows, shown=len(rows))


@verb
def near(
    word: Annotated[
        Sequence[str], Meta(max_length=100_000), Flags(metavar="WORD..."), Help("Words to look up.")
    ] = (),
    *,
    words: Annotated[FileInput | None, Help("File with one word per line.")] = None,
    k: Hits = 10,
    threshold: Annotated[
        float | None,
        Meta(ge=-1, le=1),
        Help("Find all words with at least this cosine, instead of the k nearest."),
    ] = None,
    vectors: VectorsInput = "default",
    models: ModelsInput = (),
    dims: Annotated[
        int | None, Meta(ge=1, le=10_000), Help("Dimensions, for a folder with several sizes.")
    ] = None,
    cluster: ClusterAddress = None,
    progress: Progress = silent,
) -> NearWords:
    """Find the nearest words.

    With several models the cosine is a mean with its standard deviation, and each neighbour says in
    how many models it is among the k nearest, and at which ranks.

        lexfield near book
        lexfield near king queen -k 5 --json
        lexfield near river --threshold 0.6
        lexfield near book --vectors my-vectors.vec
        lexfield near book --models my-models
        lexfield near book --models first.vec --models second.vec --json
        lexfield near --words all.txt -k 20 --jsonl --cluster tcp://10.0.0.5:8786
    """
    if dims and not models:
        raise InputError("--dims goes with --models.")
    if bool(word) == bool(words):
        raise InputError("Give either words or --words FILE.")
    wanted = _read_words(words) if words else word
    if words and cluster and not models:
        with use_engine(cluster) as engine:
            assert engine is not None
            return _find_on(engine, str(vectors), wanted, k, threshold, progress)
    begin_stage(progress, "reading vectors")
    if models:
        several = _open_models(models, dims, progress)
        found, notes = _find(several, wanted, k, threshold)
        return NearWords(found, models=len(several), notes=[*several.notes, *notes])
    found, notes = _find(load_vectors(vectors, progress=progress), wanted, k, threshold)
    return NearWords(found, notes=notes)


def _read_words(path: str | Path) -> list[str]:
    words = [line.strip() for _, line in read_lines(path, _LONGEST_WORD, MOST_BYTES)]
    if not words:
        raise InputError(f"There is no word in {path}.", "Write one word per line.")
    return words


def _open_models(
    sources: Vectors | Sequence[Vectors], dims: int | None, progress: Progress
) -> Models:
    every = [sources] if isinstance(sources, Vectors) else list(sources)
    if len(every) == 1 and not isinstance(every[0], WordVectors) and is_models(every[0]):
        return Models.open(every[0], dims)
    return Models([load_vectors(source, progress=progress) for source in every])


def _find(
    known: WordVectors | Models, words: Sequence[str], k: int, threshold: float | None
) -> tuple[list[NearWord], list[str]]:
    """Return the nearest words of each word, and a note for each word without a vector."""
    rows, notes = [], []
    for word in words:
        try:
            found = known.nearest(word, k, threshold=threshold)
        except UnknownWordError as error:
            notes.append(str(error))
            continue
        query = word if len(words) > 1 else UNSET
        rows += [NearWord(query=query, **row) for row in found.to_dicts()]
    return rows, notes


def _find_on(
    engine: Engine,
    vectors: str,
    words: Sequence[str],
    k: int,
    threshold: float | None,
    progress: Progress,
) -> NearWords:
    """Look many words up on an engine, whose workers load the same vectors."""
    source = make_absolute(vectors)
    items = [
        {"vectors": source, "words": words[i : i + _BATCH], "k": k, "threshold": threshold}
        for i in range(0, len(words), _BATCH)
    ]
    rows: list[NearWord] = []
    notes: list[str] = []
    for some, missing in engine.map("lexfield.verbs.near:find_some", items, progress=progress):
        rows += [NearWord(**row) for row in some]
        notes += missing
    if len(notes) > _NOTES:
        notes[_NOTES:] = [f"… and {len(notes) - _NOTES:,} more words without a vector"]
    return NearWords(rows, notes=notes)


def find_some(
    vectors: str, words: list[str], k: int, threshold: float | None
) -> tuple[list[JsonObject], list[str]]:
    """Run one task: return the rows with their queries, and notes."""
    rows: list[JsonObject] = []
    notes: list[str] = []
    for word in words:
        found, missing = _find(_load_once(vectors), [word], k, threshold)
        rows += [{**record, "query": word} for record in NearWords(found).to_dicts()]
        notes += missing
    return rows, notes


@lru_cache(maxsize=1)
def _load_once(vectors: str) -> WordVectors:
    return WordVectors.load(vectors)
