"""Make a study: with the suggestions of search methods, or with suggestions from a file.

As in Hare et al. (section 4.4.1), each method suggests five sentences per query. Sentences that are
too short or too long are not suggested, and neither are the query itself and repeats.

Queries are in a file of queries (``evaluate/trec.py``) or in JSON: a list of texts, or lists by
level, ``{"middle": ["…", …], "college": […]}``. A level selects the documents that are searched
(``--by FIELD``). All sizes are bounded, since sentences are shown to people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lexfield.engine.threads import map_blocks
from lexfield.errors import InputError, ReadError, check, list_names
from lexfield.evaluate.trec import iterate_queries
from lexfield.index.filter import allowed_rows
from lexfield.progress import Progress, silent
from lexfield.search.index import Index
from lexfield.search.method import format_method
from lexfield.search.registry import parse, read_query
from lexfield.store.bounds import bounded_json
from lexfield.study.database import Study, create
from lexfield.study.design import (
    BASELINES,
    PAPER_BASELINES,
    PAPER_TARGETS,
    TARGETS,
    Design,
    StudyQuery,
)
from lexfield.text.decode import SAMPLE, refuse_binary
from lexfield.text.fields import read_where
from lexfield.text.source import read_at_most

MOST_BYTES = 20_000_000
MOST_QUERIES = 10_000
MOST_PARTS = 1_000_000  # of JSON: enough for all queries with their suggestions
LONGEST = 2_000  # characters of a sentence
SUGGESTIONS = 5  # per method and query
_SHORTEST_QUERY = 5  # words


@dataclass(frozen=True)
class Lengths:
    """The allowed number of words of a suggestion."""

    least: int = 3
    most: int = 15

    def __post_init__(self) -> None:
        check(1 <= self.least <= self.most <= 200, "lengths", "1 ≤ least ≤ most ≤ 200", self)


def new_study(
    index: Index,
    queries: Sequence[StudyQuery],
    path: str | Path,
    kind: str = "choose3",
    *,
    targets: Sequence[str] = TARGETS,
    baselines: Sequence[str] = BASELINES,
    by: str | None = None,
    lengths: Lengths | None = None,
    allow_unknown: bool = False,
    seed: int = 0,
    progress: Progress = silent,
) -> Study:
    """Search an index for every query with every method, and write the questionnaire.

    With ``by``, a metadata field, a query is answered from documents whose value is its level.
    With ``allow_unknown``, vectors are used even if most words of the index have none.
    """
    names = [tuple(format_method(parse(spec)) for spec in specs) for specs in (targets, baselines)]
    design = Design(kind, names[0], names[1], seed)
    levels = sorted({query.level for query in queries})
    if by is None and levels != [""]:
        raise InputError(
            f"The queries have levels ({list_names(levels)}).",
            "Name the metadata field that holds them: --by FIELD",
        )
    lists: list[dict[str, list[str]]] = [{} for _ in queries]
    done, total = 0, len(levels) * len(design.methods)
    for level in levels:
        places = [i for i, query in enumerate(queries) if query.level == level]
        texts = [queries[i].text for i in places]
        where = {by: level} if by and level else None
        for spec in design.methods:
            found = suggest(
                index, texts, spec, where, lengths or Lengths(), allow_unknown=allow_unknown
            )
            for i, sentences in zip(places, found, strict=True):
                lists[i][spec] = sentences
            done += 1
            progress(done, total)
    about = {
        "source": Path(index.path).name,
        "generation": index.generation,
        "vectors": str(index.info()["vectors"]["name"]),
    }
    return create(path, design, queries, lists, about)


def import_study(
    source: str | Path,
    path: str | Path,
    kind: str = "choose3",
    *,
    targets: Sequence[str] = PAPER_TARGETS,
    baselines: Sequence[str] = PAPER_BASELINES,
    seed: int = 0,
) -> Study:
    """Write a questionnaire about the suggestions in a file (``read_suggestions``)."""
    design = Design(kind, tuple(targets), tuple(baselines), seed)
    queries, lists = read_suggestions(source, design.methods)
    return create(path, design, queries, lists, {"source": Path(source).name})


def suggest(
    index: Index,
    texts: Sequence[str],
    spec: str,
    where: dict[str, str] | None,
    lengths: Lengths,
    allow_unknown: bool = False,
) -> list[list[str]]:
    """Return the best sentences of the index for each text, all different."""
    rows = index.rows("sentence")
    fit = (rows.lengths >= lengths.least) & (rows.lengths <= lengths.most)
    allowed = allowed_rows(rows, read_where(where))
    mask = fit if allowed is None else fit & allowed
    if not mask.any():
        raise InputError(
            f"No sentence of the index has {lengths.least} to {lengths.most} words"
            + (f" where {where}." if where else "."),
            "Try --longest with more words.",
        )
    method = parse(spec)
    most = int(np.count_nonzero(mask))

    def search(text: str) -> list[str]:
        query = read_query(index, method, text, allow_unknown=allow_unknown)
        wanted = 4 * SUGGESTIONS
        while True:  # copies of one sentence may fill the first places
            found = method.search(rows, query, min(wanted, most), mask)
            sentences = drop_repeats(text, [rows.text(row) for row in found.rows])
            if len(sentences) >= SUGGESTIONS or wanted >= most or len(found.rows) < wanted:
                return sentences[:SUGGESTIONS]
            wanted *= 4

    return list(map_blocks(search, texts))


def draw_queries(
    index: Index, count: int, by: str | None, lengths: Lengths, seed: int = 0
) -> list[StudyQuery]:
    """Draw sentences of an index as queries, equally many of each level (Hare et al., 4.4.1).

    A level is a value of the metadata field ``by``. Queries have at least five words and at most as
    many as suggestions; no sentence is drawn twice.
    """
    rows = index.rows("sentence")
    fit = (rows.lengths >= max(_SHORTEST_QUERY, lengths.least)) & (rows.lengths <= lengths.most)
    fit &= True if rows.live is None else rows.live
    column = np.array(rows.column(by) if by else [""] * len(rows.column("id")), object)
    own = column[rows.documents]
    levels = sorted({str(level) for level in own[fit] if level or not by})
    if not levels:
        raise InputError(
            f"No sentence of {_SHORTEST_QUERY} to {lengths.most} words"
            + (f" has a value of {by!r}." if by else "."),
            "Try another field with --by, or --longest with more words.",
        )
    rng, drawn = np.random.default_rng(seed), []
    for place, level in enumerate(levels):
        share = count // len(levels) + (place < count % len(levels))
        order = rng.permutation(np.flatnonzero(fit & (own.astype(str) == level)))
        texts = list(dict.fromkeys(_join_lines(rows.text(int(row))) for row in order[: 4 * share]))
        if len(texts) < share:
            raise InputError(
                f"There are only {len(texts):,} different sentences to draw"
                + (f" where {by} is {level}." if by else "."),
                "Draw a smaller sample.",
            )
        drawn += [StudyQuery(text, level) for text in texts[:share]]
    return drawn


def read_queries(path: str | Path) -> list[StudyQuery]:
    """Read queries in order, without repeats."""
    if Path(path).suffix.lower() == ".json":
        found = _parse_queries(read_json(path), path)
    else:
        found = (StudyQuery(clean(text, path)) for _, text in iterate_queries(path))
    queries: dict[StudyQuery, None] = {}
    for query in found:
        queries[query] = None
        if len(queries) > MOST_QUERIES:
            raise InputError(f"{path} contains more than {MOST_QUERIES:,} queries.")
    if not queries:
        raise InputError(f"{path} contains no queries.", "Write one query per line.")
    return list(queries)


def _parse_queries(value: object, path: str | Path) -> Iterable[StudyQuery]:
    if isinstance(value, list):
        return (StudyQuery(clean(text, path)) for text in value)
    if isinstance(value, dict) and all(isinstance(texts, list) for texts in value.values()):
        return (
            StudyQuery(clean(text, path), clean(level, path))
            for level, texts in value.items()
            for text in texts
        )
    raise ReadError(
        f"{path} contains neither a list of texts nor lists of texts by level.",
        "For queries with suggestions use: lexfield study import",
    )


def read_suggestions(
    path: str | Path, methods: Sequence[str]
) -> tuple[list[StudyQuery], list[dict[str, list[str]]]]:
    """Read queries and the suggestions of each method, in the format of Hare et al.

    ``{"0": {"query": "…", "difficulty": "…", METHOD: ["…", …]}, …}``; the difficulty is optional,
    and suggestions may also be an object whose keys number them.
    """
    value = read_json(path)
    entries = value if isinstance(value, dict) else {}
    if not 0 < len(entries) <= MOST_QUERIES:
        raise ReadError(f"{path} contains no suggestions: no entries by number.")
    queries, lists = [], []
    for name, entry in entries.items():
        missing = [key for key in ("query", *methods) if key not in _as_dict(entry)]
        if missing:
            raise ReadError(
                f"{path}: entry {str(name)[:20]!r} has no {missing[0]!r}.",
                "Name the methods of the file with --target and --baseline.",
            )
        query = clean(entry["query"], path)
        queries.append(StudyQuery(query, clean(entry.get("difficulty", "all"), path)))
        lists.append({m: _parse_list(entry[m], query, path) for m in methods})
    return queries, lists


def _parse_list(value: object, query: str, path: str | Path) -> list[str]:
    if isinstance(value, list):
        texts = value
    else:
        numbered = {parse_count(number): text for number, text in _as_dict(value).items()}
        texts = [numbered[number] for number in sorted(numbered)]
    cleaned = [clean(text, path) for text in texts[: 2 * SUGGESTIONS]]
    return drop_repeats(query, cleaned)[:SUGGESTIONS]


def _as_dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def parse_count(value: object) -> int:
    """Parse a whole number from 0 to 10⁹."""
    try:
        number = int(str(value))
    except ValueError as error:
        raise ReadError(f"{str(value)[:20]!r} is not a whole number.") from error
    if not 0 <= number < 10**9:
        raise ReadError(f"{number} is not a count.")
    return number


def read_json(path: str | Path) -> object:
    """Read a JSON file of bounded size."""
    with open(path, "rb") as file:
        data = read_at_most(file, MOST_BYTES)
    if data is None:
        raise ReadError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB.")
    refuse_binary(data[:SAMPLE], str(path))
    try:
        return bounded_json(data.decode("utf-8-sig"), MOST_PARTS)
    except UnicodeDecodeError as error:
        raise ReadError(f"{path} is not UTF-8 (byte {error.start:,}).") from error
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{path} is not JSON that can be read: {error}.") from error


def clean(text: object, path: str | Path) -> str:
    """Return a text on one line. Raise ReadError if it is empty, too long or not a text."""
    if not isinstance(text, str):
        raise ReadError(f"{path}: {str(text)[:60]!r} is not a text.")
    line = _join_lines(text)
    if not line:
        raise ReadError(f"{path} contains an empty text.")
    if len(line) > LONGEST:
        raise ReadError(f"{path}: a text has {len(line):,} characters, more than {LONGEST:,}.")
    return line


def drop_repeats(query: str, sentences: Sequence[str]) -> list[str]:
    """Return the sentences on one line each, without the query, repeats and overlong ones."""
    seen = {_letters(query)}
    kept = []
    for sentence in sentences:
        line = _join_lines(sentence)
        if _letters(line) and _letters(line) not in seen and len(line) <= LONGEST:
            seen.add(_letters(line))
            kept.append(line)
    return kept


def _join_lines(text: str) -> str:
    """Return the text on one line, without control characters: it is shown in terminals."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _letters(text: str) -> str:
    """Return letters and digits only; sentences that agree in them look the same to a reader."""
    return "".join(c for c in text.casefold() if c.isalnum())
