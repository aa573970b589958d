"""``lx.reuse`` and ``lexfield reuse``."""

from __future__ import annotations

import csv
import io
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.reuse.passages import ReusedPassage, find_moved
from lexfield.reuse.scoring import WordAlignment
from lexfield.sample import TEXTS
from lexfield.text.segment import sentence_spans, split_words
from lexfield.verbs.results import encode_csv

PASSAGE = (
    "A man who has nothing to lose is a dangerous man, and a man who has everything to lose is"
    " more dangerous still, because he knows the price of each thing he is afraid for."
)
OTHER = "The lamps along the quay were lit at six, and nobody came to see the ferry leave."
EDITED = PASSAGE.replace("dangerous man", "dangerous person").replace("afraid for", "keeping")


def read(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text("utf-8")


def plant(name: str, *passages: str) -> str:
    text = read(name)
    step = len(text) // (len(passages) + 1)
    cuts = [text.find(". ", step * number) + 2 for number in range(1, len(passages) + 1)]
    for cut, passage in reversed(list(zip(cuts, passages, strict=True))):
        text = f"{text[:cut]}{passage} {text[cut:]}"
    return text


def test_a_copy_is_found_with_its_characters() -> None:
    a, b = plant("pell-sea", PASSAGE), plant("voss-school", PASSAGE)
    (pair,) = lx.reuse(a, b).pairs
    assert a[pair.a.start : pair.a.end] == pair.a.text == PASSAGE.rstrip(".")
    assert b[pair.b.start : pair.b.end] == pair.b.text
    assert (pair.kind, pair.identical, pair.a.document, pair.b.document) == (
        "verbatim",
        1,
        "a",
        "b",
    )
    assert pair.chance < 1e-6
    (step,) = pair.alignment
    assert (step.op, step.a, step.b) == (
        "identical", (pair.a.start, pair.a.end), (pair.b.start, pair.b.end)
    )  # fmt: skip


def test_every_word_is_aligned_once() -> None:
    a, b = plant("pell-sea", PASSAGE), plant("voss-school", EDITED)
    (pair,) = lx.reuse(a, b).pairs
    assert pair.kind == "edited" or pair.kind == "verbatim"
    ops = {(a[s.a[0] : s.a[1]] if s.a else "", b[s.b[0] : s.b[1]] if s.b else ""): s.op
           for s in pair.alignment}  # fmt: skip
    assert ops["man", ""] == "only in a" and ops["", "person"] == "only in b"
    for side, span, text in (("a", pair.a, a), ("b", pair.b, b)):
        covered = sorted(getattr(s, side) for s in pair.alignment if getattr(s, side))
        joined = " ".join(text[start:end] for start, end in covered)
        assert split_words(joined) == split_words(span.text)


def test_inflected_and_similar_words_are_named() -> None:
    a = "The old fishermen mended their nets in the harbour while the children gathered driftwood."
    b = "The old fisherman mended his nets in the port while the kids were gathering driftwood."
    (pair,) = lx.reuse(a, b, chance=1).pairs
    steps = {a[s.a[0] : s.a[1]]: s for s in pair.alignment if s.a and s.b}
    assert steps["gathered"].op == "stem"
    assert steps["harbour"].op == "similar" and 0.6 < (steps["harbour"].similarity or 0) < 1


def test_moved_sentences_belong_to_one_passage() -> None:
    a, b = plant("pell-sea", f"{PASSAGE} {OTHER}"), plant("voss-school", f"{OTHER} {PASSAGE}")
    (pair,) = lx.reuse(a, b).pairs
    assert {step.moved for step in pair.alignment if step.op == "identical"} == {True, False}
    assert pair.kind == "verbatim"  # in its words: the alignment says what was moved
    assert pair.a.words == pair.b.words


def test_sentences_that_were_moved_apart_are_still_verbatim() -> None:
    a = plant("pell-sea", f"{PASSAGE} {OTHER}")
    b = plant("voss-school", f"{OTHER} {' '.join(read('carter-garden').split()[:40])} {PASSAGE}")
    (pair,) = lx.reuse(a, b).pairs
    assert pair.b.words > pair.a.words + 30
    assert (pair.kind, pair.identical) == ("verbatim", 1)
    assert {step.op for step in pair.alignment} == {"identical", "only in b"}


def align(pairs: list[tuple[int, int]]) -> WordAlignment:
    ones = np.ones(len(pairs))
    relations, cosines = np.zeros(len(pairs), np.uint8), ones.astype(np.float32)
    return WordAlignment(np.array(pairs), relations, cosines, ones, 0 * ones)


def test_words_within_two_alignments_count_once() -> None:
    outer = [(n, n + 60) for n in range(10)] + [(n, n + 80) for n in range(10, 20)]
    inner = [(n, n + 30) for n in range(40, 60)]  # in the gap of the other in b
    parts = [align(outer), align(inner)]
    assert ReusedPassage(0, 1, parts, 40, find_moved(parts)).identical == 1


def test_sentences_that_were_moved_far_still_belong_to_one_passage() -> None:
    text = read("carter-garden")
    sentences = [text[start:end] for start, end in sentence_spans(text)[:14]]
    order = [9, 3, 6, 12, 10, 7, 8, 4, 2, 5, 11, 1, 0, 13]
    a = plant("pell-sea", " ".join(sentences))
    b = plant("voss-school", " ".join(sentences[number] for number in order))
    (pair,) = lx.reuse(a, b).pairs
    assert min(pair.a.words, pair.b.words) > 0.9 * len(split_words(" ".join(sentences)))


def test_a_span_does_not_reach_to_a_few_words_far_away() -> None:
    far = "The ferry leaves for the island before sunrise."
    between = " ".join(read("carter-garden").split()[:150])
    a = plant("pell-sea", f"{PASSAGE} {between} {far}")
    b = plant("voss-school", f"{far} {PASSAGE}")
    found = lx.reuse(a, b).pairs
    assert found[0].a.text.endswith(PASSAGE.rstrip("."))
    assert all(pair.a.words < 2 * pair.b.words for pair in found)


def test_forms_with_other_names_and_numbers_are_not_reuse() -> None:
    random = np.random.default_rng(2)
    vocabulary = sorted(set(split_words(read("pell-sea"))))

    def fill() -> str:
        n = [str(number) for number in random.integers(100, 999, 6).tolist()]
        names = " ".join(random.choice(vocabulary, 3))
        return (
            f"{names} quarterly dividend {n[0]} cents versus {n[1]} cents payable {n[2]} record"
            f" {n[3]} turnover {n[4]} guilders versus {n[5]} guilders. "
        )

    texts = [fill() + " ".join(random.choice(vocabulary, 60)) for _ in range(60)]
    assert not lx.reuse(texts).pairs


def test_quotations_in_one_text_are_clusters_of_their_own() -> None:
    names = ("pell-sea", "voss-school", "carter-garden", "olufsen-sea", "raman-stars", "weiss-sea")
    both = f"{PASSAGE} {OTHER}"
    shared = (PASSAGE, PASSAGE, both, both, OTHER, OTHER)
    texts = [lx.Document(n, plant(n, one)) for n, one in zip(names, shared, strict=True)]
    found = lx.reuse(texts)
    assert sorted(cluster.documents for cluster in found.clusters) == [4, 4]


def test_the_sample_holds_a_rewording() -> None:
    found = lx.reuse(TEXTS / "pell-market.txt", TEXTS / "voss-market.txt")
    assert {pair.kind for pair in found.pairs} == {"reworded"}
    assert any("given to the poor" in pair.a.text for pair in found)


def test_texts_that_share_nothing() -> None:
    found = lx.reuse(read("pell-sea"), read("voss-school"))
    assert not found.pairs and "--chance 1" in found.notes[-1]
    found = lx.reuse(read("pell-sea"), read("carter-garden"), chance=1)
    assert not found.pairs and "--chance 1" not in found.notes[-1]  # it was given


def test_the_same_text_twice_and_a_text_within_another() -> None:
    text = read("pell-sea")
    (pair,) = lx.reuse(text, text).pairs
    assert pair.kind == "verbatim" and pair.a.words > 500
    assert (pair.a.start, pair.a.end) == (pair.b.start, pair.b.end)
    found = lx.reuse(text, f"{text}\n\n{text}")
    assert [pair.kind for pair in found.pairs] == ["verbatim", "verbatim"]
    assert {pair.b.start < len(text) for pair in found.pairs} == {True, False}


def test_a_note_says_where_offsets_are_not_those_of_the_file(tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_text(plant("pell-sea", PASSAGE), "utf-8")
    book = plant("voss-school", PASSAGE)
    b.write_text(book, "utf-8")
    assert not lx.reuse(a, b).notes
    b.write_text(f"*** START OF THE PROJECT GUTENBERG EBOOK X ***\n\n{book}", "utf-8")
    (note,) = lx.reuse(a, b).notes
    assert "as it was read" in note and note.endswith("b")


def test_texts_are_not_written_over(tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    for path in (a, b):
        path.write_text(PASSAGE, "utf-8")
    with pytest.raises(InputError, match="would be overwritten"):
        lx.reuse(tmp_path, output=b)
    with pytest.raises(InputError, match="would be overwritten"):
        lx.reuse(a, b, html=a)
    assert a.read_text("utf-8") == b.read_text("utf-8") == PASSAGE


def test_a_table_has_flat_columns() -> None:
    found = lx.reuse(plant("pell-sea", PASSAGE), plant("voss-school", PASSAGE))
    rows = list(csv.DictReader(io.StringIO(encode_csv(found))))
    names = ("document", "start", "end", "words", "text")
    assert list(rows[0]) == [
        *(f"{side}_{name}" for side in "ab" for name in names),
        *("kind", "score", "chance", "identical", "cluster"),
    ]  # fmt: skip
    assert rows[0]["a_text"] == PASSAGE.rstrip(".") and rows[0]["kind"] == "verbatim"


def test_a_page_isolates_texts_and_names_and_prints_no_chance_of_zero() -> None:
    text = f"\u202e{read('pell-sea')}"
    found = lx.reuse(lx.Document("x\u202ey", text), lx.Document("z", text))
    assert found.pairs[0].chance == 0 and "chance < 1e-300" in repr(found)
    page = found.to_html()
    assert "chance &lt; 1e-300" in page and "<bdi>x\u202ey</bdi>" in page
    assert page.count("<bdi>") == page.count("</bdi>") >= 7


@pytest.mark.parametrize("text", ["", "…", "word", "two words"])
def test_texts_that_are_almost_empty(text: str) -> None:
    found = lx.reuse(lx.Document("a", text), lx.Document("b", "Some other words."))
    assert not found.pairs
    assert ("nothing to compare" in found.notes[-1]) == (text in ("", "…"))


def test_other_languages_are_compared_word_by_word() -> None:
    german = (
        "Der alte Fischer flickte am Hafen seine Netze, während die Kinder am Strand Treibholz"
        " sammelten und der Wind vom Meer her kälter wurde als an allen Tagen zuvor."
    )
    other = "Gestern sprach der Bürgermeister lange über die neue Brücke und die Kosten der Schule."
    found = lx.reuse(f"{other} {german}", f"{german} Niemand hörte zu, denn es regnete in Strömen.")
    (pair,) = found.pairs
    assert pair.kind == "verbatim"
    assert any("copies are found" in note for note in found.notes)


def test_clusters_name_the_earliest_only_with_dates() -> None:
    names = [("1813", "pell-sea"), ("1850", "voss-school"), ("987", "carter-garden")]
    documents = [
        lx.Document(name, plant(name, PASSAGE), metadata={"year": year}) for year, name in names
    ]
    found = lx.reuse(documents)
    assert len({pair.cluster for pair in found.pairs}) == 1
    (cluster,) = found.clusters
    assert cluster.earliest is None and len(cluster.members) == 3
    (cluster,) = lx.reuse(documents, date="year").clusters
    assert cluster.earliest == "carter-garden"
    undated = lx.reuse([*documents[:2], lx.Document("x", PASSAGE)], date="year")
    assert undated.clusters[0].earliest is None and "a date is missing" in undated.notes[-1]
    with pytest.raises(InputError, match="No document has the field"):
        lx.reuse(documents, date="month")


def test_a_query_is_compared_with_each_text(tmp_path: Path) -> None:
    texts = [lx.Document(name, plant(name, PASSAGE)) for name in ("pell-sea", "voss-school")]
    found = lx.reuse(texts, query=lx.Document("draft", plant("carter-garden", PASSAGE)))
    assert [pair.a.document for pair in found.pairs] == ["draft", "draft"]
    assert {pair.b.document for pair in found.pairs} == {"pell-sea", "voss-school"}
    assert list(found.to_pandas().columns[:3]) == ["a_document", "a_start", "a_end"]
    with pytest.raises(InputError, match="both name a text"):
        lx.reuse(texts, "a b", query="c d")


def test_a_run_goes_on_from_its_finished_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [lx.Document(name, plant(name, PASSAGE)) for name in ("pell-sea", "voss-school")]
    first = lx.reuse(texts, resume=tmp_path / "run")
    monkeypatch.setattr(
        import_module("lexfield.reuse.find"), "align_windows", None
    )  # not called again
    again = lx.reuse(texts, resume=tmp_path / "run")
    assert again.to_dicts() == first.to_dicts() and again.pairs
    with pytest.raises(InputError, match="other texts"):
        lx.reuse([*texts, "A third text."], resume=tmp_path / "run")


def test_a_run_does_not_go_on_with_other_vectors(tmp_path: Path) -> None:
    texts = [lx.Document(name, plant(name, PASSAGE)) for name in ("pell-sea", "voss-school")]
    words = sorted({word for one in texts for word in one.text.lower().split()})
    draw = np.random.default_rng(0)
    sets = [
        lx.WordVectors(words, draw.normal(size=(len(words), 8)).astype(np.float32))
        for _ in range(2)
    ]
    lx.reuse(texts, vectors=sets[0], resume=tmp_path / "run")
    with pytest.raises(InputError, match="other texts or with other options"):
        lx.reuse(texts, vectors=sets[1], resume=tmp_path / "run")


def test_conditions_choose_among_the_others_and_not_the_query() -> None:
    texts = [
        lx.Document(name, plant(name, PASSAGE), metadata={"author": name[:4]})
        for name in ("pell-sea", "voss-school")
    ]
    query = lx.Document("draft", plant("carter-garden", PASSAGE))
    found = lx.reuse(texts, query=query, where=["author=voss"])
    assert {(pair.a.document, pair.b.document) for pair in found.pairs} == {
        ("draft", "voss-school")
    }


def test_wrong_targets_and_fields_are_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("lexfield.verbs.reuse"), "find_shared", None)  # not called
    with pytest.raises(InputError, match="is a folder"):
        lx.reuse(PASSAGE, EDITED, html=tmp_path)
    with pytest.raises(InputError, match="is a folder"):
        lx.reuse(PASSAGE, EDITED, output=tmp_path)
    with pytest.raises(InputError, match="No document has the field 'year'"):
        lx.reuse(PASSAGE, EDITED, date="year")


def test_one_text_alone_is_refused() -> None:
    with pytest.raises(InputError, match="only one text"):
        lx.reuse("Some text that is alone.")


def test_short_passages_and_other_kinds_are_left_out() -> None:
    a, b = plant("pell-sea", PASSAGE), plant("voss-school", PASSAGE)
    for found in (lx.reuse(a, b, min_words=50), lx.reuse(a, b, kind=["reworded"])):
        assert not found.pairs
        assert found.notes == ["1 passage found, but none that --kind and --min-words leave"]
    assert lx.reuse(a, b, kind=["reworded", "verbatim"]).pairs


def test_a_notebook_shows_marked_words() -> None:
    found = lx.reuse(plant("pell-sea", PASSAGE), plant("voss-school", EDITED))
    assert '<mark class="only">person</mark>' in found._repr_html_()
    assert "[person]" in repr(found)


def test_a_page_keeps_the_lines_of_a_poem() -> None:
    poem = PASSAGE.replace(", ", ",\n")
    page = lx.reuse(poem, poem).to_html()
    assert poem.rstrip(".") in page and "white-space: pre-line" in page
