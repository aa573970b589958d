"""``lexfield methods``"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from lexfield.errors import InputError
from lexfield.search.method import Method
from lexfield.search.registry import METHODS
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.results import Result


@dataclass(frozen=True)
class MethodRow:
    """A method: how to use it, what it does, what it costs, its paper, its page in docs/methods."""

    name: str
    use: str
    does: str
    cost: str
    paper: str
    page: str


_SEARCH = "search --method"
_HARE = "Hare et al."
_ALL = (
    MethodRow("best", _SEARCH, "words, related words and meaning in one score; the default",
              "postings of q terms and their relatives, 64 bytes per row", "docs/decisions/0012",
              "fusion"),
    MethodRow("ideas", _SEARCH, "varied suggestions, with reasons",
              "postings of the balls, then 400 candidates", f"after {_HARE}", "ideas"),
    MethodRow("setcover", _SEARCH,
              "rows that together cover the query; in 0.1 this name stood for ideas",
              "postings of the balls", f"Algorithm 1 of {_HARE}", "setcover"),
    MethodRow("mean", _SEARCH, "most similar weighted sum of word vectors",
              "64 bytes per row, then few exact", f"Arora et al. 2017; plain=true: AVG of {_HARE}",
              "baselines"),
    MethodRow("wmd", _SEARCH, "how far words must move to match, in meaning",
              "q·V distances, then few exact solutions", "Kusner et al. 2015", "baselines"),
    MethodRow("jaccard", _SEARCH, "shared words", "postings of q words", "Jaccard 1901",
              "baselines"),
    MethodRow("edit", _SEARCH, "fewest edits", "bounds for n rows, then bit-parallel on the rest",
              "Levenshtein 1966; Myers 1999", "baselines"),
    MethodRow("bow", _SEARCH, "difference of word frequencies", "postings of q words",
              "Sato et al. 2022", "baselines"),
    MethodRow("count", _SEARCH, "weighted sums of counts", "postings of q terms", "lecture notes",
              "bags"),
    MethodRow("frequency", _SEARCH, "weighted sums of frequencies", "postings of q terms",
              "lecture notes", "bags"),
    MethodRow("bm25", _SEARCH, "words of the query, rare ones count more", "postings of q terms",
              "Robertson and Zaragoza 2009", "bags"),
    MethodRow("lm", _SEARCH, "how likely a text makes the query", "postings of q terms",
              "Zhai and Lafferty 2004", "bags"),
    MethodRow("translation", _SEARCH, "related words stand for each other",
              "postings of q terms and their relatives", "Rekabsaz et al. 2016", "bags"),
    MethodRow("topic", _SEARCH, "similar mixtures of topics, certified exact",
              "lists of large topics, then few exact rows of T", "Krstovski et al. 2013", "topics"),
    MethodRow("encoder", _SEARCH, "similar meaning by a sentence encoder, explained "
"by pairs of words",
              "the encoder for the query, d bytes per row", "Reimers and Gurevych 2019",
              "encoders"),
    MethodRow("late", _SEARCH, "every word's best partner in context",
              "the encoder for the query, words of 200 rows", "Khattab and Zaharia 2020",
              "encoders"),
    MethodRow("fitted", _SEARCH, "the encoder's vectors, queried with word vectors",
              "d bytes per row", "ridge regression; Arora et al. 2017", "encoders"),
    MethodRow("fuse", f"{_SEARCH}; fuse", "one ranking of several", "the sum of its methods",
              "Shaw and Fox 1994; Cormack et al. 2009", "fusion"),
    MethodRow("metric", "metric learn; search --metric", "learns which differences do not matter",
              "n·d² to learn, d³ once", "Mochihashi et al. 2004", "metric"),
    MethodRow("divergence of counts", "compare; pairs; label; attribute",
              "how different texts are, by which words", "one pass; all pairs by sparse products",
              "Kullback and Leibler 1951; Lin 1991", "divergence"),
    MethodRow("divergence of clouds", "compare --space latent", "the same for clouds of words",
              "V² distances for all pairs together", f"Póczos et al. 2011; {_HARE}", "divergence"),
    MethodRow("zipf", "zipf", "ranks of words, and which laws they follow", "one sort, then fits",
              "Zipf 1949; Clauset et al. 2009", "zipf"),
    MethodRow("zipf of clusters", "zipf --latent", "ranks of clusters of sentences",
              "2·n·k·d per step of k-means", _HARE, "zipf"),
    MethodRow("speech", "speech", "parts of speech of near words", "V²·d once", _HARE, "zipf"),
    MethodRow("layout", "layout", "words in the plane", "t-SNE about a minute for 50,000 words",
              "van der Maaten and Hinton 2008", "zipf"),
    MethodRow("topics", "topics fit", "topics of documents", "passes × words × T",
              "Hoffman et al. 2010", "topics"),
    MethodRow("near", "near", "nearest words, with error bars", "V·d", "Rekabsaz et al. 2016",
              "words"),
    MethodRow("threshold", "threshold", "the similarity above which words are related", "V²·d once",
              "Rekabsaz et al. 2016", "words"),
    MethodRow("keyness", "keyness", "words that distinguish texts", "one pass", "Dunning 1993",
              "words"),
    MethodRow("kwic", "kwic", "words in context", "postings of the words", "Luhn 1960", "words"),
    MethodRow("duplicates", "duplicates", "pairs of nearly identical texts",
              "prefix filter", "Chaudhuri et al. 2006", "baselines"),
    MethodRow("study", "study", "which suggestions help people", "seconds",
              "Bradley and Terry 1952", "study"),
)  # fmt: skip


# What the score of a hit means, by method.
SCORES = {
    "best": "1 is a copy of your text, higher is better",
    "ideas": "what a hit adds to those before it, higher is better",
    "setcover": "what a hit covers that earlier ones do not; later ones can be higher",
    "mean": "cosine of the texts' vectors, 1 is the same meaning",
    "wmd": "minus the distance that words must move, 0 is the same words",
    "jaccard": "share of words in common, 1 is the same words",
    "edit": "minus the number of edits, 0 is a copy",
    "bow": "minus the difference of word frequencies, from -2 to 0",
    "count": "weighted count of your words, higher is better",
    "frequency": "weighted frequency of your words, higher is better",
    "bm25": "sum over your words, more for rare ones; compare within one query only",
    "lm": "gain in log likelihood of your words; compare within one query only",
    "translation": "as lm, with related words; compare within one query only",
    "topic": "1 is the same mixture of topics, 0 is none in common",
    "encoder": "cosine of the encoder's vectors, 1 is the same meaning",
    "late": "mean cosine of each word and its best match, 1 is the same words",
    "fitted": "cosine of fitted vectors, 1 is the same meaning",
    "fuse": "sum of what each ranking adds; compare within one query only",
}

# Why the hits of a method do not say how many as good are expected by chance.
NO_CHANCE = {
    "ideas": "what a hit adds depends on those before it",
    "setcover": "what a hit adds depends on those before it",
    "topic": "only rows that can be among the best are compared",
    "fuse": "it adds up ranks or shares of other scores",
}


@verb
def methods(
    about: Annotated[
        str,
        Meta(max_length=1000),
        Flags(metavar="[WORD]"),
        Help("Show only methods that mention this."),
    ] = "",
) -> Result[MethodRow]:
    """List all methods, with their cost and source.

    Costs are per query or result, once an index or a model exists. n is the number of rows or
    documents, V of distinct words, d of dimensions, q of words in a query, T of topics, k of
    neighbours or clusters. Equations and figures are in docs/methods/PAGE.md. Search methods that
    were registered with `lexfield.register` are listed last.

        lexfield methods
        lexfield methods rekabsaz
        lexfield methods --json
    """
    wanted = about.lower()
    known = {row.name for row in _ALL}
    added = [_describe(METHODS.get(name)) for name in METHODS.names() if name not in known]
    rows = [row for row in (*_ALL, *added) if wanted in " ".join(vars(row).values()).lower()]
    if not rows:
        raise InputError(f"No method mentions {about!r}.", "See all of them: lexfield methods")
    result = Result(rows)
    for row in rows:
        if row.name in NO_CHANCE:
            result.notes.append(
                f"hits of {row.name} say nothing about chance: {NO_CHANCE[row.name]}"
            )
    return result


def _describe(method: type[Method]) -> MethodRow:
    """Return the row of a method that was registered, by a call or by an installed package."""
    does = (inspect.getdoc(method) or "").partition("\n")[0]
    return MethodRow(method.name, _SEARCH, does, "", method.__module__, "")
