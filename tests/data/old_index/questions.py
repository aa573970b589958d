"""What the old indexes are asked."""

from __future__ import annotations

from typing import Any

QUERIES = ["a sleeping cat by the fire", "ships in the storm at sea", "reading letters", "zebra"]
METHODS = [
    "setcover", "setcover(weights=idf)", "mean", "wmd", "jaccard", "edit", "edit(by=word)", "bow",
    "count", "frequency", "bm25", "lm", "translation", "bm25(extend=true)", "fuse(bm25, mean)",
]  # fmt: skip
PHRASE = '2*"at sea" - fire'


def answer(index: Any, renamed: dict[str, str] | None = None) -> dict[str, Any]:
    """Return what an index answers; ``renamed`` are methods that have another name by now."""
    found = {}
    asked = [(spec, text, False) for spec in METHODS for text in QUERIES]
    asked += [(spec, PHRASE, True) for spec in ("count", "bm25", "lm", "translation")]
    for unit in ("sentence", "document"):
        for spec, text, algebra in asked:
            method = (renamed or {}).get(spec, spec)
            ranking = index.search(text, method, 4, unit=unit, algebra=algebra, allow_unknown=True)
            found[f"{unit} {spec}: {text}"] = [
                [
                    hit.id,
                    hit.score,
                    [[r.query, r.match, r.contribution] for r in hit.explanation.reasons],
                ]
                for hit in ranking
            ]
    return found
