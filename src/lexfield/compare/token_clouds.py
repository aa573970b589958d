"""Texts as clouds of an encoder's vectors of words in their context, compared like any clouds.

Every token of a sentence is a point of its own, of length 1, so that "bank" beside "river" and
"bank" beside "money" are two. Sentences that both texts hold have the same points in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lexfield.compare.clouds import Clouds, merge_equal_points, reduce_dimensions
from lexfield.compare.estimate import Estimate, Resampling
from lexfield.compare.options import ComparisonOptions
from lexfield.compare.pair import CloudPair, estimate_pair
from lexfield.errors import InputError, check, shorten
from lexfield.progress import Progress, begin_stage, silent
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.stopwords import stopwords as list_stopwords
from lexfield.vectors.codec import unit
from lexfield.vectors.encoders import Encoded, encode_each, is_word, open_encoder

_TOGETHER = 64  # sentences that are encoded between two reports


def compare_tokens(
    texts: Sequence[Document],
    encoder: Any,
    options: ComparisonOptions,
    resampling: Resampling | None = None,
    progress: Progress = silent,
) -> Estimate:
    """Return the divergence of the first of two texts from the second, as an encoder sees them.

    ``encoder`` is a name or an object. Raise InputError if it has no vectors of words.
    """
    check(options.space == "latent", "space", "latent for an encoder", options.space)
    check(options.n == 1, "n", "1 for an encoder", options.n)
    check(options.points == "tokens", "points", "tokens for an encoder", options.points)
    is_cloud = options.estimator not in ("spread", "calibrated")
    check(is_cloud, "estimator", "one of clouds for an encoder", options.estimator)
    begin_stage(progress, "encoding texts")
    clouds, notes = make_token_clouds(texts, encoder, options.stopwords, progress)
    side = CloudPair(reduce_dimensions(merge_equal_points(clouds), options.axes), options)
    begin_stage(progress, "resampling")
    estimate = estimate_pair(side, options, resampling or Resampling(), progress)
    estimate.notes[:0] = notes
    return estimate


def make_token_clouds(
    texts: Sequence[Document], source: Any, language: str | None = None, progress: Progress = silent
) -> tuple[Clouds, list[str]]:
    """Return a point per token of the texts, without the stopwords of a language, and notes."""
    from scipy.sparse import csr_matrix

    encoder = open_encoder(source)
    excluded = list_stopwords(language) if language else frozenset()
    sentences = [(row, s) for row, text in enumerate(texts) for s in _split(text)]
    owners: list[int] = []
    words: list[str] = []
    vectors, failed = [], []
    for first in range(0, len(sentences), _TOGETHER):
        some = sentences[first : first + _TOGETHER]
        made = encode_each(encoder, [sentence for _, sentence in some])
        for (row, sentence), one in zip(some, made, strict=True):
            if isinstance(one, str):
                failed.append(f"{shorten(sentence, 60)!r}: {one}")
                continue
            own = _choose_tokens(encoder.name, one, excluded)
            owners += [row] * len(own)
            words += [one.words[place] for place in own]
            vectors.append(unit(one.states[own].astype(np.float64)))
        progress(min(first + _TOGETHER, len(sentences)), len(sentences))
    for row, text in enumerate(texts):
        if row not in owners:
            raise InputError(f"Text {text.id!r} has no words.", "Give a text with words.")
    counts = csr_matrix((np.ones(len(owners)), (owners, np.arange(len(owners)))))
    notes = [f"a point per word in its sentence, as the encoder {encoder.name!r} sees it"]
    if failed:
        notes.append(f"the encoder failed on {len(failed):,} sentences, such as {failed[0]}")
    return Clouds(np.concatenate(vectors), counts, words, np.zeros(len(texts))), notes


def _split(text: Document) -> list[str]:
    corpus = Corpus.of([text])
    return [corpus.texts.text(*span) for span in corpus.sentence_spans]


def _choose_tokens(name: str, one: Encoded, excluded: frozenset[str]) -> list[int]:
    """Return the places of tokens that are words or pieces of words and no stopwords."""
    if not len(one.states):
        raise InputError(
            f"The encoder {name!r} has no vectors of words.",
            "Use minilm, a model2vec model, or a transformer that pools by the mean.",
        )
    return [
        place
        for place, token in enumerate(one.tokens)
        if is_word(token) and one.words[place] not in excluded
    ]
