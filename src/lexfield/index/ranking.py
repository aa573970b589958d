"""What a search returns: rows in order, higher scores first, each with its reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Protocol, overload

from lexfield.explain import Explanation, no_reasons
from lexfield.index.chance import Tail
from lexfield.index.passages import Answers, Passage, as_html, find_answers
from lexfield.index.query import Query
from lexfield.index.wording import describe_reasons
from lexfield.results import Frames, JsonObject, pluralise
from lexfield.text.differences import find_differences
from lexfield.text.stopwords import stopwords

_HITS = 50  # shown in a notebook
_REASONS = 50  # in a record; the others are added up
_LEAST = 100  # characters of a query to be compared with a text that is shown in passages


@dataclass
class Found:
    """What a method returns: row numbers and scores, best first, and how to explain each."""

    rows: list[int]
    scores: list[float]
    explain: Callable[[int], Explanation] = no_reasons  # from the place in ``rows``
    notes: list[str] = field(default_factory=list)
    query: Query | None = None  # None for a row compared as it is, without words
    fit_tail: Callable[[], Tail | None] = lambda: None

    @property
    def words(self) -> Sequence[str]:
        """The words of the query, to find in the texts."""
        return self.query.wanted if self.query else ()

    @cached_property
    def tail(self) -> Tail | None:
        """What chance does to scores, found when it is asked for; None if the method can't tell."""
        return self.fit_tail()


def add_notes(found: Found, query: Query, more: Sequence[str] = ()) -> Found:
    """Put the notes on the query, and ``more``, before those of the method."""
    found.query = query
    found.notes[:0] = [*query.notes, *more]
    if not found.rows and not found.notes:
        found.notes.append("nothing in the index answers this query")
    return found


class Texts(Protocol):
    """Where the rows of a ranking are looked up."""

    def describe(self, row: int) -> JsonObject: ...

    def text(self, row: int) -> str: ...

    def passages(self, row: int, answers: Answers) -> list[Passage]: ...


class Hit:
    """One result. Text, source and explanation are fetched when they are asked for."""

    def __init__(self, place: int, found: Found, rows: Texts) -> None:
        self._place, self._found, self._rows = place, found, rows
        self.rank = place + 1
        self.row = found.rows[place]
        self.score = found.scores[place]

    @cached_property
    def _about(self) -> JsonObject:
        return self._rows.describe(self.row)

    @property
    def id(self) -> str:
        """Of the document, or of the sentence as ``document#number``."""
        return str(self._about["id"])

    @property
    def document(self) -> str:
        return str(self._about["document"])

    @property
    def source(self) -> str:
        return str(self._about["source"])

    @property
    def position(self) -> int:
        """Where the text begins in its document, in characters."""
        return int(self._about["position"])

    @property
    def chance(self) -> float | None:
        """How many hits this good are expected if nothing in the index answers the query."""
        tail = self._found.tail
        return None if tail is None else tail.expect(self.score)

    @property
    def odds(self) -> float | None:
        """One row in this many would match this well by chance; None if that cannot be told."""
        tail = self._found.tail
        return None if tail is None else tail.rows / max(tail.expect(self.score), 1e-300)

    @property
    def parts(self) -> dict[str, float]:
        """The numbers that the score is the sum of, by name, where a method combines several."""
        return dict(self.explanation.parts)

    @property
    def metadata(self) -> dict[str, str]:
        return dict(self._about["metadata"])

    @cached_property
    def text(self) -> str:
        """The whole text, however long."""
        return self._rows.text(self.row)

    @cached_property
    def explanation(self) -> Explanation:
        return self._found.explain(self._place)

    @cached_property
    def words(self) -> str:
        """The strongest reasons in plain words: boat = boat, storm ↔ storms, came ≈ arrived."""
        shown = " ".join(passage.text for passage in self.passages)
        return describe_reasons(self.explanation, self._found.query, shown)

    @cached_property
    def differs(self) -> list[str]:
        """What is not the same as in the query, in short sentences, if the two nearly equal."""
        query, passage = self._found.query, self.passages[0]
        is_sum = query is None or query.terms is not None
        if query is None or is_sum or not (passage.complete or len(query.text) >= _LEAST):
            return []
        text = passage.text if passage.complete else self.text
        return find_differences(query.text, text, query.language)

    def lines(self, numbers: bool = False) -> list[str]:
        """Return why this is a hit and what differs, as text; ``numbers``: every reason's too."""
        lines = [self.words] if self.words else []
        if self.differs:
            lines.append(f"differs: {'; '.join(self.differs)}")
        if numbers:
            query = self._found.query
            lines += self.explanation.lines(excluded=stopwords(query.language if query else None))
        return lines

    @cached_property
    def passages(self) -> list[Passage]:
        """The pieces of the text that answer the query best, by the reasons for this hit."""
        return self._passages(self.explanation)

    def _passages(self, explanation: Explanation | None) -> list[Passage]:
        return self._rows.passages(self.row, find_answers(explanation, self._found.words))

    def to_dict(self, explain: bool = True, full: bool = False) -> JsonObject:
        """Return a record. ``text`` holds the best passages of a long text, or all if ``full``.

        Without ``explain`` there are no reasons, and passages go by the words of the query.
        """
        passages = self.passages if explain else self._passages(None)
        record = {
            "rank": self.rank,
            "id": self.id,
            "score": self.score,
            "chance": self.chance,
            "text": self.text if full else join_passages(passages),
            "excerpt": not (full or passages[0].complete),
            "passages": [passage.to_dict(self.document) for passage in passages],
            "source": self.source,
            "document": self.document,
            "position": self.position,
            "metadata": self.metadata,
        }
        if explain:
            record |= {"words": self.words, "differs": self.differs}
            record["explanation"] = self.explanation.to_dict(None if full else _REASONS)
        return record

    def __repr__(self) -> str:
        text = join_passages(self._passages(None))
        return f"<{self.rank}. {self.id} {self.score:.4f}: {text!r}>"


