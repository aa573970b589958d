"""Words and topics over fields, and along one text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lexfield as lx
from lexfield.errors import InputError, UnknownDocumentError
from lexfield.topics.lda import Filters


def test_words_are_counted_over_a_field() -> None:
    texts = {"1850": "Ships and a storm.", "1860": "A storm. Storms at sea.", "x": "No year."}
    index = lx.Index(
        [
            lx.Document(f"d{y}", text, metadata={"year": y} if y != "x" else {})
            for y, text in texts.items()
        ]
    )
    found = lx.trend(index, ["storm", "at sea"], by="year")
    assert [(one.series, one.value, one.count, one.total) for one in found] == [
        ("storm", 1850.0, 1.0, 4),
        ("storm", 1860.0, 2.0, 5),
        ("at sea", 1850.0, 0.0, 4),
        ("at sea", 1860.0, 1.0, 5),
    ]
    assert found[0].where == ["year=1850"] and 0 < found[0].low < found[0].share < found[0].high
    assert found.notes == ["documents without year, or with a rarer value: 1 of 3"]
    assert "storm   1850      1      4" in repr(found)
    assert len(lx.trend(index, "storm", by="year", where="year>1855")) == 1
    assert lx.trend(index, "xyz", by="year").notes[-1] == "'xyz' does not occur"


def test_a_text_is_followed_in_parts(sample_index: lx.Index, tmp_path: Path) -> None:
    found = lx.trend(sample_index, "sea", document="pell-sea", bins=5)
    assert [one.value for one in found] == [0.1, 0.3, 0.5, 0.7, 0.9]
    assert sum(one.count for one in found) == lx.kwic(sample_index, "sea").totals["pell-sea"]
    assert found[0].id == "pell-sea#0"
    walks = sum(one.count for one in lx.trend(sample_index, "walk", by="author"))
    assert walks == sum(lx.kwic(sample_index, "walk", forms=True).totals.values())
    assert walks > sum(lx.kwic(sample_index, "walk").totals.values())
    by_author = lx.trend(sample_index, "sea", by="author", bins=3)
    assert by_author.kind == "values" and len(by_author) == 3


def test_the_only_text_need_not_be_named() -> None:
    index = lx.Index(["A storm. The sea. A storm."])
    assert sum(one.count for one in lx.trend(index, "storm")) == 2
    with pytest.raises(InputError, match="Give either by or document"):
        lx.trend(lx.Index(["A storm.", "The sea."]), "storm")


def test_topics_are_weighed(tmp_path: Path) -> None:
    index = lx.Index(
        [lx.Document(str(n), "boats and harbours " * 5, metadata={"y": str(n)}) for n in range(4)]
    )
    with pytest.raises(InputError, match="no topics yet"):
        lx.trend(index, topic=[0], by="y")
    index.fit_topics(2, passes=1, filters=Filters(min_count=1, max_share=1.0))
    shares: dict[str, float] = {}
    for one in lx.trend(index, topic=[0, 1], by="y"):
        shares[one.label] = shares.get(one.label, 0.0) + one.share
    assert all(abs(share - 1) < 1e-5 for share in shares.values()) and len(shares) == 4
    with pytest.raises(InputError, match="There is no topic 7"):
        lx.trend(index, topic=[7], by="y")


def test_mistakes_are_named(sample_index: lx.Index) -> None:
    with pytest.raises(InputError, match="Give either by or document"):
        lx.trend(sample_index, "sea")
    with pytest.raises(InputError, match="Give a word, a phrase or topic"):
        lx.trend(sample_index, by="author")
    with pytest.raises(UnknownDocumentError, match="Did you mean 'pell-sea'"):
        lx.trend(sample_index, "sea", document="pell-seas")
    with pytest.raises(InputError, match="No document has metadata 'year'"):
        lx.trend(sample_index, "sea", by="year")


def test_figures(sample_index: lx.Index, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    chosen: dict[str, Any] = {"by": {"by": "author"}, "along": {"document": "pell-sea"}}
    for name, options in chosen.items():
        path = lx.trend(sample_index, ["sea", "boat"], **options).plot(tmp_path / f"{name}.svg")
        assert b"per 10,000 words" in Path(str(path)).read_bytes()
