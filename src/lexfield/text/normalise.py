"""How a text becomes words: which tokenizer splits it, how words are normalised and stemmed.

A ``Normalisation`` is stored with every corpus and index, so queries are split like the texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from lexfield.errors import InputError, check, correct
from lexfield.registry import Registry
from lexfield.results import JsonObject
from lexfield.text.language_data import list_codes, name_language, read_language
from lexfield.text.segment import BREAK, character_ranges, split_words, word_spans
from lexfield.text.unspaced import split_unspaced

NONE = "none"  # the stemmer that leaves words as they are
Tokenizer = Callable[[str], Sequence[str]]
DEFAULT_TOKENIZER = "words"
CJK = "cjk"
SOFT_HYPHEN = "\u00ad"  # where a word may be divided, as in web pages
TOKENIZERS: Registry[Tokenizer] = Registry(
    "tokenizer", "lexfield.tokenizers", {DEFAULT_TOKENIZER: split_words, CJK: split_unspaced}
)
_MOST_MARKS = 30  # on one letter, as in Unicode's stream-safe format; sorting more takes n² time


@dataclass(frozen=True, slots=True)
class Normalisation:
    """Lower case, canonical Unicode (NFC), and one apostrophe for all that are typed.

    dotless: the small letter of I is ı, as in Turkish.
    elide: split off words that lose a letter before a vowel, as in *l'homme* and *dell'acqua*.
    stem: the stemmer of an index's bags (english, german, …), "none", or None for the
        stemmer of the index's language. Texts and words are not changed, because word vectors know
        words, not stems; bag queries count and compare stems.
    tokenizer: the name of a tokenizer in ``TOKENIZERS``, or a function that takes a sentence as it
        is written and returns its words, which are normalised afterwards. Only a registered
        tokenizer can be saved with an index.
    """

    lower: bool = True
    nfc: bool = True
    apostrophe: bool = True
    stem: str | None = None
    tokenizer: str | Tokenizer = DEFAULT_TOKENIZER
    elide: bool = False
    dotless: bool = False

    def __post_init__(self) -> None:
        check_stemmer(self.stemmer)
        if isinstance(self.tokenizer, str):
            TOKENIZERS.get(self.tokenizer)
        else:
            expected = "the name of a tokenizer, or a function that returns the words of a sentence"
            check(callable(self.tokenizer), "tokenize", expected, self.tokenizer)

    def __call__(self, text: str) -> str:
        if not text.isascii():
            if self.nfc and not unicodedata.is_normalized("NFC", text):
                text = unicodedata.normalize("NFC", _long_runs().sub(_shorten_run, text))
            if self.apostrophe:
                text = text.replace("’", "'").replace("ʼ", "'")
            text = text.replace(SOFT_HYPHEN, "")
        text = self._split_elided(text)
        return self._lower(text) if self.lower else text

    def _lower(self, text: str) -> str:
        if self.dotless:
            text = text.replace("I", "ı")
        return text.replace("İ", "i").lower()  # which would make i and a mark of it

    @property
    def stemmer(self) -> str:
        """The stemmer of bags; "none" as long as no index has chosen one."""
        return self.stem or NONE

    def choose_stemmer(self, language: str, stemmer: str | None = None) -> Normalisation:
        """Return the same with the stemmer that is named, its own, or that of the language."""
        return replace(self, stem=stemmer or self.stem or find_stemmer(language))

    @property
    def is_default_tokenizer(self) -> bool:
        return self.tokenizer == DEFAULT_TOKENIZER

    def words(self, text: str) -> list[str]:
        """Return the normalised words of a text."""
        text = text.replace(BREAK, " ")
        if self.is_default_tokenizer:
            return split_words(self(text))
        tokens = self._tokenize(self._split_elided(text))
        words = (self(word.replace(BREAK, " ")).strip() for word in tokens)
        return [word for word in words if word]

    def word_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the start and end of each word of a text.

        A word of a registered tokenizer that does not occur in the text as it is has no span.
        """
        text = self._split_elided(text)
        if self.is_default_tokenizer:
            return word_spans(text)
        spans, end = [], 0
        for word in self._tokenize(text):
            if word and (start := text.find(word, end)) >= 0:
                end = start + len(word)
                spans.append((start, end))
        return spans

    def _split_elided(self, text: str) -> str:
        """Return a text with a space instead of the apostrophe after an elided word."""
        return _elided().sub(r"\1 ", text) if self.elide else text

    def _tokenize(self, text: str) -> Sequence[str]:
        tokenizer = self.tokenizer
        function = TOKENIZERS.get(tokenizer) if isinstance(tokenizer, str) else tokenizer
        words = function(text)
        is_list = isinstance(words, Iterable) and not isinstance(words, str)
        words = list(words) if is_list else words
        if not is_list or not all(isinstance(word, str) for word in words):
            name = tokenizer if isinstance(tokenizer, str) else getattr(tokenizer, "__name__", "")
            raise InputError(
                f"The tokenizer {name!r} returned {words!r} where a list of words is expected."
            )
        return words

    def to_dict(self) -> JsonObject:
        """Return what an index stores. Raise InputError if the tokenizer is not registered."""
        if not isinstance(self.tokenizer, str):
            raise InputError(
                "A corpus that was split by a function cannot be saved: queries could not be split"
                " in the same way later.",
                'Register the function, as in TOKENIZERS.register("mine", function), and pass its'
                " name.",
            )
        stored = asdict(self)
        if self.is_default_tokenizer:  # lexfield 0.1 does not know this field
            del stored["tokenizer"]
        for name in ("elide", "dotless"):  # nor does lexfield 0.2 know these
            if not stored[name]:
                del stored[name]
        return stored