def join_passages(passages: Sequence[Passage]) -> str:
    """Return passages as one text, with dots where something is left out."""
    joined = " … ".join(passage.text for passage in passages)
    return joined if passages[0].complete else f"… {joined} …"


class Ranking(Frames, Sequence[Hit]):
    """Hits, best first; ties go to the earlier row."""

    def __init__(self, found: Found, rows: Texts, method: str, query: str) -> None:
        self._found, self._rows = found, rows
        self.method = method
        self.query = query
        self.notes = found.notes
        self.rows = list(found.rows)
        self.scores = list(found.scores)

    @property
    def wanted(self) -> list[str]:
        """The words of the query; none if a row was compared as it is."""
        return list(self._found.words)

    @property
    def unknown(self) -> list[str]:
        """The words of the query that no text holds and that have no vector: maybe misspelt."""
        query = self._found.query
        missing = set() if query is None else {*query.words} - query.lexicon.ids.keys()
        return [word for word in query.unknown if word in missing] if query and missing else []

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return Hit(range(len(self))[index], self._found, self._rows)

    def __iter__(self) -> Iterator[Hit]:
        return (Hit(place, self._found, self._rows) for place in range(len(self)))

    def to_dicts(self, explain: bool = True, full: bool = False) -> list[JsonObject]:
        return [hit.to_dict(explain, full) for hit in self]

    def records(self) -> list[JsonObject]:
        """Return records without explanations, with a column for each field of metadata."""
        flat = self.to_dicts(explain=False)
        for record in flat:
            del record["passages"]
            known = record.pop("metadata")
            record |= {f"metadata.{name}": value for name, value in known.items()}
        names = list(dict.fromkeys(name for record in flat for name in record))
        return [{name: record.get(name) for name in names} for record in flat]

    def __repr__(self) -> str:
        lines = [f"{self.method} for {self.query[:60]!r}: {pluralise(len(self), 'hit')}"]
        lines += [
            f"{hit.rank:>3}. {hit.score:8.4f}  {hit.passages[0].text[:100]}  [{hit.id}]"
            for hit in self
        ]
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        """Return a table of hits whose texts are marked where they answer the query."""
        rows = []
        for hit in self[:_HITS]:
            colours: dict[str, int] = {}
            text = " … ".join(as_html(one.text, one.highlights, colours) for one in hit.passages)
            rows.append(
                f"<tr><td>{hit.rank}</td><td>{hit.score:.4f}</td>"
                f'<td style="text-align:left">{text}</td><td>{escape(hit.id)}</td></tr>'
            )
        body = "".join(rows)
        head = "<tr><th>rank</th><th>score</th><th>text</th><th>id</th></tr>"
        more = [f"… and {len(self) - _HITS:,} more"] if len(self) > _HITS else []
        notes = "".join(f"<p>{escape(note)}</p>" for note in [*more, *self.notes])
        title = f"{self.method}: {self.query[:100]}"
        return f"<table><caption>{escape(title)}</caption>{head}{body}</table>{notes}"


class Rankings(Sequence[Ranking]):
    """The rankings of many queries, made as they are reached.

    Iterating keeps none of them, so that any number fits in memory; asking for one by its number
    keeps all.
    """

    def __init__(self, length: int, make: Callable[[], Iterator[Ranking]]) -> None:
        self._length, self._make = length, make
        self._kept: list[Ranking] | None = None

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Ranking]:
        return self._make() if self._kept is None else iter(self._kept)

    @overload
    def __getitem__(self, index: int) -> Ranking: ...
    @overload
    def __getitem__(self, index: slice) -> list[Ranking]: ...
    def __getitem__(self, index: int | slice) -> Ranking | list[Ranking]:
        if self._kept is None:
            self._kept = list(self._make())
        return self._kept[index]

    def __repr__(self) -> str:
        return f"<Rankings of {self._length:,} queries>"
