"""The reasons for a hit as one line of plain words: boat = boat, storm ↔ storms, came ≈ arrived.

``=`` is the same word, ``↔`` another form of it, ``≈`` a related word. Each word is in one
pair, strongest first; weak pairs are counted unless they are the same word, related ones also if
they say little of the whole, and stopwords are shown only if there is nothing else.
"""

from __future__ import annotations

import re

from lexfield.explain import Explanation, Reason, adds_stopwords, count_weaker
from lexfield.index.passages import weigh_pairs
from lexfield.index.query import Query
from lexfield.text.forms import find_base_forms
from lexfield.text.normalise import Normalisation
from lexfield.text.stopwords import stopwords

_SHOWN = 6  # pairs
_WEAK = 0.2  # of the strongest pair's weight
_LITTLE = 0.1  # of the weight of all pairs, for related words
_NORMALISE = Normalisation()
Pair = tuple[str, str]


def describe_reasons(explanation: Explanation, query: Query | None, text: str) -> str:
    """Return one line; ``text`` is what is shown of the hit.

    A method that counts only what differs, or ranks, is described by the words that query and text
    share.
    """
    language = query.language if query else "none"
    weights: dict[Pair, float] = {}
    for word, match, weight in weigh_pairs(explanation) if explanation.of_words else ():
        weights[word, match] = weights.get((word, match), 0.0) + weight
    if not weights and query is not None:
        weights = dict.fromkeys(_find_shared(query, text), 1.0)
    excluded = stopwords(language)
    content = {pair: one for pair, one in weights.items() if excluded.isdisjoint(pair)}
    if not weights and query is not None and explanation.reasons:
        return "no word in common, stopwords aside"
    line = _list_pairs(content or weights, language, explanation.reasons)
    parts = [] if explanation.of_words else [_list_ranks(explanation)]
    against = _list_unwanted(explanation, query)
    return "; ".join([*parts, *filter(None, [line, against and f"against it: {against}"])])


def _list_pairs(weights: dict[Pair, float], language: str, reasons: list[Reason]) -> str:
    """Return the best pair of each query word as text, and the number of others."""
    words = sorted({word for pair in weights for word in pair})
    form = dict(zip(words, find_base_forms(words, language), strict=True))
    sign = {pair: _choose_sign(pair, form) for pair in weights}
    best: dict[str, Pair] = {}
    taken: set[str] = set()
    for pair in sorted(weights, key=lambda pair: ("=↔≈".index(sign[pair]), -weights[pair])):
        if pair[0] not in best and pair[1] not in taken:
            best[pair[0]] = pair
            taken.add(pair[1])
    strongest, total = max(weights.values(), default=0.0), sum(weights.values())
    least = {"=": 0.0, "↔": _WEAK * strongest, "≈": max(_WEAK * strongest, _LITTLE * total)}
    shown = sorted(best.values(), key=lambda pair: -weights[pair])[:_SHOWN]
    shown = [pair for pair in shown if weights[pair] >= least[sign[pair]]]
    listed = [_write(pair, sign[pair]) for pair in shown]
    kind = "weaker reason" if any(" " in word for word in words) else "weaker pair"
    reasons = [reason for reason in reasons if not adds_stopwords(reason)]
    if weaker := count_weaker(len(weights) - len(shown), reasons, kind):
        listed.append(f"and {weaker}")
    return ", ".join(listed)


def _choose_sign(pair: Pair, form: dict[str, str]) -> str:
    word, match = pair
    return "=" if word == match else "↔" if form[word] == form[match] else "≈"


def _write(pair: Pair, sign: str) -> str:
    """Return a pair as text; of a phrase or a topic that both have, and where the encoder does not
    say which word answers, the first."""
    word, match = pair
    return word if not match or (sign == "=" and " " in word) else f"{word} {sign} {match}"


def _find_shared(query: Query, text: str) -> list[Pair]:
    """Return the words of a query with the form of each in a text, in the order of the query."""
    words = _NORMALISE.words(text)
    by_form = dict(zip(find_base_forms(words, query.language), words, strict=True))
    known = set(words)
    wanted = query.wanted
    forms = find_base_forms(wanted, query.language)
    pairs = zip(wanted, forms, strict=True)
    return [(w, w if w in known else by_form[f]) for w, f in pairs if w in known or f in by_form]


def _list_ranks(explanation: Explanation) -> str:
    """Return the ranks that a fusion combines: rank 1 by bm25, rank 3 by ideas."""
    ordered = sorted(explanation.reasons, key=lambda reason: -reason.contribution)
    return ", ".join(f"{re.split(', ', r.match)[0]} by {r.query}" for r in ordered)


def _list_unwanted(explanation: Explanation, query: Query | None) -> str:
    """Return the words that count against a text and that it has."""
    if query is None or query.terms is None:
        return ""
    unwanted = {" ".join(gram) for weight, gram in query.terms if weight < 0}
    found = [r.query for r in explanation.reasons if r.query in unwanted and r.match]
    return ", ".join(dict.fromkeys(found))
