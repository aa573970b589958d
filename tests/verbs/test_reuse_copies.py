"""Several copies of a passage, the order of texts, and what many texts share."""

from __future__ import annotations

import numpy as np
import pytest

import lexfield as lx
from lexfield.reuse.passages import _group
from lexfield.reuse.scoring import WordAlignment
from lexfield.reuse.words import CorpusWords
from lexfield.sample import TEXTS
from lexfield.text.corpus import Corpus
from lexfield.text.segment import split_words
from lexfield.vectors.wordvectors import WordVectors
from tests.verbs.test_reuse import EDITED, OTHER, PASSAGE, align, plant, read


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_every_copy_of_a_sentence_is_found(count: int) -> None:
    once, often = plant("pell-sea", OTHER), plant("voss-school", " ".join([OTHER] * count))
    for found in (lx.reuse(once, often), lx.reuse(often, once)):
        assert len(found.pairs) == len({(p.a.start, p.b.start) for p in found.pairs}) == count
        assert {p.a.words for p in found.pairs} == {p.b.words for p in found.pairs} == {17}
        assert any("copies" in note for note in found.notes) == (count > 3)


def test_a_sentence_that_a_text_repeats_very_often_is_still_found() -> None:
    found = lx.reuse(plant("pell-sea", PASSAGE), plant("voss-school", *[PASSAGE] * 100))
    assert len(found.pairs) >= 8 and "maybe not all" in found.notes[-1]
    found = lx.reuse(PASSAGE, f"{PASSAGE} " * 5000)  # nothing else, so its words tell little
    assert not found.pairs and "no shared passage" in found.notes[-1]
    found = lx.reuse("Ho ho ho", "Ho ho ho")
    assert not found.pairs and "a and b have the same words" in found.notes[-1]


def list_spans(found: lx.Reuse) -> list[tuple[object, ...]]:
    """All that is found, sorted, with the sides of each passage in the order of their documents."""
    rows = []
    for p in found.pairs:
        sides = sorted(
            (span.document, span.start, span.end, side) for side, span in (("a", p.a), ("b", p.b))
        )
        steps = sorted(
            (*(getattr(step, side[3]) for side in sides), step.moved, step.similarity or 0)
            for step in p.alignment
            if step.a and step.b
        )
        rows.append((*(side[:3] for side in sides), p.kind, p.score, p.chance, p.identical, steps))
    return sorted(rows)


def test_the_order_of_texts_does_not_matter() -> None:
    names = ("carter-garden", "pell-sea", "voss-school", "weiss-sea")
    shared = (f"{OTHER} {PASSAGE}", f"{EDITED} {EDITED} {OTHER}", f"{PASSAGE} {OTHER}", OTHER)
    texts = [lx.Document(n, plant(n, one)) for n, one in zip(names, shared, strict=True)]
    expected = list_spans(lx.reuse(texts))
    assert len(expected) >= 6
    for order in ((3, 1, 0, 2), (2, 3, 1, 0)):
        assert list_spans(lx.reuse([texts[k] for k in order])) == expected
    for a, b in ((0, 1), (1, 2), (0, 2)):
        assert list_spans(lx.reuse(texts[a], texts[b])) == list_spans(lx.reuse(texts[b], texts[a]))
    first = list_spans(lx.reuse(texts[1:], query=texts[0]))
    assert first == list_spans(lx.reuse(texts[:0:-1], query=texts[0]))


def test_a_span_does_not_reach_over_common_words_beside_it() -> None:
    a = f"{read('pell-sea')} By then {PASSAGE} There is, then, one"
    b = f"{read('voss-school')} Consider now {PASSAGE} This was what"
    (pair,) = lx.reuse(a, b).pairs
    assert pair.a.text == pair.b.text == PASSAGE.rstrip(".")


