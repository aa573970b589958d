"""``lexfield.zipf``: does a text follow Zipf's law, in its words or in its sentences' vectors?

Hare et al., 3.3 and 4.3: words by rank, or clusters of sentence means by rank, and the slope of the
line of best fit in logs; also fits by likelihood, and null models.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lexfield.errors import InputError, check
from lexfield.progress import Progress, silent
from lexfield.ranks.cloud import Cloud, Source, Texts, embed_sentences, make_corpus, open_vectors
from lexfield.ranks.clusters import choose_number, compare_nulls, describe_clusters
from lexfield.ranks.counts import count_text, rank_ngrams
from lexfield.ranks.fit import (
    FEWEST,
    RULE,
    STEEPEST,
    Counts,
    Fit,
    fit_distributions,
    fit_line,
    fit_mandelbrot,
)
from lexfield.ranks.kmeans import Clustering, kmeans
from lexfield.ranks.zipf_result import Slope, ZipfResult
from lexfield.text.corpus import Corpus

__all__ = ["Slope", "ZipfResult", "zipf"]

SPACES = ("categorical", "latent")
_MOST_CLUSTERS = 10_000
_STEPS = range(-20, 21, 5)


def zipf(
    texts: Texts,
    *,
    space: str = "categorical",
    ngram: int = 1,
    clusters: int | str = 75,
    vectors: Source | None = None,
    seeds: int = 3,
    nulls: bool = True,
    robustness: bool = False,
    draws: int = 100,
    seed: int = 0,
    name: str = "text",
    allow_unknown: bool = False,
    progress: Progress = silent,
) -> ZipfResult:
    """Rank the words (or n-grams) of texts, or the clusters of their sentences, and fit laws.

    texts: a corpus, a text, or a list of texts. space: ``"categorical"``, or ``"latent"`` for
    ``clusters`` (a number or ``"auto"``) of sentence means. vectors: a name, file or set; ``"own"``
    are trained on the texts. The latent space uses the default vectors if none are given; in the
    categorical space they only serve to count the words without one. seeds: the number of
    clusterings; the one with the least inertia is shown. nulls, robustness: also cluster null
    models, and k − 20 … k + 20. draws: of the bootstrap that tests the power law; 0 for none.
    allow_unknown: cluster even if most words have no vector.
    """
    corpus = make_corpus(texts)
    check(space in SPACES, "space", "'categorical' or 'latent'", space)
    check(isinstance(ngram, int) and ngram >= 1, "ngram", "a whole number of at least 1", ngram)
    check(isinstance(seeds, int) and 1 <= seeds <= 1000, "seeds", "between 1 and 1,000", seeds)
    check(isinstance(draws, int) and 0 <= draws <= 100_000, "draws", "0 to 100,000", draws)
    if space == "categorical":
        return _rank_words(corpus, ngram, vectors, draws, seed, name, progress)
    check(ngram == 1, "ngram", "1 in the latent space", ngram)
    if clusters != "auto":
        _check_clusters(clusters)
    cloud = embed_sentences(corpus, vectors or "default", progress, allow_unknown)
    choices = (
        choose_number(cloud.means, seed=seed, progress=progress) if clusters == "auto" else None
    )
    k = choices[0].k if choices else int(clusters)
    runs = _cluster(cloud, k, range(seed, seed + seeds), progress)
    best = min(runs, key=lambda run: run.inertia)
    slopes = [fit_line(run.sizes).parameters["slope"] for run in runs]
    described = describe_clusters(corpus, cloud, best)
    fits, notes = _fit_all(best.sizes, draws, seed)
    return ZipfResult(
        name,
        space,
        "cluster",
        best.sizes,
        [" ".join(cluster.words) for cluster in described],
        fits,
        count_text(corpus, cloud.vectors.words.known, len(cloud.rows)),
        cloud.vectors.source,
        slopes,
        described,
        compare_nulls(cloud, k, slopes, seed=seed, progress=progress) if nulls else [],
        _vary_number(cloud, runs, seed, progress) if robustness else [],
        choices,
        [*_list_omissions(cloud), *notes, *(choices.notes if choices else [])],
    )


def _rank_words(
    corpus: Corpus,
    ngram: int,
    vectors: Source | None,
    draws: int,
    seed: int,
    name: str,
    progress: Progress,
) -> ZipfResult:
    counts, labels = rank_ngrams(corpus, ngram)
    unit = "word" if ngram == 1 else f"{ngram}-gram"
    if len(counts) < FEWEST:
        raise InputError(
            f"Only {len(counts)} distinct {unit}{'' if len(counts) == 1 else 's'}: a line through"
            " so few ranks fits anything.",
            "Take a longer text, or a smaller n.",
        )
    if counts[0] == counts[-1]:
        raise InputError(
            f"All {len(counts):,} distinct {unit}s occur equally often ({counts[0]:,}×): there is"
            " nothing to rank.",
            "Take a longer text, or a smaller n.",
        )
    opened = open_vectors(corpus, vectors, progress) if vectors else None
    fits, notes = _fit_all(counts, draws, seed)
    figures = count_text(corpus, opened.embed(corpus.vocabulary).known if opened else None)
    source = opened.name if opened else None
    return ZipfResult(name, "categorical", unit, counts, labels, fits, figures, source, notes=notes)


def _fit_all(counts: Counts, draws: int, seed: int) -> tuple[dict[str, Fit], list[str]]:
    fits = {"line": fit_line(counts), "mandelbrot": fit_mandelbrot(counts)}
    tails, notes = fit_distributions(counts, draws=draws, seed=seed)
    if fits["mandelbrot"].parameters["alpha"] >= STEEPEST:
        notes.append(f"mandelbrot's α stopped at {STEEPEST:g}: counts fall faster than any power")
    return {**fits, **tails}, [RULE, *notes] if tails else notes


def _check_clusters(clusters: int | str) -> None:
    is_whole = isinstance(clusters, int) and not isinstance(clusters, bool)
    check(is_whole, "clusters", "a whole number or 'auto'", clusters)
    if int(clusters) < FEWEST:
        raise InputError(
            f"{clusters} clusters are too few to rank: a line through fewer than {FEWEST}"
            " sizes fits anything.",
            "Take at least 10 clusters; the paper takes 35 to 100.",
        )
    check(int(clusters) <= _MOST_CLUSTERS, "clusters", f"at most {_MOST_CLUSTERS:,}", clusters)


def _list_omissions(cloud: Cloud) -> list[str]:
    notes = list(cloud.vectors.notes)
    if cloud.repeated:
        notes.append(f"{cloud.repeated:,} repeated sentences were left out")
    if cloud.unknown:
        notes.append(f"{cloud.unknown:,} sentences without a known word were left out")
    return notes


def _cluster(cloud: Cloud, k: int, seeds: Sequence[int], progress: Progress) -> list[Clustering]:
    """Return a clustering per seed."""
    if len(cloud.rows) < k:
        raise InputError(
            f"The text has {len(cloud.rows):,} distinct sentences with a vector: too few for"
            f" {k:,} clusters.",
            "Take fewer clusters (-k, clusters=) or a longer text.",
        )
    runs = []
    for number, seed in enumerate(seeds, 1):
        runs.append(kmeans(cloud.means, k, seed=seed))
        progress(number, len(seeds))
    sizes = min(runs, key=lambda run: run.inertia).sizes
    if sizes[0] == sizes[-1]:
        raise InputError(
            f"All {k:,} clusters hold {sizes[0]:,} sentences: there is nothing to rank.",
            "Take fewer clusters (-k, clusters=) or a longer text.",
        )
    return runs


def _vary_number(
    cloud: Cloud, runs: Sequence[Clustering], seed: int, progress: Progress
) -> list[Slope]:
    """Figure 6: slopes for k − 20 … k + 20 in steps of 5, with the range over seeds."""
    k = len(runs[0].sizes)
    tried = [k + step for step in _STEPS if FEWEST <= k + step <= len(cloud.rows)]
    rows = []
    for number, other in enumerate(tried, 1):
        found = runs
        if other != k:
            found = [kmeans(cloud.means, other, seed=seed + run) for run in range(len(runs))]
        lines = [fit_line(run.sizes) for run in found]
        slopes = [line.parameters["slope"] for line in lines]
        r2 = float(np.mean([line.r2 for line in lines]))
        rows.append(Slope(other, float(np.mean(slopes)), min(slopes), max(slopes), r2))
        progress(number, len(tried))
    return rows
