"""How varied suggestions are (Hare et al., Tables 3 and 4).

Suggestions are, for each query, a list of items (ids, row numbers, or texts) from each method.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

from lexfield.text.segment import split_tokens, split_words


def unique_share(suggestions: Mapping[str, Sequence[Sequence[Hashable]]]) -> dict[str, float]:
    """Return the share of each method's suggestions that no other made for the same query."""
    unique: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for lists in zip(*suggestions.values(), strict=True):
        given = Counter(item for items in lists for item in set(items))
        for name, items in zip(suggestions, lists, strict=True):
            unique[name] += sum(given[item] == 1 for item in items)
            total[name] += len(items)
    return {name: unique[name] / total[name] if total[name] else 0.0 for name in suggestions}


def list_jaccard(word_lists: Sequence[Sequence[Sequence[str]]]) -> float:
    """Return the mean Jaccard similarity of two suggestions for one query, over all pairs.

    ``word_lists[q]`` holds the words of each suggestion for query q. Pairs of which both are empty
    do not count.
    """
    values = []
    for suggestions in word_lists:
        sets = [frozenset(words) for words in suggestions]
        values += [len(a & b) / len(a | b) for a, b in combinations(sets, 2) if a | b]
    return sum(values) / len(values) if values else 0.0


def measure_redundancy(
    texts: Sequence[Sequence[str]], stopwords: frozenset[str]
) -> dict[str, float]:
    """Return the list Jaccard of suggested texts: with and without stopwords, and with marks.

    The paper's own lists suggest that its first figure counts punctuation marks as words.
    """
    words = [[split_words(text.lower()) for text in one] for one in texts]
    content = [[[w for w in ws if w not in stopwords] for ws in one] for one in words]
    marks = [[split_tokens(text.lower()) for text in one] for one in texts]
    return {
        "list_jaccard": list_jaccard(words),
        "list_jaccard_without_stopwords": list_jaccard(content),
        "list_jaccard_with_punctuation": list_jaccard(marks),
    }
