"""Options that several verbs share, each declared once: type, bounds, help and default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Annotated, Literal, TypedDict

from msgspec import Meta

from lexfield.cluster.dask_engine import open_engine
from lexfield.engine import Engine
from lexfield.results import JsonObject
from lexfield.verbs.declare import Default, Flags, Help
from lexfield.verbs.vector_input import Target, VectorsInput

Hits = Annotated[int, Meta(ge=1, le=10**6), Flags(("-k",)), Help("Number of results.")]
Ngram = Annotated[int, Meta(ge=1, le=100), Help("Number of words in an n-gram.")]
Neighbour = Annotated[
    int,
    Meta(ge=1, le=10_000),
    Flags(("-k",)),
    Help("Use the k-th neighbour in clouds of vectors."),
]
Seed = Annotated[
    int, Meta(ge=0, le=2**32 - 1), Help("Seed of random choices: same seed, same result.")
]
Limit = Annotated[
    int | None, Meta(ge=1, le=10**9), Help("Read only the first words of each set of vectors.")
]
Unit = Annotated[Literal["sentence", "document"], Help("Search sentences or whole documents.")]
Where = Annotated[
    Sequence[Annotated[str, Meta(max_length=500)]],
    Flags(metavar="FIELD=VALUE"),
    Help("Search only documents with this metadata; repeat it for more conditions."),
]
Method = Annotated[str, Meta(max_length=200), Flags(metavar="SPEC")]
Algebra = Annotated[
    bool,
    Help(
        'Read the text as sums of words and phrases: 3*storm + 2*"at sea" - rain. For count,'
        " frequency, bm25, lm and translation."
    ),
]
AllowUnknown = Annotated[
    bool, Help("Continue even if most words have no vector, as in a language the vectors lack.")
]
ClusterAddress = Annotated[
    str | None,
    Flags(metavar="ADDRESS", variable="LEXFIELD_CLUSTER"),
    Help("Run on a Dask cluster such as tcp://host:8786 whose machines see the same folders."),
]

Sample = Annotated[
    int | None, Meta(ge=1, le=10**9), Help("Sample N words from each document and compare those.")
]
By = Annotated[str, Meta(max_length=100), Flags(metavar="FIELD")]
Resume = Annotated[
    Target | None,
    Flags(metavar="FOLDER"),
    Help("Keep finished parts in this folder, and continue from them."),
]


class Comparing(TypedDict, total=False):
    """How texts are compared."""

    space: Annotated[
        Literal["categorical", "latent"],
        Default("categorical"),
        Help("Compare counts of words, or clouds of word vectors."),
    ]
    measure: Annotated[
        str, Meta(max_length=200), Default("kl"), Help("Divergence: kl, js, renyi or hellinger.")
    ]
    smoothing: Annotated[
        str,
        Meta(max_length=200),
        Flags(metavar="SPEC"),
        Default("jm"),
        Help("For words that one text lacks: shared, additive(0.1) or jm(0.5)."),
    ]
    ngram: Annotated[Ngram, Default(1)]
    alpha: Annotated[
        float, Meta(gt=0, le=100), Default(0.5), Help("Order of the Rényi divergence; not 1.")
    ]
    estimator: Annotated[
        Literal["plain", "extrapolated", "equal_radius", "spread"],
        Default("plain"),
        Help("Estimator for clouds of vectors; see docs/methods/divergence.md."),
    ]
    points: Annotated[
        Literal["tokens", "types"],
        Default("tokens"),
        Help("In a cloud, count words as often as they occur, or once."),
    ]
    dimension: Annotated[
        str,
        Meta(max_length=200),
        Default("ambient"),
        Help("Exponent of distances in a cloud: ambient, intrinsic or a number."),
    ]
    reduce: Annotated[
        str | None,
        Meta(max_length=200),
        Flags(metavar="SPEC"),
        Default(None),
        Help("Reduce the dimensions of a cloud first, as in pca(20)."),
    ]
    stopwords: Annotated[
        str | None,
        Meta(max_length=20),
        Flags(metavar="LANGUAGE"),
        Default(None),
        Help("Leave out the stopwords of a language, such as en."),
    ]
    bits: Annotated[bool, Default(False), Help("Report bits instead of nats.")]
    vectors: Annotated[VectorsInput, Default("default")]
    allow_unknown: Annotated[AllowUnknown, Default(False)]


def choose_options(comparing: Comparing) -> JsonObject:
    """Return the options of a comparison under the names that the library uses."""
    options: JsonObject = {**comparing}
    options["n"] = options.pop("ngram")
    options["unit"] = "bits" if options.pop("bits") else "nats"
    with suppress(ValueError):  # ambient and intrinsic are words, anything else is a number
        options["dimension"] = float(options["dimension"])
    return options


@contextmanager
def use_engine(cluster: str | None) -> Iterator[Engine | None]:
    """Yield the cluster that was asked for and close it at the end; None means this machine."""
    if not cluster:
        yield None
        return
    engine = open_engine(cluster)
    try:
        yield engine
    finally:
        engine.close()
