"""What stands out in a collection: words of each document, and sentences unlike the others."""

from __future__ import annotations

import re
from itertools import islice
from unicodedata import category, east_asian_width

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.keyness import dunning_g2
from lexfield.index.rows import Rows
from lexfield.text.language import FIELD, detect_language
from lexfield.text.language_data import find_code

_FEWEST = 2  # occurrences of a distinctive word
_SHORTEST, _LONGEST = 8, 35  # words of an unusual sentence
_KNOWN = 5  # of them with vectors, at least
_TRIED = 500  # sentences whose texts are looked at
_SAMPLE = 400  # words that tell a language
_SENTENCE = re.compile(
    r"[\"'“‘„«»「『¿¡]?[^\W\d_][^\[\]{}|_*=<>@#\d]*[.!?…؟۔।。！？｡][\"'”’»«」』]?", re.S
)


def find_languages(rows: Rows, chosen: NDArray[np.int64]) -> list[str]:
    """Return the language of each document: from its metadata, or from words in its middle."""
    found = []
    for row in chosen.tolist():
        number, own = rows.locate(row)
        corpus = rows.segments[number].corpus
        if known := find_code(corpus.metadata(own).get(FIELD, "")):
            found.append(known)
            continue
        tokens = corpus.document_tokens(own)
        start = max(0, (len(tokens) - _SAMPLE) // 2)
        words = corpus.vocabulary.words
        found.append(detect_language([words[i] for i in tokens[start : start + _SAMPLE].tolist()]))
    return found


def find_distinctive(
    rows: Rows, chosen: NDArray[np.int64], shown: NDArray[np.int64], k: int
) -> list[list[tuple[str, float]]]:
    """Return the words that set each of ``shown`` apart from the others of ``chosen``, with G².

    Stopwords, numbers and single letters are left out. The words of a single document are its most
    frequent ones.
    """
    totals = np.zeros(len(rows.lexicon), np.float64)
    for number, unit, _, own in rows.split(chosen):
        kept = np.zeros(unit.rows, bool)
        kept[own] = True
        entries = np.repeat(kept, np.diff(unit.offsets))
        words = rows.lexicon.maps[number][unit.words[entries]]
        totals += np.bincount(words, unit.counts[entries], len(totals))
    found = []
    for row in shown.tolist():
        words, counts, _ = rows.entries(row)
        own, rest = counts.astype(np.float64), totals[words] - counts
        own_total, rest_total = own.sum(), totals.sum() - own.sum()
        scores = own / max(1.0, own_total)
        if rest_total > 0:
            is_more = own * rest_total > rest * own_total
            scores = np.where(is_more, dunning_g2(own, rest, own_total, rest_total), 0)
        scores = np.where(own >= _FEWEST, scores, 0)
        best = (i for i in np.argsort(-scores, kind="stable").tolist() if scores[i] > 0)
        named = ((rows.lexicon.words[words[i]], float(scores[i])) for i in best)
        found.append(list(islice((one for one in named if _is_word(one[0])), k)))
    return found


def _is_word(token: str) -> bool:
    """Is it more than a number or a letter: two letters or marks, or a character that can be a word
    in Chinese, Japanese or Korean?"""
    letters = [one for one in token if category(one)[0] in "LM"]
    return len(letters) > 1 or any(east_asian_width(one) == "W" for one in letters)


def find_unusual(rows: Rows, allowed: NDArray[np.bool_] | None, k: int) -> list[tuple[int, str]]:
    """Return the sentences whose vectors are farthest from the mean of all, and why.

    They are whole sentences of moderate length with enough known words, one per document as long as
    there are others.
    """
    squares = np.concatenate([unit.squares for unit in rows.units]).astype(np.float64)
    known = np.concatenate(
        [np.diff(np.append(0, np.cumsum(unit.shares > 0))[unit.offsets]) for unit in rows.units]
    )
    fit = (rows.lengths >= _SHORTEST) & (rows.lengths <= _LONGEST) & (known >= _KNOWN)
    fit &= np.isfinite(squares)
    fit &= True if allowed is None else allowed
    candidates = np.flatnonzero(fit)
    order = candidates[np.argsort(-squares[candidates], kind="stable")[:_TRIED]]
    whole = [row for row in order.tolist() if _SENTENCE.fullmatch(rows.text(row))]
    seen: set[int] = set()
    first: list[int] = []
    later: list[int] = []
    for row in whole:
        (later if int(rows.documents[row]) in seen else first).append(row)
        seen.add(int(rows.documents[row]))
    return [(row, _explain(rows, row)) for row in (first + later)[:k]]


def _explain(rows: Rows, row: int) -> str:
    words = rows.words_of(row)
    rarest = sorted(words.tolist(), key=lambda word: (int(rows.lexicon.counts[word]), word))[:3]
    return "rare together: " + ", ".join(rows.lexicon.words[word] for word in rarest)
