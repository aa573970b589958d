"""What the verbs answer, as the API's description says it: answers are written by
``lexfield.answers``, sent as they are, and held against these models by tests."""

from __future__ import annotations

from pydantic import BaseModel

from lexfield.serve.hit_replies import (
    Answer,
    AnyAnswer,
    Ball,
    Concordance,
    Explanation,
    Hit,
    Metadata,
    Reply,
)

__all__ = ["REPLIES", "AnyAnswer"]


class DocumentRow(Reply):
    id: str
    tokens: int
    metadata: Metadata


class Comparison(Reply):
    """``n``, ``m``: points; ``dropped``: words without a vector; ``value``: null if impossible."""

    a: str
    b: str
    value: float | None
    possible: bool
    unit: str
    measure: str
    space: str
    interval: tuple[float, float] | None
    p: float | None
    n: int
    m: int
    dropped: tuple[float, float]
    entropy: tuple[float | None, float | None]
    explanation: Explanation | None = None


class Compared(Comparison, Answer[Comparison]):
    """The figures of the one comparison also stand beside the results."""


class Pair(Reply):
    a: str
    b: str
    k: int | None
    value: float | None


class Place(Reply):
    """A document in the plane; ``order``: its place in a dendrogram."""

    id: str
    x: float
    y: float
    order: int
    metadata: Metadata


class Mapped(Answer[Place]):
    title: str


class Distance(Reply):
    label: str
    divergence: float


class Near(Distance):
    id: str


class TellingWord(Reply):
    word: str
    part: float


class Evidence(Reply):
    """What speaks for a label rather than for another."""

    id: str
    predicted: str
    rather_than: str
    nearest: list[Near]
    words: list[TellingWord]


class LabelledDocument(Reply):
    id: str
    label: str
    predicted: str
    right: bool


class Labelled(Answer[LabelledDocument | Distance]):
    """Every document from all others; or, for a text that was sent, its distance to each label."""

    by: str
    accuracy: float | None = None
    right: int | None = None
    documents: int | None = None
    confusion: dict[str, dict[str, int]] | None = None
    predicted: str | None = None
    rule: str | None = None
    evidence: Evidence | None = None


class Fit(Reply):
    name: str
    parameters: dict[str, float]
    points: int
    r2: float | None
    log_likelihood: float | None
    distance: float | None
    ratio: float | None
    p: float | None


class Rank(Reply):
    rank: int
    count: int
    label: str


class Curve(Reply):
    name: str
    rank: list[float]
    count: list[float]


class Null(Reply):
    model: str
    slope: float
    r2: float
    slopes: list[float]
    difference: float
    low: float | None
    high: float | None
    p: float | None


class Cluster(Reply):
    """Words nearest to the centre, and sentences nearest to it and farthest from it."""

    rank: int
    size: int
    words: list[str]
    radius: float
    nearest: list[str]
    farthest: list[str]


class ZipfResult(Reply):
    name: str
    space: str
    unit: str
    slope: float
    r2: float
    verdict: str
    fits: dict[str, Fit]
    figures: dict[str, float | None]
    vectors: str | None
    ranks: list[Rank]
    slopes: list[float]
    nulls: list[Null]
    robustness: list[dict[str, object]]
    choices: list[dict[str, object]]
    clusters: list[Cluster]
    points: list[Rank]
    curves: list[Curve]


class Clustered(Answer[Cluster]):
    name: str
    k: int
    slope: float
    r2: float


class SpeechShare(Reply):
    speech: str
    tokens: int
    token_share: float
    types: int
    type_share: float


class SpeechNeighbours(Reply):
    k: int
    share: float
    by_chance: float
    above: float | None


class SpeechResult(Reply):
    name: str
    vectors: str
    embedded: int
    shares: list[SpeechShare]
    neighbours: list[SpeechNeighbours]


class WordPlace(Reply):
    word: str
    x: float
    y: float
    speech: str
    count: int


class LaidOut(Answer[WordPlace]):
    method: str
    plot: str | None


class NearWord(Reply):
    """``deviation``, ``low`` and ``high`` where several models were asked; ``query`` where several
    words were."""

    query: str | None = None
    word: str
    similarity: float
    distance: float | None = None
    deviation: float | None = None
    low: float | None = None
    high: float | None = None


class ThresholdOf(Reply):
    vectors: str
    dims: int
    threshold: float
    low: float
    high: float


class CurvePoint(Reply):
    similarity: float
    neighbours: float


class Wordnet(Reply):
    synonyms: float
    deviation: float
    terms: int
    source: str
    threshold: float
    interval: tuple[float, float]


class Thresholds(Answer[ThresholdOf]):
    threshold: float
    interval: tuple[float, float]
    synonyms: float
    deviation: float
    words: int
    error: float
    wordnet: Wordnet | None
    curve: list[CurvePoint]


class Topic(Reply):
    topic: int
    share: float
    coherence: float | None
    words: str


class TopicModel(Answer[Topic]):
    """Beside the topics, how they were learned."""

    alpha: float
    batch: int
    documents: int
    empty: int
    eta: float
    filters: dict[str, float | None]
    passes: int
    seed: int
    tokens: int
    topics: int
    words: int
    coherence: float | None


class TopicShare(Reply):
    topic: int
    weight: float
    name: str


class Mixture(Reply):
    """Of a text that was sent, or of a document."""

    text: str | None = None
    document: str | None = None
    topics: list[TopicShare]


REPLIES: dict[str, type[BaseModel]] = {
    "search": Answer[Hit],
    "bags": Answer[Hit],
    "balls": Answer[Ball],
    "documents": Answer[DocumentRow],
    "compare": Compared,
    "pairs": Answer[Pair],
    "map": Mapped,
    "label": Labelled,
    "zipf": Answer[ZipfResult],
    "clusters": Clustered,
    "speech": Answer[SpeechResult],
    "layout": LaidOut,
    "near": Answer[NearWord],
    "threshold": Thresholds,
    "topics": TopicModel,
    "infer": Answer[Mixture],
    "kwic": Concordance,
}
