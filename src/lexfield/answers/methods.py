"""The table of methods: what each is for, what it costs, where it comes from.

n rows or documents, V distinct words, d dimensions, q words of a query, T topics, k neighbours or
clusters. Costs are of one query or one result, after what an index or a model keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

from lexfield.errors import InputError
from lexfield.results import Table


@dataclass(frozen=True)
class Described:
    """One method; ``page`` is its page under docs/methods, ``use`` what it is called with."""

    name: str
    use: str
    does: str
    cost: str
    paper: str
    page: str


_SEARCH = "search --method"
_HARE = "Hare et al."
_ALL = (
    Described("ideas", _SEARCH, "varied suggestions, with reasons",
              "postings of the balls, then 400 candidates", f"after {_HARE}", "ideas"),
    Described("setcover", _SEARCH, "rows that together cover the query",
              "postings of the balls", f"Algorithm 1 of {_HARE}", "setcover"),
    Described("mean", _SEARCH, "nearest mean word vector", "64 bytes a row, then few exact",
              f"AVG of {_HARE}", "baselines"),
    Described("wmd", _SEARCH, "least transport of words", "q·V distances, then few exact solutions",
              "Kusner et al. 2015", "baselines"),
    Described("jaccard", _SEARCH, "shared words", "postings of q words", "Jaccard 1901",
              "baselines"),
    Described("edit", _SEARCH, "fewest edits", "bounds for n rows, then bit-parallel on the rest",
              "Levenshtein 1966; Myers 1999", "baselines"),
    Described("bow", _SEARCH, "L1 of normalised bags", "postings of q words", "Sato et al. 2022",
              "baselines"),
    Described("count", _SEARCH, "weighted sums of counts", "postings of q terms", "lecture notes",
              "bags"),
    Described("frequency", _SEARCH, "weighted sums of frequencies", "postings of q terms",
              "lecture notes", "bags"),
    Described("bm25", _SEARCH, "words that must occur", "postings of q terms",
              "Robertson and Zaragoza 2009", "bags"),
    Described("lm", _SEARCH, "likelihood of the query", "postings of q terms",
              "Zhai and Lafferty 2004", "bags"),
    Described("translation", _SEARCH, "related words stand for each other",
              "postings of q terms and their relatives", "Rekabsaz et al. 2016", "bags"),
    Described("topic", _SEARCH, "like mixtures of topics, certified exact",
              "lists of large topics, then few exact rows of T", "Krstovski et al. 2013", "topics"),
    Described("fuse", f"{_SEARCH}; fuse", "one ranking of several", "that of its methods",
              "Shaw and Fox 1994; Cormack et al. 2009", "fusion"),
    Described("metric", "metric learn; search --metric", "learns which differences do not matter",
              "n·d² to learn, d³ once", "Mochihashi et al. 2004", "metric"),
    Described("divergence of counts", "compare; pairs; label; attribute",
              "how far texts are apart, by which words", "one pass; all pairs by sparse products",
              "Kullback and Leibler 1951; Lin 1991", "divergence"),
    Described("divergence of clouds", "compare --space latent", "the same for other words",
              "V² distances for all pairs together", f"Póczos et al. 2011; {_HARE}", "divergence"),
    Described("zipf", "zipf", "ranks of words, laws that can be defended", "one sort, then fits",
              "Zipf 1949; Clauset et al. 2009", "zipf"),
    Described("zipf of clusters", "zipf --latent", "ranks of clusters of sentences",
              "2·n·k·d a step of k-means", _HARE, "zipf"),
    Described("speech", "speech", "parts of speech of near words", "V²·d once", _HARE, "zipf"),
    Described("layout", "layout", "words in the plane", "t-SNE 4 s a thousand words",
              "van der Maaten and Hinton 2008", "zipf"),
    Described("topics", "topics fit", "topics of documents", "passes × words × T",
              "Hoffman et al. 2010", "topics"),
    Described("near", "near", "nearest words, with error bars", "V·d", "Rekabsaz et al. 2016",
              "words"),
    Described("threshold", "threshold", "from which similarity on words are related", "V²·d once",
              "Rekabsaz et al. 2016", "words"),
    Described("keyness", "keyness", "words that tell texts apart", "one pass", "Dunning 1993",
              "words"),
    Described("kwic", "kwic", "words in context", "postings of the words", "Luhn 1960", "words"),
    Described("duplicates", "duplicates", "pairs that say the same in the same words",
              "prefix filter", "Chaudhuri et al. 2006", "baselines"),
    Described("study", "study", "which suggestions help people", "seconds",
              "Bradley and Terry 1952", "study"),
)  # fmt: skip


def methods(about: str = "") -> Table[Described]:
    """All methods, or those whose name, use, purpose or paper holds a word."""
    wanted = about.lower()
    rows = [row for row in _ALL if wanted in " ".join(vars(row).values()).lower()]
    if not rows:
        raise InputError(f"No method tells of {about!r}.", "See all of them: lexfield methods")
    return Table(rows, "methods")
