"""How varied, and how relevant, suggestions are (Hare et al., Tables 3 and 4).

Suggestions are, for each query, a list of items (row numbers, or texts) from each method.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray


def unique_share(suggestions: Mapping[str, Sequence[Sequence[int]]]) -> dict[str, float]:
    """For each method the share of its suggestions that no other method gave for the same query."""
    unique: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for lists in zip(*suggestions.values(), strict=True):
        given = Counter(row for rows in lists for row in set(rows))
        for name, rows in zip(suggestions, lists, strict=True):
            unique[name] += sum(given[row] == 1 for row in rows)
            total[name] += len(rows)
    return {name: unique[name] / total[name] if total[name] else 0.0 for name in suggestions}


def list_jaccard(word_lists: Sequence[Sequence[Sequence[str]]]) -> float:
    """Mean Jaccard similarity of two suggestions for one query, over all pairs and queries.

    ``word_lists[q]`` holds the words of each suggestion for query q. Pairs of which both are empty
    do not count.
    """
    values = []
    for suggestions in word_lists:
        sets = [frozenset(words) for words in suggestions]
        values += [len(a & b) / len(a | b) for a, b in combinations(sets, 2) if a | b]
    return float(np.mean(values)) if values else 0.0


def relevance(
    queries: NDArray[np.floating], suggested: NDArray[np.floating], owner: NDArray[np.integer]
) -> float:
    """Mean cosine between suggestions and their queries.

    Rows are unit vectors from a sentence encoder that had no part in the search; suggestion i
    belongs to query ``owner[i]``.
    """
    cosines = np.einsum("ij,ij->i", suggested, queries[owner])
    return float(cosines.mean()) if len(cosines) else 0.0