def test_a_long_text_twice_is_one_identical_step() -> None:
    text = "\n\n".join(path.read_text("utf-8") for path in sorted(TEXTS.glob("*.txt")))
    (pair,) = lx.reuse(text, text).pairs
    assert (pair.kind, pair.identical) == ("verbatim", 1)
    (step,) = pair.alignment
    assert step.op == "identical" and not step.moved and step.a == step.b
    assert step.a == (pair.a.start, pair.a.end) and pair.a.words == len(split_words(text))


def draw_texts(count: int, passage: str) -> list[lx.Document]:
    """Texts of random words, each with the passage somewhere inside."""
    random = np.random.default_rng(3)
    words = sorted(set(split_words(" ".join(read(path.stem) for path in TEXTS.glob("*.txt")))))
    hosts = [random.choice(words, 160).tolist() for _ in range(count)]
    return [
        lx.Document(f"t{number:03}", " ".join([*own[:60], passage, *own[60:]]))
        for number, own in enumerate(hosts)
    ]


@pytest.mark.parametrize("count", [16, 70])
def test_a_passage_that_every_text_has_is_found(count: int) -> None:
    found = lx.reuse(draw_texts(count, PASSAGE))
    (cluster,) = found.clusters
    assert cluster.documents == count
    pairs = {(pair.a.document, pair.b.document) for pair in found.pairs}
    assert len(pairs) == sum(min(64, later) for later in range(count))
    assert all("nothing to lose" in pair.a.text for pair in found.pairs)
    assert any(f"in {count} of {count} texts" in note for note in found.notes)
    assert any("not every pair" in note for note in found.notes) == (count == 70)


def test_a_query_is_compared_with_every_text_that_has_a_passage() -> None:
    query, *texts = draw_texts(100, PASSAGE)
    found = lx.reuse(texts, query=query)
    assert {pair.b.document for pair in found.pairs} == {text.id for text in texts}
    assert not any("not every pair" in note for note in found.notes)


def test_copies_of_a_text_are_found_however_many_there_are() -> None:
    found = lx.reuse([lx.Document(str(number), read("pell-sea")[:600]) for number in range(70)])
    assert {pair.kind for pair in found.pairs} == {"verbatim"}
    (cluster,) = found.clusters
    assert cluster.documents == 70


def test_what_most_texts_share_comes_after_the_rest() -> None:
    texts = draw_texts(12, PASSAGE)
    for number in (3, 8):
        texts[number] = lx.Document(f"t{number:03}", f"{OTHER} {texts[number].text}")
    found = lx.reuse(texts)
    assert found.pairs[0].a.text.startswith("The lamps") and len(found.pairs) == 1 + 12 * 11 // 2
    few = [*texts[2:5], texts[8]]
    found = lx.reuse(few)
    assert found.pairs[0].a.text.startswith("The lamps")
    assert any("in 4 of 4 texts and may be boilerplate" in note for note in found.notes)
    assert not any("boilerplate" in note for note in lx.reuse(few[:3]).notes)


def test_a_common_phrase_is_discounted_and_copies_of_a_passage_are_not() -> None:
    random = np.random.default_rng(5)
    phrase = "as a matter of fact"
    hosts = [[f"w{n}x" for n in random.integers(0, 5000, 40).tolist()] for _ in range(80)]
    varied = [" ".join([*own[:20], phrase, *own[20:]]) for own in hosts]
    copied = [varied[0]] * 80
    counts = []
    for texts in (varied, copied):
        words = CorpusWords.of(Corpus.of(texts), WordVectors.default())
        counts.append(words.phrases.words[words.corpus.vocabulary.id("matter")])
    assert counts == [80, 1]


def test_two_copies_near_each_other_are_two_groups() -> None:
    def run(start: int, low: int, size: int) -> WordAlignment:
        return align([(start + n, low + n) for n in range(size)])

    # a passage and the end of it, which is near both copies
    copies = [[run(at, 0, 136), run(at + 136, 136, 13)] for at in (0, 330)]
    found = _group([part for copy in copies for part in copy])
    assert [[part.box for part in group] for group in found] == [
        [part.box for part in copy] for copy in copies
    ]
