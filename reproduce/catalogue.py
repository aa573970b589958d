"""Every table and figure of the papers: which script makes it, and how its results are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from page import Block
from shown import hare, krstovski, lecture, mochihashi, rekabsaz, variety


@dataclass(frozen=True)
class Script:
    """A file of this folder: the data folders it reads, the results it writes, its minutes."""

    name: str
    outputs: tuple[str, ...]
    data: tuple[str, ...] = ()
    minutes: float = 1


@dataclass(frozen=True)
class Item:
    """A table or figure, shown from one of its script's results."""

    name: str
    title: str
    script: str
    show: Callable[[dict[str, Any]], list[Block]]
    result: str = ""

    @property
    def paper(self) -> str:
        return self.name.partition("-")[0]

    @property
    def file(self) -> str:
        return self.result or f"{self.script}.json"


_FIGURES = "figures/"
SCRIPTS = {
    script.name: script
    for script in (
        Script("clouds", ("clouds.json", _FIGURES + "figure-1-clouds.png")),
        Script("labels", ("labels.json",), ("books79", "c50"), 84),
        Script(
            "zipf",
            ("zipf.json", *(f"{_FIGURES}figure{name}.png" for name in
                            ("-3-words", "s-2-and-5-layout", "s-4-and-6-clusters"))),
            ("gatsby", "reuters", "brown", "books79", "race", "flores"), 60,
        ),
        Script("perceptron", ("perceptron.json",),
               ("gatsby", "reuters", "brown", "books79", "race"), 3),
        Script("variety", ("variety.json",), ("books79", "survey"), 6),
        Script("published_lists", ("published_lists.json",), ("survey",)),
        Script("suggestions", ("suggestions.json",), ("books79",)),
        Script("questionnaire", ("questionnaire.json",), ("survey", "books79"), 10),
        Script("slips", ("slips.json",), (), 2),
        Script("simplex_bounds", ("simplex_bounds.json", "simplex_bounds.png")),
        Script("simplex_neighbours", ("simplex_neighbours.json", "simplex_neighbours.png"),
               ("newsgroups20",), 8),
        Script("simplex_size", ("simplex_size.json",), (), 8),
        Script("topic_retrieval", ("topic_retrieval.json",), ("ir",), 30),
        Script("topic_documents", ("topic_documents.json",),
               ("newsgroups20", "reuters", "gitbugs"), 30),
        Script("polylingual", ("polylingual.json",), ("flores",), 4),
        Script("metric_example", ("metric_example.json", _FIGURES + "metric-geometry.png"),
               ("flickr8k",)),
        Script("metric_retrieval",
               ("metric_sentences.json", "metric_sentences.png", "metric_documents.json",
                "metric_documents.png"), ("flickr8k", "newsgroups20"), 40),
        Script("metric_clustering", ("metric_clustering.json",), ("uci", "newsgroups20"), 5),
        Script("metric_duplicates", ("metric_duplicates.json",), ("gitbugs",), 3),
        Script("metric_future", ("metric_future.json",), ("flickr8k",), 3),
        Script("uncertainty",
               ("uncertainty.json", *(f"{_FIGURES}{what}-{text}.png" for what in
                                      ("uncertainty", "threshold") for text in ("books", "news"))),
               ("books79", "reuters"), 60),
        Script("translation", ("translation.json", "translation.png"), ("ir",), 60),
        Script("extended_models", ("extended_models.json",),
               ("ir", "newsgroups20", "reuters", "gitbugs"), 4),
        Script("lecture", ("lecture.json",)),
    )
}  # fmt: skip

PAPERS = {
    "hare": "Hare, Chen, Liu, Liu and Brinton: from the categorical to the latent space",
    "krstovski": "Krstovski, Smith, Wallach and McGregor: neighbours in the probability simplex",
    "mochihashi": "Mochihashi, Kikui and Kita: a metric of minimum cluster distortion",
    "rekabsaz": "Rekabsaz, Lupu and Hanbury: a threshold for similarity",
    "lecture": "Lecture notes: bags of words",
}

