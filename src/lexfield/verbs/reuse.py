"""``lexfield reuse``: the passages that texts share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Unpack

import msgspec
import numpy as np
from msgspec import Meta

from lexfield.errors import InputError, list_names, shorten
from lexfield.progress import Progress, begin_stage, silent
from lexfield.results import JsonObject, pluralise
from lexfield.reuse.clusters import Cluster, list_clusters, number_clusters
from lexfield.reuse.describe import Kind, PassagePair, Span, describe
from lexfield.reuse.find import Shared, find_shared
from lexfield.reuse.seeds import COPIES
from lexfield.reuse.words import CorpusWords
from lexfield.search.index import Index
from lexfield.store.files import replace_file
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.language import choose_language
from lexfield.verbs.declare import Default, Flags, Help, verb
from lexfield.verbs.input import (
    CorpusInput,
    Sources,
    TextInput,
    TextOptions,
    is_store,
    open_index,
    read_documents,
    read_texts,
    refuse_ids,
)
from lexfield.verbs.options import (
    By,
    ClusterAddress,
    Resume,
    Target,
    VectorsInput,
    choose_parts_folder,
    load_vectors,
    use_engine,
)
from lexfield.verbs.results import Result, hidden
from lexfield.verbs.reuse_page import (
    format_chance,
    list_sides,
    make_fragment,
    make_page,
    mark_words,
)

_SHOWN = 20  # passages
_LINE = 400  # characters of a passage


@dataclass(repr=False)
class Reuse(Result[PassagePair]):
    """Passages that texts share, best first: ``pairs``, each with its spans ``a`` and ``b``."""

    documents: int
    clusters: list[Cluster]
    texts: Mapping[str, str] = hidden()

    @property
    def pairs(self) -> Sequence[PassagePair]:
        """The passages."""
        return self.results

    def records(self) -> list[JsonObject]:
        return [_flatten(pair) for pair in self.results]

    def lines(self) -> Iterator[str]:
        for number, pair in enumerate(self.results[:_SHOWN], 1):
            head = f"{number}. {pair.kind}, {_count_words(pair)}, chance {format_chance(pair)}"
            yield self.paint(head, "green")
            for side, span in list_sides(pair):
                text = " ".join(mark_words(pair, side, self.texts[span.document]).split())
                text = text if len(text) <= _LINE else f"{text[: _LINE - 1]}…"
                place = f"[{span.document}, characters {span.start:,} to {span.end:,}]"
                yield f"   {text}  {self.paint(place, 'bright_black')}"
        if (more := len(self.results) - _SHOWN) > 0:
            yield f"… and {more:,} more: --json, --html FILE or -o FILE has all"
        for cluster in self.clusters[:_SHOWN]:
            names = ", ".join(dict.fromkeys(member.document for member in cluster.members))
            first = f"; the earliest is {cluster.earliest}" if cluster.earliest else ""
            yield f"shared by several (cluster {cluster.cluster}): {names}{first}"

    def to_html(self) -> str:
        """Return a page with the passages side by side; it contains all it needs."""
        return make_page(self.results, self.clusters, self.texts, self.notes)

    def _repr_html_(self) -> str:
        return make_fragment(self.results[:_SHOWN], self.texts)


def _count_words(pair: PassagePair) -> str:
    a, b = pair.a.words, pair.b.words
    return pluralise(a, "word") if a == b else f"{a:,} and {b:,} words"


def _flatten(pair: PassagePair) -> JsonObject:
    """Return a passage as one row of a table."""
    row: JsonObject = {}
    for side, span in list_sides(pair):
        row |= {
            f"{side}_document": span.document,
            f"{side}_start": span.start,
            f"{side}_end": span.end,
            f"{side}_words": span.words,
            f"{side}_text": span.text,
        }
    names = ("kind", "score", "chance", "identical", "cluster")
    return row | {name: getattr(pair, name) for name in names}


class ReuseOptions(TextOptions, total=False):
    """What is reported and where, and how texts are read."""

    min_words: Annotated[
        int,
        Meta(ge=1, le=10**6),
        Default(5),
        Help("Leave out passages with fewer words on either side."),
    ]
    kind: Annotated[
        Sequence[Kind],
        Default(()),
        Help("Report only verbatim, edited or reworded passages; repeat it for two."),
    ]
    date: Annotated[
        By | None,
        Default(None),
        Help("Metadata field with a date or year, to name the earliest of several texts."),
    ]
    html: Annotated[
        Target | None,
        Flags(metavar="FILE"),
        Default(None),
        Help("Write a page with the passages side by side."),
    ]
    output: Annotated[
        Target | None,
        Flags(("-o",), "FILE.jsonl"),
        Default(None),
        Help("Write all passages as JSON lines."),
    ]


@verb
def reuse(
    a: Annotated[CorpusInput, Flags(metavar="A|FOLDER|IDX")],
    b: Annotated[TextInput | None, Flags(metavar="B")] = None,
    *,
    query: Annotated[
        TextInput | None,
        Flags(metavar="FILE"),
        Help("Find only what this text shares with the others."),
    ] = None,
    chance: Annotated[
        float,
        Meta(gt=0, le=1000),
        Help("Report passages so good that at most this many are expected by chance in the run."),
    ] = 0.01,
    vectors: VectorsInput = "default",
    resume: Resume = None,
    cluster: ClusterAddress = None,
    progress: Progress = silent,
    **options: Unpack[ReuseOptions],
) -> Reuse:
    """Find the passages that texts share, copied or reworded, and align them word by word.

    Compares A with B, every two texts of a folder or index, or --query with each of them. Words in
    [brackets] appear on that side only; ~tildes~ mark other forms and similar words. Passages may
    be in any order. Nothing is said about who copied from whom; --date names the earliest text.

        lexfield reuse draft.txt source.txt --html side-by-side.html
        lexfield reuse books/ -o reuse.jsonl --resume run/
        lexfield reuse books.idx --query draft.txt --kind reworded
        lexfield reuse emma ulysses --index books.idx --json
        lexfield reuse letters/ --metadata letters.csv --date year --chance 1
        lexfield reuse books/ -o reuse.jsonl --resume /shared/run --cluster tcp://10.0.0.5:8786
    """
    for path in (options["html"], options["output"]):
        if path is not None and not Path(path).absolute().parent.is_dir():
            raise InputError(f"There is no folder {str(Path(path).parent)!r}.", "Create it first.")
        if path is not None and Path(path).is_dir():
            raise InputError(f"{str(path)!r} is a folder.", "Name a file to write.")
    if b is not None and query is not None:
        raise InputError("B and --query both name a text to compare.", "Give one of them.")
    other = b if query is None else query
    corpus, groups, language = _read(a, other, query is not None, options, progress)
    if (date := options["date"]) and not any(date in one.metadata for one in corpus.documents):
        raise InputError(f"No document has the field {date!r}.", "See lexfield documents.")
    words = CorpusWords.of(corpus, load_vectors(vectors, progress=progress), language)
    with use_engine(cluster) as engine:
        key = repr([list(corpus.ids), len(corpus.tokens)])
        resume, notes = choose_parts_folder(engine, resume, key, progress)
        shared = find_shared(words, groups, chance, progress, resume, engine)
    begin_stage(progress, "describing")
    result = _report(shared, options)
    result.notes += notes
    if not result.pairs:
        result.notes.append(_explain_none(shared, chance))
    if options["html"] is not None:
        replace_file(Path(options["html"]), result.to_html().encode())
    if options["output"] is not None:
        lines = b"".join(msgspec.json.encode(row) + b"\n" for row in result.to_dicts())
        replace_file(Path(options["output"]), lines)
    return result


def _report(shared: Shared, options: ReuseOptions) -> Reuse:
    """Return the passages that were asked for, with their clusters and texts."""
    corpus, kinds, least = shared.words.corpus, options["kind"], options["min_words"]
    pairs = [
        pair
        for pair in describe(shared, number_clusters(shared))
        if min(pair.a.words, pair.b.words) >= least and (not kinds or pair.kind in kinds)
    ]
    clusters = _list_clusters(pairs, corpus, options["date"])
    texts = _keep_texts(pairs, corpus)
    notes = [*corpus.notes, *shared.notes, *_note_copies(shared), *_note_offsets(texts, corpus)]
    if undated := [one for one in clusters if options["date"] and one.earliest is None]:
        numbers = list_names([str(one.cluster) for one in undated], 5)
        notes.append(f"no earliest text: a date is missing, or two are equal, in cluster {numbers}")
    common = {one.cluster: one.documents for one in clusters if one.is_common(len(corpus))}
    for cluster, count in common.items():
        text = next(pair.a.text for pair in pairs if pair.cluster == cluster)
        notes.append(
            f"a passage is in {count:,} of {len(corpus):,} texts and may be boilerplate, so it is"
            f" listed last (cluster {cluster}): {shorten(' '.join(text.split()), 60)!r}"
        )
    pairs.sort(key=lambda pair: pair.cluster in common)
    return Reuse(pairs, documents=len(corpus), clusters=clusters, texts=texts, notes=notes)


def _read(
    a: Sources, b: Sources | None, is_query: bool, reading: TextOptions, progress: Progress
) -> tuple[Corpus, np.ndarray | None, str]:
    """Return all texts, the group of each if only texts of two groups are compared, and their
    language."""
    if b is None:
        corpus = read_texts(a, reading, progress)
        if len(corpus) < 2:
            raise InputError("There is only one text.", "Give a second one, or a folder of texts.")
        return corpus, None, _choose_language(a, corpus)
    refuse_ids([a, b], reading)
    if is_query:  # conditions choose among the others
        unconditional: TextOptions = {**reading, "where": ()}
        sides = [read_documents(b, unconditional), read_documents(a, reading)]
    else:
        sides = [read_documents(one, reading) for one in (a, b)]
    names = ("query", "text") if is_query else ("a", "b")
    taken: set[str] = set()
    documents: list[Document] = []
    for (own, _), name in zip(sides, names, strict=True):
        for document in own:
            id = name if document.id == "text" and len(own) == 1 else document.id
            id = f"{id} (again)" if id in taken else id
            taken.add(id)
            documents.append(replace(document, id=id))
    corpus = Corpus.of(documents)
    corpus.notes += [note for _, notes in sides for note in notes]
    groups = np.repeat([0, 1], [len(own) for own, _ in sides])
    return corpus, groups, _choose_language(a, corpus)


def _choose_language(source: Sources, corpus: Corpus) -> str:
    """Return the language of an index, or the one that most of some texts is in."""
    if isinstance(source, Index) or (isinstance(source, str | Path) and is_store(source)):
        return open_index(source).language
    return choose_language(corpus.count_languages())[0]


def _list_clusters(pairs: Sequence[PassagePair], corpus: Corpus, date: str | None) -> list[Cluster]:
    spans = [(pair.cluster, one.document, one.start, one.end) for pair, one in _list_sides(pairs)]
    known = {span[1] for span in spans} if date else set()
    dates = {id: str(corpus[id].metadata.get(date or "", "")) for id in known}
    return list_clusters(spans, dates)


def _list_sides(pairs: Sequence[PassagePair]) -> Iterator[tuple[PassagePair, Span]]:
    for pair in pairs:
        yield from ((pair, pair.a), (pair, pair.b))


def _keep_texts(pairs: Sequence[PassagePair], corpus: Corpus) -> dict[str, str]:
    """Return the texts that pages show parts of."""
    return {id: corpus[id].text for id in {one.document for _, one in _list_sides(pairs)}}


def _note_copies(shared: Shared) -> list[str]:
    """Return a note if a text may hold more copies of a passage than are listed."""
    places = Counter(
        (one.a, one.b, side, *one.box[2 * side : 2 * side + 2])
        for one in shared.passages
        for side in range(2)
    )
    if 2 * max(places.values(), default=0) < COPIES:
        return []
    return [f"where a text repeats a passage, up to {COPIES} copies are listed, maybe not all"]


def _note_offsets(ids: Iterable[str], corpus: Corpus) -> list[str]:
    """Return a note on texts whose characters cannot be counted in their files."""
    other = []
    for id in sorted(ids):
        path, text = Path(corpus[id].source), corpus[id].text.rstrip()
        if corpus[id].source and path.is_file():
            whole = path.read_text("utf-8", errors="replace")
            if len(whole.rstrip()) != len(text) and not whole.startswith(text):
                other.append(id)
    if not other:
        return []
    return [
        "start and end count characters of the text as it was read, without headers, joined lines"
        f" and markup, so not those of the file: {list_names(other, 5)}"
    ]


def _explain_none(shared: Shared, chance: float) -> str:
    if shared.passages:
        found = pluralise(len(shared.passages), "passage")
        return f"{found} found, but none that --kind and --min-words leave"
    if not shared.area:
        return "there is nothing to compare: no words, or only on one side"
    words, seen = shared.words, dict[bytes, int]()
    for number in range(len(words)):
        first = seen.setdefault(words.get_tokens(number).tobytes(), number)
        if first != number:
            ids = words.corpus.ids
            return (
                f"{ids[first]} and {ids[number]} have the same words, but so few or so often"
                " repeated that chance might explain it"
            )
    return (
        "no shared passage is long and distinctive enough: at most"
        f" {chance:g} may be expected by chance"
        f"{'; --chance 1 reports weaker ones' if chance < 1 else ''}"
    )
