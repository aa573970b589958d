"""A collection at a glance."""

from __future__ import annotations

import pytest

import lexfield as lx
from lexfield.bags.keyness import keyness
from lexfield.text.stopwords import stopwords


def test_overview(sample_index: lx.Index) -> None:
    found = lx.overview(sample_index)
    assert (found.documents, found.words) == (64, len(sample_index.corpus.tokens))
    assert found.sentences == len(sample_index.corpus.sentences)
    assert [(one.language, one.documents) for one in found.languages] == [("en", 64)]
    assert found.fields == ["author", "genre", "language", "level", "title", "topic"]
    assert [one.document for one in found.distinctive] == list(sample_index.documents)
    assert len(found.unusual) == 5 == len({one.document for one in found.unusual})
    for one in found.unusual:
        shown = lx.show(sample_index, one.id, context=0)
        assert shown[0].text == one.text
    assert [one.view for one in found.questions] == ["search", "compare", "trends"]
    assert lx.trend(sample_index, **found.questions[2].parameters).results  # type: ignore[arg-type]
    shown_text = repr(found)
    assert "64 documents" in shown_text and "Unusual sentences:" in shown_text


def test_a_single_text_has_three_questions_too(sample_index: lx.Index) -> None:
    asked = lx.overview(sample_index, where="id=pell-sea").questions
    assert [one.view for one in asked] == ["search", "search", "trends"]
    assert asked[0].text != asked[1].text


def test_distinctive_words_are_those_of_keyness(sample_index: lx.Index) -> None:
    index, id = sample_index, "pell-sea"
    own = lx.Corpus.of([index[id]])
    rest = lx.Corpus.of([one for one in index if one.id != id])
    words = [
        one.word
        for one in keyness(_content(own), _content(rest), least=2)
        if one.more_in == "A" and one.count_a >= 2
    ]
    found = next(one for one in lx.overview(index).distinctive if one.document == id)
    shown = [one.word for one in found.words]
    assert [word.lower() for word in shown] == words[:5]
    assert "Keturah" in shown  # as it is written


def _content(corpus: lx.Corpus) -> lx.Bag:
    every = lx.BagMatrix.of(corpus, 1).total()
    return lx.Bag({word: n for word, n in every.items() if str(word) not in stopwords("en")})


def test_a_filter_and_small_collections() -> None:
    index = lx.Index(
        [
            lx.Document(
                "a", "Der Hund und die Katze waren nicht zu Hause, aber sie kamen bald wieder."
            ),
            lx.Document(
                "b",
                "The dog and the cat were not at home, but they would soon be back.",
                metadata={"year": "1850"},
            ),
            lx.Document("c", "Ship ship sails.", metadata={"year": "1860"}),
        ]
    )
    found = lx.overview(index)
    assert {one.language: one.documents for one in found.languages} == {
        "de": 1,
        "en": 1,
        "unknown": 1,
    }
    only = lx.overview(index, where="id=c")
    assert only.documents == 1 and [one.word for one in only.distinctive[0].words] == ["ship"]
    assert only.questions[0].parameters == {"query": "ship", "document": "c"}
    both = lx.overview(index, where="year>1800")
    assert both.questions[-1].parameters["by"] == "year"
    assert lx.overview(index, where="id!=a,b,c").documents == 0


@pytest.mark.parametrize("where", ["id=sea", "id=sea,farm", "id!=home"])
def test_documents_can_be_chosen_by_id(index: lx.Index, where: str) -> None:
    expected = {"id=sea": ["sea"], "id=sea,farm": ["sea", "farm"], "id!=home": ["sea", "farm"]}
    assert [row.id for row in lx.documents(index, where=where)] == expected[where]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Die U-Bahn kommt um 8:00 Uhr, die U-Bahn, 8:00 Uhr, 1945, 1945.", ["Uhr", "Bahn"]),
        ("fr", "Le prix est de 1 000 000 euros, 1 000 000 euros, dit M. X, M. X.", ["euros"]),
        ("ko", "책 책 물 물", ["책", "물"]),
        ("zh", "山 山 水 水", ["山", "水"]),
    ],
)
def test_numbers_and_single_letters_are_not_distinctive_words(
    language: str, text: str, expected: list[str]
) -> None:
    found = lx.overview(lx.Index([lx.Document("a", text, metadata={"language": language})]))
    assert sorted(one.word for one in found.distinctive[0].words) == sorted(expected)


def test_documents_without_distinctive_words_are_counted_not_listed() -> None:
    texts = {"a": "Ship ship sails.", "b": "One short line.", "c": "Another short one."}
    found = lx.overview(lx.Index([lx.Document(id, text) for id, text in texts.items()]))
    lines = list(found.lines())
    place = lines.index("\nWords that set documents apart:")
    assert lines[place + 1 : place + 3] == ["  a  ship", "  documents without such words: 2"]