_SENTENCES, _DOCUMENTS = "metric_sentences.json", "metric_documents.json"
ITEMS = (
    Item("hare-figure-1", "Figure 1: counts and clouds", "clouds", hare.figure_1),
    Item("hare-table-1", "Table 1: labels by divergence", "labels", hare.table_1),
    Item("hare-table-2", "Table 2: neighbours of the same class", "zipf", hare.table_2),
    Item("hare-figures-2-5", "Figures 2 and 5: words in the plane", "zipf", hare.figures_2_and_5),
    Item("hare-figure-3", "Figure 3: ranks of words", "zipf", hare.figure_3),
    Item("hare-figures-4-6", "Figures 4 and 6: ranks of clusters", "zipf", hare.figures_4_and_6),
    Item("hare-table-3", "Table 3: unique suggestions", "variety", variety.table_3),
    Item("hare-table-4", "Table 4: redundant suggestions", "variety", variety.table_4),
    Item("hare-lists", "Tables 3 and 4 from the authors' lists", "published_lists",
         variety.published_lists),
    Item("hare-survey", "Section 4.4.2: the questionnaire", "questionnaire", hare.survey),
    Item("hare-table-5", "Table 5: the corpora", "zipf", hare.table_5),
    Item("hare-table-6", "Table 6: parts of speech", "zipf", hare.table_6),
    Item("hare-tagger", "Tables 2 and 6 by nltk's tagger", "perceptron", hare.tagger),
    Item("hare-tables-7-8", "Tables 7 and 8: suggestions", "suggestions", hare.tables_7_and_8),
    Item("hare-slips", "Slips of formulas, as published", "slips", hare.slips),
    Item("krstovski-figure-1", "Figure 1: bounds", "simplex_bounds", krstovski.figure_1),
    Item("krstovski-figure-2", "Figure 2: neighbours found by rank", "simplex_neighbours",
         krstovski.figure_2),
    Item("krstovski-table-1", "Table 1: approximate neighbours", "simplex_neighbours",
         krstovski.table_1),
    Item("krstovski-size", "Table 1 at the paper's size", "simplex_size", krstovski.table_1_size),
    Item("krstovski-table-2", "Table 2: retrieval", "topic_retrieval", krstovski.table_2),
    Item("krstovski-table-3", "Table 3: topics", "topic_retrieval", krstovski.table_3),
    Item("krstovski-table-4", "Table 4: speed", "topic_retrieval", krstovski.table_4),
    Item("krstovski-table-5", "Table 5: fusion", "topic_retrieval", krstovski.table_5),
    Item("krstovski-documents", "Tables 2 to 5: whole documents as queries", "topic_documents",
         krstovski.documents),
    Item("krstovski-languages", "Beyond: topics of several languages", "polylingual",
         krstovski.languages),
    Item("mochihashi-figure-1", "Figure 1: geometry", "metric_example", mochihashi.figure_1),
    Item("mochihashi-figures-2-3", "Figures 2 and 3: sentence retrieval", "metric_retrieval",
         mochihashi.figures_2_and_3, _SENTENCES),
    Item("mochihashi-table-1", "Table 1: newsgroups", "metric_retrieval", mochihashi.table_1,
         _DOCUMENTS),
    Item("mochihashi-figure-4", "Figure 4: k-means", "metric_clustering", mochihashi.figure_4),
    Item("mochihashi-figure-5", "Figure 5: sentences retrieved", "metric_example",
         mochihashi.figure_5),
    Item("mochihashi-figure-6", "Figure 6: with few dimensions", "metric_example",
         mochihashi.figure_6),
    Item("mochihashi-future", "Future work: weights, hypersphere, kernel", "metric_future",
         mochihashi.future),
    Item("mochihashi-duplicates", "Beyond: duplicate reports", "metric_duplicates",
         mochihashi.duplicates),
    Item("rekabsaz-terms", "Similar terms", "uncertainty", rekabsaz.similar_terms),
    Item("rekabsaz-uncertainty", "Uncertainty", "uncertainty", rekabsaz.uncertainty),
    Item("rekabsaz-threshold", "The proposed threshold", "uncertainty", rekabsaz.threshold),
    Item("rekabsaz-gains", "Retrieval by threshold and by N", "translation", rekabsaz.gains),
    Item("rekabsaz-models", "Follow-up: related words in every part of a model",
         "extended_models", rekabsaz.models),
    Item("lecture-examples", "Examples and exercises", "lecture", lecture.examples),
)  # fmt: skip


def chosen(names: list[str]) -> list[Item]:
    """Items by name, by the beginning of a name (`hare`, `hare-table`), or by script."""
    if not names:
        return list(ITEMS)
    found = []
    for name in names:
        these = [i for i in ITEMS if i.script == name or f"{i.name}-".startswith(f"{name}-")]
        if not these:
            raise SystemExit(
                f"There is no table or figure {name!r}; see: lexfield reproduce --list"
            )
        found += [item for item in these if item not in found]
    return found
