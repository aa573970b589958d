"""What may be asked: the parameters of every verb, with their bounds and defaults.

One model serves the address (``GET /v1/zipf?index=…``), the body (``POST``) and jobs. Defaults are
those of the command line, and so are the names.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from lexfield.answers import bounds

Id = Annotated[
    str, Field(max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Of an index.")
]
Name = Annotated[str, Field(max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Text = Annotated[str, Field(max_length=5_000_000)]
Query = Annotated[str, Field(max_length=20_000)]
DocumentId = Annotated[str, Field(max_length=2000)]
Word = Annotated[str, Field(min_length=1, max_length=200)]
Spec = Annotated[str, Field(max_length=200)]
Follower = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9-]{8,40}$",
        description="A random name: the job ends when all who named themselves have left, or have"
        " not asked how far it is for 90 seconds. Without one it runs to its end.",
    ),
]
Seed = Annotated[int, Field(**bounds.SEED.field())]
Ngram = Annotated[int, Field(**bounds.NGRAM.field())]
Order = Annotated[float, Field(**bounds.ORDER.field())]
Neighbours = Annotated[int, Field(**bounds.NEIGHBOURS.field())]
Confidence = Annotated[float, Field(**bounds.CONFIDENCE.field())]
Words = Annotated[int, Field(**bounds.WORDS.field())]
Synonyms = Annotated[float, Field(**bounds.SYNONYMS.field())]
Deviation = Annotated[float, Field(**bounds.DEVIATION.field())]

# The options of comparing, as ``lexfield.answers.options`` takes them.
COMPARING = (
    "space", "measure", "smoothing", "n", "alpha", "estimator", "points", "dimension", "reduce",
    "stopwords", "bits", "vectors", "k", "allow_unknown",
)  # fmt: skip


AllowUnknown = Annotated[
    bool, Field(description="Go by vectors though most words of the texts have none.")
]


class Request(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["json", "csv"] = Field(default="json", description="CSV has the records alone.")


class OfIndex(Request):
    index: Id | None = Field(None, description="Of an index; only needed if there are several.")


class Search(OfIndex):
    """Sentences or documents that answer a text, by one method or several side by side."""

    q: Query | None = Field(None, description="The text to search for.")
    like: DocumentId | None = Field(None, description="Or: more like this document or sentence.")
    method: list[Spec] = Field(["ideas"], min_length=1, max_length=6)
    k: int = Field(5, ge=1, le=200)
    unit: Literal["sentence", "document"] = "sentence"
    where: list[Annotated[str, Field(max_length=500)]] = Field(
        [], max_length=20, description="field=value"
    )
    algebra: bool = Field(
        False, description="Read q as sums of words and phrases, not as plain text."
    )
    allow_unknown: AllowUnknown = False
    explain: bool = True
    full: bool = Field(False, description="Whole texts, not the passages that answer best.")


class Bags(Search):
    """Documents by sums of words: ``3*storm + 2*"at sea" - rain``."""

    method: list[Spec] = Field(["count"], min_length=1, max_length=6)
    unit: Literal["sentence", "document"] = "document"
    algebra: bool = Field(True, description="Read q as sums of words and phrases.")


class Balls(OfIndex):
    """The words that count as answers to each word of a query."""

    q: Query
    r: int = Field(10, ge=1, le=50)


class Info(OfIndex):
    pass


class Documents(OfIndex):
    """The documents of an index."""

    q: Query | None = Field(None, description="A part of the id or of the metadata.")


class Comparing(BaseModel):
    space: Literal["categorical", "latent"] = "categorical"
    measure: Literal["kl", "js", "renyi", "hellinger"] = "kl"
    smoothing: Spec = "jm"
    n: Ngram = 1
    alpha: Order = 0.5
    estimator: Literal["plain", "extrapolated", "equal_radius", "spread"] = "plain"
    points: Literal["tokens", "types"] = "tokens"
    dimension: Spec = "ambient"
    reduce: Spec | None = None
    stopwords: Annotated[str, Field(max_length=20)] | None = None
    bits: bool = False
    vectors: Name = "default"
    k: Neighbours = 3
    allow_unknown: AllowUnknown = False


class Compare(Comparing, Request):
    """How different one text is from another, and the words that say so."""

    index: Id | None = None
    a: DocumentId | None = None
    b: DocumentId | None = None
    text_a: Text | None = None
    text_b: Text | None = None
    interval: Confidence | None = None
    p: bool = False
    resamples: int = Field(200, ge=20, le=2000)
    seed: Seed = 0
    explain: bool = True


class Pairs(Comparing, OfIndex):
    """How different every document is from every other."""

    sample: Words | None = None
    seed: Seed = 0


class Map(Pairs):
    """Documents in the plane, near where they differ little."""


class Label(Comparing, OfIndex):
    """Guess the category of a text from documents whose category is known."""

    by: Annotated[str, Field(max_length=100)]
    rule: Literal["category", "nearest", "vote"] = "nearest"
    neighbours: Neighbours = 5
    text: Text | None = Field(None, description="A new text; without it each document is guessed.")
    evidence: DocumentId | None = Field(None, description="Show what speaks for this document's.")
    sample: Words | None = None
    seed: Seed = 0


class Zipf(OfIndex):
    """Counts by rank of words, or of clusters of sentences, and the laws that fit."""

    latent: bool = False
    k: Annotated[int, Field(ge=10, le=1000)] | Literal["auto"] = 75
    ngram: Ngram = 1
    seeds: int = Field(3, ge=1, le=20)
    nulls: bool = True
    robustness: bool = False
    vectors: Name = "default"
    allow_unknown: AllowUnknown = False


class Clusters(OfIndex):
    """Clusters of sentences with their words and examples."""

    k: Annotated[int, Field(ge=10, le=1000)] | Literal["auto"] = 75
    seeds: int = Field(3, ge=1, le=20)
    vectors: Name = "default"
    allow_unknown: AllowUnknown = False


class Speech(OfIndex):
    """Parts of speech, and whether near words have the same."""

    k: list[Annotated[int, Field(ge=1, le=1000)]] = Field([], max_length=20)
    vectors: Name = "default"
    allow_unknown: AllowUnknown = False


class Layout(OfIndex):
    """Words in the plane, with their part of speech."""

    method: Literal["tsne", "pca", "mds"] = "tsne"
    words: int | None = Field(None, ge=10, le=50_000)
    seed: Seed = 0
    vectors: Name = "default"
    allow_unknown: AllowUnknown = False


class Near(Request):
    """The nearest words; with models, how sure that is."""

    word: list[Word] = Field(min_length=1, max_length=20)
    k: int = Field(10, ge=1, le=1000)
    threshold: float | None = Field(None, ge=0.2, le=1)
    vectors: Name = "default"
    models: Id | None = Field(None, description="Models, for error bars: an id of /v1/models.")
    dims: int | None = Field(None, ge=1, le=2000)


class Threshold(Request):
    """The similarity above which words count as related."""

    vectors: Name = "default"
    models: Id | None = None
    synonyms: Synonyms = 1.6
    deviation: Deviation = 3.1
    sample: int | None = Field(2000, ge=40, le=20_000, description="Words; null in a job: all.")
    seed: Seed = 0


class Topics(OfIndex):
    """The topics of an index."""

    k: int = Field(10, ge=1, le=100)
    perplexity: bool = False


class Infer(OfIndex):
    """The topics of a text, or of every document."""

    text: Text | None = None
    k: int = Field(5, ge=1, le=100)


class Fit(OfIndex):
    """Fit topics to an index and keep them."""

    topics: int = Field(50, ge=2, le=1000)
    passes: int = Field(20, ge=1, le=200)
    seed: Seed = 0


class Kwic(Request):
    """Words in context."""

    index: Id | None = None
    word: list[Word] = Field(min_length=1, max_length=20)
    document: list[DocumentId] = Field([], max_length=20)
    text_a: Text | None = None
    text_b: Text | None = None
    window: int = Field(8, ge=0, le=100)
    sort: Literal["text", "left", "right"] = "text"
    k: int | None = Field(100, ge=1, le=10_000, description="At most so many places per text.")


class Models(OfIndex):
    """Train models of an index, for error bars."""

    models: int = Field(5, ge=2, le=10)
    dims: int = Field(100, ge=10, le=500)
    least: int = Field(5, ge=1, le=1000)


# Verbs that answer at once (or as a job), and those that change something and are jobs only.
VERBS: dict[str, type[Request]] = {
    "search": Search,
    "bags": Bags,
    "balls": Balls,
    "documents": Documents,
    "compare": Compare,
    "pairs": Pairs,
    "map": Map,
    "label": Label,
    "zipf": Zipf,
    "clusters": Clusters,
    "speech": Speech,
    "layout": Layout,
    "near": Near,
    "threshold": Threshold,
    "topics": Topics,
    "infer": Infer,
    "kwic": Kwic,
}
JOBS: dict[str, type[Request]] = {"fit": Fit, "models": Models}


class Start(BaseModel):
    """A verb to be run as a job, with the parameters that its address takes."""

    model_config = ConfigDict(extra="forbid")

    verb: Annotated[str, Field(max_length=20, json_schema_extra={"enum": [*VERBS, *JOBS]})]
    options: dict[str, object] = Field(default={}, max_length=40)
    follower: Follower | None = None


class Problem(BaseModel):
    """What went wrong, and what to do next."""

    error: str
    hint: str


class JobBody(BaseModel):
    id: str
    verb: str
    index: str | None
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    stage: str
    done: int
    total: int | None
    problem: Problem | None
    created: str


class IndexBody(BaseModel):
    id: str
    documents: int
    sentences: int
    tokens: int
    words: int
    language: str
    vectors: str
    topics: bool
    metadata: dict[str, dict[str, int]]
    uploaded: bool


class ModelsBody(BaseModel):
    id: str
    dims: list[int]
    models: int
    words: int


class Lists(BaseModel):
    """What this server holds."""

    indexes: list[IndexBody]
    models: list[ModelsBody]
    vectors: list[str]
    methods: list[str]
    limits: dict[str, float]
    damaged: dict[str, str]


class Health(BaseModel):
    status: Literal["ok"]
    version: str
    indexes: int
    ready: bool
