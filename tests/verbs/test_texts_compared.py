"""``compare``, ``pairs``, ``map`` and ``label`` as Python functions."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from msgspec import UNSET

from lexfield.compare.pair import divergence
from lexfield.compare.pairs import pairs as compare_all
from lexfield.errors import InputError
from lexfield.plots.figure import Picture
from lexfield.sample import TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.verbs.attribute import attribute, choose_texts
from lexfield.verbs.compare import compare
from lexfield.verbs.label import label
from lexfield.verbs.map import DocumentMap
from lexfield.verbs.map import map as map_documents
from lexfield.verbs.pairs import pairs

PELL = TEXTS / "pell-sea.txt"


def test_compare_reads_strings_paths_and_documents() -> None:
    a, b = "the cat sat on the mat", "a dog lay on the rug"
    found = compare(a, b, measure="js", explain=True)
    assert found.value == found[0].value == divergence(a, b, measure="js").value
    assert found.explanation.reasons and found[0].explanation
    assert compare(Document("a", a), Document("b", b), measure="js").value == found.value
    assert compare(str(PELL), PELL).value == pytest.approx(0)
    assert isinstance(found.plot(), Picture)
    with pytest.raises(InputError, match="no measure named 'euclid'"):
        compare(a, b, measure="euclid")
    with pytest.raises(InputError, match=r"no file 'emma\.txt'"):
        compare("emma.txt", b)


def test_pairs(sample: Corpus, sample_index: Index, tmp_path: Path) -> None:
    wanted = compare_all(sample, measure="hellinger")
    target = tmp_path / "m.npz"
    for texts in (sample, sample_index, str(sample_index.path)):
        found = pairs(texts, measure="hellinger", output=target)
        assert np.array_equal(found.matrix, wanted.matrix) and found.ids == wanted.ids
        assert np.array_equal(np.load(target)["counts"], wanted.matrix)
    assert len(found) == 64 * 63 and found.to_dicts() == wanted.to_dicts()
    for place in (0, 63, 64 * 63 - 1):
        assert vars(found[place]) == wanted.to_dicts()[place]
    assert found.results[-1].b == found.ids[-2]


def test_pairs_of_strings_and_several_k() -> None:
    texts = ["the cat sat on the mat", "a dog lay on the rug", "the cat lay on the rug"]
    assert pairs(texts, measure="js").matrix.shape == (3, 3)
    latent = pairs(texts, space="latent", neighbour=[1, 2])
    assert list(latent.matrices) == [1, 2] and len(latent) == 12
    assert {row.k for row in latent} == {1, 2}
    for wrong in ({"k": 0}, {"k": [3, -1]}):
        with pytest.raises(InputError, match="neighbour must be"):
            pairs(texts, **wrong)
    with pytest.raises(InputError, match="at least two"):
        pairs("just one text")
    with pytest.raises(InputError, match="No document has the field 'author'"):
        pairs(texts, by="author")


def test_map(sample: Corpus) -> None:
    found = map_documents(sample, measure="hellinger")
    assert {row.order for row in found} == set(range(64))
    assert found.title == "Hellinger distance, categorical space"
    assert found[0].metadata["author"] and found.matrix.shape == (64, 64)


def test_a_map_of_short_texts_keeps_neighbours(sample: Corpus) -> None:
    """The topics of the sample's sentences stay together, which their words alone do not tell."""
    sentences = [
        Document(f"{id}, {number}", text, metadata={"topic": sample.metadata(row)["topic"]})
        for row, id in enumerate(sample.ids)
        for number, text in enumerate(sample.documents[row].text.split(". ")[:6])
    ]

    def count_pure(found: DocumentMap) -> float:
        topics = np.array([one.metadata["topic"] for one in found])
        places = np.array([(one.x, one.y) for one in found])
        apart = np.linalg.norm(places[:, None] - places, axis=2)
        near = np.argsort(apart, axis=1)[:, 1:11]
        return float((topics[near] == topics[:, None]).mean())

    corpus = Corpus.of(sentences)
    neighbours = count_pure(map_documents(corpus, layout="neighbours"))
    assert neighbours > 1.5 * count_pure(map_documents(corpus, measure="hellinger"))


def test_a_map_of_neighbours_takes_no_measure(sample: Corpus) -> None:
    found = map_documents(sample, layout="neighbours", most=16)
    again = map_documents(sample, layout="neighbours", most=16)
    assert len(found) == 16 and found.results == again.results and found[0].order is None
    with pytest.raises(InputError, match="measure must be left out with layout='neighbours'"):
        map_documents(sample, layout="neighbours", measure="js")
    texts = ["the cat sat on the mat", "a dog lay on the rug", "xyzzy qwrtp", "a bird sang"]
    left = map_documents(texts, layout="neighbours")
    assert len(left) == 3 and "without a word that has a vector, left out: 1" in left.notes
    with pytest.raises(InputError, match="Only 2 texts can be placed"):
        map_documents(texts[:3], layout="neighbours")


