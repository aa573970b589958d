"""Words as people write them."""

from __future__ import annotations

from lexfield.text.corpus import Corpus
from lexfield.text.written import find_written

NOVEL = """Elizabeth saw Mr. Darcy. Then Elizabeth laughed. Will you dance, said Darcy, if I will
ask? They will dance. Dance! They dance. HURRAH cried no one, and hurrah said Élise."""


def test_names_have_capitals_and_first_words_do_not_count() -> None:
    corpus = Corpus.of(NOVEL)
    words = ["elizabeth", "mr", "darcy", "will", "dance", "élise", "laughed", "nowhere"]
    written = {"elizabeth": "Elizabeth", "mr": "Mr", "darcy": "Darcy", "élise": "Élise"}
    assert find_written(corpus, words) == written


def test_speakers_have_capitals_but_not_any_word_that_only_begins_sentences() -> None:
    play = "Hamlet. To be. Hamlet. Or not. Hamlet. To sleep. Hamlet. No more. Hamlet. And end."
    assert find_written(Corpus.of(play), ["hamlet", "or"]) == {"hamlet": "Hamlet"}
    shouted = Corpus.of(play.replace("Hamlet", "HAMLET"))
    assert find_written(shouted, ["hamlet", "or"]) == {"hamlet": "Hamlet"}


def test_of_equally_frequent_forms_the_smaller_one_is_usual() -> None:
    assert find_written(Corpus.of(NOVEL), ["hurrah"]) == {}


def test_every_document_has_its_own_forms() -> None:
    corpus = Corpus.of(["We met Rose there. Dear Rose came.", "I picked a rose. The rose is red."])
    assert find_written(corpus, ["rose"], 0) == {"rose": "Rose"}
    assert find_written(corpus, ["rose"], 1) == {}
    assert find_written(corpus, []) == {}


def test_capitals_are_usual_only_if_there_is_nothing_else() -> None:
    corpus = Corpus.of("Now ANNA: Yes. So ANNA: No. And ANNA: Oh. He saw Anna and the BBC.")
    assert find_written(corpus, ["anna", "bbc"]) == {"anna": "Anna", "bbc": "BBC"}
