"""Help to go on writing: sentences that cover what the last ones of a draft are about.

The method ``ideas`` suggests different sentences that take up different words of the draft (after
Hare et al., section 3.4); beside each stands how its own text went on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexfield.answers.answer import Answer
from lexfield.errors import InputError, check

if TYPE_CHECKING:
    from lexfield.search.index import Index


def suggested(
    index: Index,
    draft: str,
    k: int = 5,
    *,
    method: str = "ideas",
    sentences: int = 1,
    allow_unknown: bool = False,
) -> Answer:
    """Suggestions for the last ``sentences`` of a draft, none of which the draft holds."""
    from lexfield.text.segment import sentence_spans

    check(sentences >= 1, "sentences", "at least 1", sentences)
    spans = sentence_spans(draft)
    if not spans:
        raise InputError("The draft has no words.", "Write a sentence to begin with.")
    asked = draft[spans[-sentences:][0][0] : spans[-1][1]]
    held = {" ".join(draft[start:end].split()).lower() for start, end in spans}
    ranking = index.search(asked, method, k + len(held), allow_unknown=allow_unknown)
    rows = index.rows()
    records: list[dict[str, Any]] = []
    for hit in ranking:
        text = " ".join(hit.text.split())
        if text.lower() in held or len(records) == k:
            continue
        later = hit.row + 1
        same = later < len(rows) and rows.describe(later)["document"] == hit.document
        records.append(
            {
                "text": text,
                "went_on": " ".join(rows.text(later).split()) if same else "",
                "id": hit.id,
                "score": hit.score,
                "takes_up": _takes_up(hit.explanation.to_dict()["reasons"]),
            }
        )
    return Answer("inspire", records, ranking.notes, {"asked": asked, "method": ranking.method})


def _takes_up(reasons: list[dict[str, Any]], most: int = 3) -> list[str]:
    """The words of the draft that a suggestion answers, strongest first, as ``storm → gale``."""
    pairs: dict[str, str] = {}
    for reason in sorted(reasons, key=lambda r: -r["contribution"]):
        named = reason["match"] and not reason["query"].startswith("(")  # "(other pairs)"
        if named and reason["contribution"] > 0:
            pairs.setdefault(reason["query"], reason["match"])
    return [q if q == m else f"{q} → {m}" for q, m in list(pairs.items())[:most]]