@cache
def _elided() -> re.Pattern[str]:
    words = sorted({word for code in list_codes() for word in read_language(code).elided})
    return re.compile(rf"(?<![\w'’ʼ])({'|'.join(words)})['’ʼ](?=[^\W\d_])", re.IGNORECASE)


def has_elided(text: str) -> bool:
    """Does a text hold words that ``elide`` splits?"""
    return _elided().search(text) is not None


@cache
def _long_runs() -> re.Pattern[str]:
    marks = [code for code in range(0x300, 0x1F000) if unicodedata.combining(chr(code))]
    return re.compile(f"[{character_ranges(marks)}]{{{_MOST_MARKS + 1},}}")


def _shorten_run(run: re.Match[str]) -> str:
    return run[0][:_MOST_MARKS]


def stem_words(words: Sequence[str], stemmer: str) -> list[str]:
    """Return the stem of every word by its stemmer; the words themselves for "none"."""
    if stemmer == NONE:
        return list(words)
    if stemmer in _by_particles():
        particles = _by_particles()[stemmer]
        return [_cut_particle(word, particles) for word in words]
    stems: list[str] = _stemmer(stemmer).stemWords(list(words))
    return stems


def _cut_particle(word: str, particles: tuple[str, ...]) -> str:
    """Return a word without the longest particle at its end, if two letters are left."""
    for particle in particles:
        if word.endswith(particle) and len(word) >= len(particle) + 2:
            return word[: -len(particle)]
    return word


@cache
def _by_particles() -> dict[str, tuple[str, ...]]:
    """The particles of languages that are stemmed by cutting them off, longest first."""
    known = map(read_language, list_codes())
    return {one.name: tuple(sorted(one.particles, key=len, reverse=True)) for one in known
            if one.particles}  # fmt: skip


@cache
def stemmers() -> tuple[str, ...]:
    """Return the names of all stemmers, mostly languages: english, german, porter, …"""
    import Stemmer

    return tuple(sorted([*Stemmer.algorithms(), *_by_particles()]))


def find_stemmer(language: str) -> str:
    """Return the stemmer of a language (``"en"`` or ``"english"``), or "none" if it has none."""
    name = name_language(language)
    return name if name in stemmers() else NONE


def check_stemmer(name: str) -> None:
    """Raise InputError if there is no stemmer of this name."""
    if name != NONE and name not in stemmers():
        hint = f"{correct(name, stemmers())} There are: none, {', '.join(stemmers())}."
        raise InputError(f"There is no stemmer {name!r}.", hint.lstrip())


@cache
def _stemmer(name: str) -> Any:
    import Stemmer

    check_stemmer(name)
    return Stemmer.Stemmer(name)