def test_label(sample: Corpus, sample_index: Index) -> None:
    found = label(sample_index, by="author", measure="hellinger")
    assert found.documents == len(found) == 64 and isinstance(found.right, int)
    assert found.right == sum(bool(row.right) for row in found)
    known = label(sample, by="author", measure="hellinger", text="pell-sea")
    assert known.to_dicts() == found.to_dicts()
    same = label(sample, by="author", measure="hellinger", evidence="pell-sea")
    assert known.evidence == same.evidence
    with pytest.raises(InputError, match="No document has the field 'shoe'"):
        label(sample, by="shoe")
    with pytest.raises(InputError, match="rule must be one of"):
        label(sample, by="author", rule="best")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="label needs by"):
        label(sample)  # type: ignore[call-arg]


@pytest.mark.parametrize("text", [PELL, PELL.read_text("utf-8"), Document("x", PELL.read_text())])
def test_a_new_text_is_labelled(sample: Corpus, text: Path | str | Document) -> None:
    found = label(sample, by="author", measure="hellinger", text=text)
    assert found.predicted == found[0].label and found.to_dicts()[0]["divergence"] > 0.1
    assert any("pell-" in note and "left out of them" in note for note in found.notes)
    assert "words that speak for it" in repr(found)
    assert "accuracy" not in found.figures() and found.to_dicts()[0].keys() == {
        "label",
        "divergence",
    }


def test_the_only_text_of_an_author_is_not_counted_as_wrong(sample: Corpus) -> None:
    few = [sample[id] for id in ("voss-sea", "voss-garden", "pell-sea", "pell-garden")]
    only = Document("only", sample["quill-sea"].text, metadata={"author": "quill"})
    found = attribute([*few, only], by="author", features="mfw(100)", rule="nearest")
    assert found[-1].known == "quill" and found[-1].right is UNSET
    assert {type(one.right) for one in found.results[:-1]} == {bool}
    assert found[0].interval[0] < found[0].accuracy <= found[0].interval[1]


def test_a_text_in_question_is_read_like_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "letter.jsonl"
    path.write_text('{"id": "q", "text": "a form", "body": "the letter"}', "utf-8")
    (found,) = choose_texts(path, [], [], {"text_fields": ["body"], "chunk": 1})
    assert found.text == "the letter"


def test_a_rule_without_weights_says_so(sample: Corpus) -> None:
    few = [one for one in sample.documents if one.metadata["author"] in ("voss", "pell")]
    found = attribute(few, by="author", text=Document("hello", "Hello."), features="mfw(50)")
    assert set(found.method.weights.values()) == {0}
    assert "(no feature tells the" in list(found.lines())[-1]
    assert found.notes[-1].endswith("too few known texts to ask whether any of them is")


def test_candidates_as_likely_as_each_other_are_no_answer(sample: Corpus) -> None:
    drawn = [
        Document(one.id, one.text, metadata={"author": "ab"[(row + row // 8) % 2]})
        for row, one in enumerate(sample.documents[:16])
    ]
    text = "We went down to the sea and then we came home again."
    found = attribute(drawn, by="author", text=text, features="punct", rule="nearest")
    assert found.method.weights == {"nearest: punct": 0}
    assert found[0].label is None and found[0].probability is None
    assert [one.probability for one in found[0].candidates] == pytest.approx([0.5, 0.5])


def test_words_that_tell_texts_apart_have_their_usual_form() -> None:
    a, b = "We saw Elizabeth. Then Elizabeth sang.", "We saw a ship. Then the ship sank."
    (row,) = compare(a, b, explain=True).results
    assert isinstance(row.explanation, dict)
    assert row.explanation["written"] == {"elizabeth": "Elizabeth"}


def test_a_map_places_some_of_very_many(sample: Corpus) -> None:
    whole = map_documents(sample, measure="hellinger")
    some = map_documents(sample, measure="hellinger", most=16)
    assert [one.id for one in some] == [one.id for one in whole][::4]
    assert some.notes[0] == "16 of 64 documents, evenly chosen"
    assert len(map_documents(sample, measure="hellinger", most=64)) == 64


def test_texts_that_say_nothing_of_their_authors_stay_undecided() -> None:
    rng = random.Random(5)
    words = (
        "the of and a to in he was that it his her with as had she at for on but river house garden"
        " walk night morning talk day see go"
    ).split()
    known = [
        Document(
            f"{author}{number}", " ".join(rng.choice(words) for _ in range(400)), "", {"by": author}
        )
        for author in "AB"
        for number in range(4)
    ]
    found = attribute(known, by="by", text=known[0])
    assert not any(found.method.weights.values()), "the texts were chosen for this"
    assert found[0].label is None and found[0].probability is None and not found[0].evidence
    assert "ridge (no feature tells the bys of these texts apart)" in repr(found)
